/// @file
/// Searches of knn_shard() and radius_shard() among the points of one rank.
#pragma once

#include <farpoint/host/for_each_index.hpp>
#include <farpoint/knn.hpp>
#include <farpoint/point_bvh.hpp>
#include <farpoint/radius.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Rows of a search.
/// @tparam Output  knn_output or radius_output
template <class Output>
struct query_rows {
  using scalar = typename decltype(Output::distances)::value_type;

  Output rows;
  index_t each;                      ///< largest number of neighbors per query
  index_t first_index;               ///< added to the indices of neighbors
  query_limits<scalar> limits = {};  ///< a hint: rows may still have farther neighbors
};

/// Adds first_index to all indices that are not -1.
inline result count_indices_from(host_exec exec, index_span indices, index_t size, index_t first_index) noexcept {
  return for_each_index(exec, size, [=](std::uint64_t i) {
    auto const at = static_cast<index_t>(i);
    index_t const own = indices.get(at);
    if (own >= 0) indices.set(at, own + first_index);
  });
}

/// BVH of a rank's points. Specializations have these members:
///
/// - A constructor that takes memory for the points, and for searches of up to `queries` queries.
/// - take_searches(exec, cutter, queries): takes memory for searches of more queries.
/// - build(), and arrays() of the result.
/// - search(). The indices of neighbors count from `first_index`.
///
/// @tparam Method  exact or radius_params
template <class Exec, class Points, class Method>
class shard_index;

template <class Points, class Method>
class shard_index<host_exec, Points, Method> {
 public:
  using scalar = typename Points::scalar;

  shard_index(host_exec exec, workspace_cutter& cutter, Points const& points, index_t queries) noexcept
      : points_{points}, memory_{cutter.take_workspace(point_bvh_bytes(exec, batch<Points>{points}))} {
    take_searches(exec, cutter, queries);
  }

  void take_searches(host_exec exec, workspace_cutter& cutter, index_t queries) noexcept {
    if (queries <= queries_) return;
    queries_ = queries;
    workspace_cutter size;
    auto const units = for_each_cloud_plan::max_units(resolve_threads(exec.threads));
    static_cast<void>(host_query_memory<scalar>::take(size, queries, units));
    workspace_ = cutter.take_workspace(size.used());
  }

  result build(host_exec exec) noexcept { return build_point_bvh(exec, batch<Points>{points_}, memory_, index_); }
  auto const& arrays() const noexcept { return index_.arrays(); }

  /// If the queries are the points, they are in the order of the leaves already.
  template <class Queries, class Output>
  result search(host_exec exec, Queries const& queries, Method const& method,
                query_rows<Output> const& to) const noexcept {
    batch<Queries> const all{queries};
    if (result const checked = check_index_search(exec, index_, all, workspace_); !checked) return checked;
    answer(search_type<Queries>{exec, index_, all, is_same_view(points_, queries), workspace_}, method, to);
    if (to.first_index == 0) return {};
    return count_indices_from(exec, to.rows.indices, queries.size() * to.each, to.first_index);
  }

 private:
  template <class Queries>
  using search_type = search_of_index<point_bvh<scalar>, Queries>;

  template <class Queries>
  static void answer(search_type<Queries> const& search, exact const& method,
                     query_rows<knn_output<scalar>> const& to) noexcept {
    knn_writer<Queries> const writer{search.queries, to.each, to.rows};
    neighbors_by<scalar>(search, method, to.each, writer, to.rows.report);
  }
  template <class Queries>
  static void answer(search_type<Queries> const& search, radius_params const& params,
                     query_rows<radius_output<scalar>> const& to) noexcept {
    radius_by(search, params, to.each, to.rows);
  }

  Points points_;
  bytes memory_;
  bytes workspace_;
  index_t queries_ = -1;  ///< that the workspace is for
  point_bvh<scalar> index_{};
};

}  // namespace detail
FARPOINT_END_NAMESPACE

/// @file
/// Searches of knn_shard() and radius_shard() among the points of one rank.
#pragma once

#include <farpoint/host/for_each_index.hpp>
#include <farpoint/knn.hpp>
#include <farpoint/point_bvh.hpp>
#include <farpoint/radius.hpp>
#include <farpoint/scale/indexed_shard.hpp>

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

/// Replaces indices of a rank's points by their indices in the whole cloud. Runs for all neighbors of all rows.
struct name_step {
  index_span indices;
  index_t const* names;

  FARPOINT_HD void operator()(std::uint64_t i) const noexcept {
    auto const at = static_cast<index_t>(i);
    index_t const own = indices.get(at);
    if (own >= 0) indices.set(at, names[own]);
  }
};

/// BVH of a rank's points, which the call builds unless the caller has built it.
/// @tparam Bvh  point_bvh or device_point_bvh
template <class Exec, class Points, class Bvh>
class part_index {
 public:
  result build(Exec exec) noexcept {
    return is_built_ ? result{} : build_point_bvh(exec, batch<Points>{points_}, memory_, index_);
  }
  auto const& arrays() const noexcept { return index_.arrays(); }

 protected:
  /// @param part  shard or indexed_shard
  template <class Part>
  part_index(Exec exec, workspace_cutter& cutter, Part const& part) noexcept
      : points_{part_of(part).points}, names_{names_of(part)}, is_built_{has_bvh<Part>} {
    if constexpr (has_bvh<Part>) {
      index_ = part.bvh;
    } else {
      memory_ = cutter.take_workspace(point_bvh_bytes(exec, batch<Points>{points_}));
    }
  }

  /// Value for query_rows::first_index of a search: 0 if rows will be named.
  index_t first_of(index_t first_index) const noexcept { return names_.empty() ? first_index : 0; }

  /// Replaces indices in rows, if the points have names.
  result name(Exec exec, index_span indices, index_t size) const noexcept {
    return names_.empty() ? result{} : for_each_index(exec, size, name_step{indices, names_.data()});
  }

  Points points_;
  Bvh index_{};

 private:
  bytes memory_;
  span<index_t const> names_;
  bool is_built_;
};

/// Searches among a rank's points. Specializations derive from part_index and have these members:
///
/// - A constructor that takes memory for the BVH, and for searches of up to `queries` queries.
/// - take_searches(exec, cutter, queries): takes memory for searches of more queries.
/// - search(). The indices of neighbors count from `first_index`, or are the names of the points.
///
/// @tparam Params  knn_params or radius_params
template <class Exec, class Points, class Params>
class shard_index;

template <class Points, class Params>
class shard_index<host_exec, Points, Params>
    : public part_index<host_exec, Points, point_bvh<typename Points::scalar>> {
  using base = part_index<host_exec, Points, point_bvh<typename Points::scalar>>;

 public:
  using scalar = typename Points::scalar;

  template <class Part>
  shard_index(host_exec exec, workspace_cutter& cutter, Part const& part, index_t queries) noexcept
      : base{exec, cutter, part} {
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

  /// If the queries are the points, they are in the order of the leaves already.
  template <class Queries, class Output>
  result search(host_exec exec, Queries const& queries, Params const& params,
                query_rows<Output> const& to) const noexcept {
    batch<Queries> const all{queries};
    auto const& index = this->index_;
    if (result const checked = check_index_search(exec, index, all, workspace_); !checked) return checked;
    answer(search_type<Queries>{exec, index, all, is_same_view(this->points_, queries), workspace_}, params, to);
    index_t const size = queries.size() * to.each;
    index_t const first = this->first_of(to.first_index);
    return first == 0 ? this->name(exec, to.rows.indices, size)
                      : count_indices_from(exec, to.rows.indices, size, first);
  }

 private:
  template <class Queries>
  using search_type = search_of_index<point_bvh<scalar>, Queries>;

  template <class Queries>
  static void answer(search_type<Queries> const& search, knn_params const& params,
                     query_rows<knn_output<scalar>> const& to) noexcept {
    knn_writer<Queries> const writer{search.queries, to.each, to.rows};
    neighbors_by<scalar>(search, params, writer, to.rows.report);
  }
  template <class Queries>
  static void answer(search_type<Queries> const& search, radius_params const& params,
                     query_rows<radius_output<scalar>> const& to) noexcept {
    radius_by(search, params, to.rows);
  }

  bytes workspace_;
  index_t queries_ = -1;  ///< that the workspace is for
};

}  // namespace detail
FARPOINT_END_NAMESPACE

/// @file
/// Search among the points that a rank owns. Rows have positions in the whole cloud instead of owned indices.
#pragma once

#include <farpoint/point_bvh.hpp>
#include <farpoint/scale/stream/knn_task.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// The points of a search, and the positions that stand for them in rows.
template <class Scalar>
struct knn_owned_points {
  point_view<Scalar> points{};
  index_view names{};                              ///< `[points]`, ascending: position that rows have for each point
  std::uint32_t const* excluded_points = nullptr;  ///< see knn_request; null if a query excludes its own index
};

/// Owned points and their BVH.
template <class Scalar, class Bvh>
struct knn_owner {
  knn_owned_points<Scalar> owned;
  bytes workspace;  ///< workspace of searches
  Bvh bvh{};
};

/// Search of one execution. Specializations have `bvh`, the type of the index; workspace_bytes(exec, queries), for up
/// to `queries` queries; and search().
template <class Exec, class Scalar>
struct owner_search;

/// BVH of owned points, with memory for a number of points and of queries. Has the members of shard_index.
template <class Exec, class Scalar>
class knn_owner_index {
 public:
  using view = point_view<Scalar>;
  using searches = owner_search<Exec, Scalar>;

  knn_owner_index(Exec exec, workspace_cutter& cutter, knn_owned_points<Scalar> const& owned, index_t points,
                  index_t queries) noexcept
      : memory_{cutter.take_workspace(bvh_bytes(exec, points))}, owner_{owned, {}} {
    take_searches(exec, cutter, queries);
  }

  void take_searches(Exec exec, workspace_cutter& cutter, index_t queries) noexcept {
    if (queries <= queries_) return;
    queries_ = queries;
    owner_.workspace = cutter.take_workspace(searches::workspace_bytes(exec, queries));
  }

  result build(Exec exec) noexcept {
    return build_point_bvh(exec, batch<view>{owner_.owned.points}, memory_, owner_.bvh);
  }

  auto const& arrays() const noexcept { return owner_.bvh.arrays(); }

  template <class Queries>
  result search(Exec exec, Queries const& queries, knn_params const& params,
                query_rows<knn_output<Scalar>> const& to) const noexcept {
    return searches::search(exec, owner_, queries, params, to);
  }

 private:
  /// Bytes of a BVH of up to `points` points.
  static std::size_t bvh_bytes(Exec exec, index_t points) noexcept {
    std::size_t bound = 0;
    static_cast<void>(point_bvh_bound<view>(exec, batch_limits{points, 1}, bound));
    return bound;
  }

  bytes memory_;
  index_t queries_ = -1;  ///< that the workspace is for
  knn_owner<Scalar, typename searches::bvh> owner_;
};

template <class Scalar>
struct owner_search<host_exec, Scalar> {
  using bvh = point_bvh<Scalar>;

  static std::size_t workspace_bytes(host_exec exec, index_t queries) noexcept {
    using view = point_view<Scalar>;
    return index_search_plan<view>{exec, 1, batch<view>{view{nullptr, queries}}}.bytes();
  }

  template <class Queries>
  static result search(host_exec exec, knn_owner<Scalar, bvh> const& owner, Queries const& queries,
                       knn_params const& params, query_rows<knn_output<Scalar>> const& to) noexcept {
    batch<Queries> const all{queries};
    bool const self = is_same_view(owner.owned.points, queries);
    bool const fits = !self && index_search_plan<Queries>{exec, 1, all}.bytes() <= owner.workspace.size();
    auto const write = [&](index_t row, auto const* keys, int count) {
      for (index_t j = 0; j < to.each; ++j) {
        bool const is_there = j < count;
        to.rows.indices.set(row * to.each + j, is_there ? owner.owned.names[index_t{keys[j].index()}] : -1);
        to.rows.distances[static_cast<std::size_t>(row * to.each + j)] =
            is_there ? keys[j].distance2() : no_distance<Scalar>;
      }
    };
    list_consumer const consumer{
        [&](index_t, index_t row, auto const* keys, int count) { write(row, keys, count); },
        [&](index_t row) { write(row, static_cast<neighbor_key<Scalar> const*>(nullptr), 0); }};
    knn_request<Scalar> request = request_of<Scalar>(params);
    request.excluded_points = owner.owned.excluded_points;
    knn_task<neighbor_key<Scalar>, Scalar, decltype(consumer)> const task{request, consumer,
                                                                          choose_knn_pass<Scalar>(request.k)};
    search_of_index<point_bvh<Scalar>, Queries> const searched{exec, owner.bvh, all, self,
                                                               fits ? owner.workspace : bytes{}};
    auto const found = searched(task, consumer.leave_empty);
    if (to.rows.report != nullptr) *to.rows.report = {found.non_finite_points, found.non_finite_queries, 0};
    return {};
  }
};

}  // namespace detail
FARPOINT_END_NAMESPACE

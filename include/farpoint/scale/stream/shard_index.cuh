/// @file
/// BVH of a rank's points on a CUDA stream, for knn_shard() and radius_shard().
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/point_bvh.cuh>
#include <farpoint/scale/stream/shard_index.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// One BVH answers the rank's own queries and the received ones.
template <class Points, class Method>
class shard_index<cuda_exec, Points, Method> {
 public:
  using scalar = typename Points::scalar;

  shard_index(cuda_exec exec, workspace_cutter& cutter, Points const& points, index_t queries) noexcept
      : points_{points}, memory_{cutter.take_workspace(point_bvh_bytes(exec, batch<Points>{points}))} {
    take_searches(exec, cutter, queries);
  }

  void take_searches(cuda_exec exec, workspace_cutter& cutter, index_t queries) noexcept {
    if (queries <= queries_) return;
    queries_ = queries;
    batch<point_view<scalar>> const all{point_view<scalar>{nullptr, queries}};
    workspace_ = cutter.take_workspace(knn_workspace_bytes(exec, device_point_bvh<scalar>{}, all));
  }

  result build(cuda_exec exec) noexcept { return build_point_bvh(exec, batch<Points>{points_}, memory_, index_); }

  auto const& arrays() const noexcept { return index_.arrays(); }

  /// Searches by enqueue_search(launcher, queries, method, to), which each method has. If the queries are the points,
  /// they are in the order of the leaves already.
  template <class Queries, class Output>
  result search(cuda_exec exec, Queries const& queries, Method const& method,
                query_rows<Output> const& to) const noexcept {
    auto const answer = [&](kernel_launcher& launcher, auto const& asked) {
      enqueue_search(launcher, asked, method, to);
    };
    batch<Queries> const all{queries};
    if (is_same_view(points_, queries))
      return index_search_of_points(exec, index_, all, nullptr, to.rows.report, answer);
    return index_search_on_device(exec, index_, all, to.rows.report, workspace_, answer);
  }

 private:
  Points points_;
  bytes memory_;
  bytes workspace_;
  index_t queries_ = -1;  ///< that the workspace is for
  device_point_bvh<scalar> index_{};
};

}  // namespace detail
FARPOINT_END_NAMESPACE

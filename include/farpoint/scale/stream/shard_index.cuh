/// @file
/// BVH of a rank's points on a CUDA stream, for knn_shard() and radius_shard().
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/point_bvh.cuh>
#include <farpoint/scale/stream/shard_index.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// One BVH answers the rank's own queries and the received ones.
template <class Points, class Params>
class shard_index<cuda_exec, Points, Params>
    : public part_index<cuda_exec, Points, device_point_bvh<typename Points::scalar>> {
  using base = part_index<cuda_exec, Points, device_point_bvh<typename Points::scalar>>;

 public:
  using scalar = typename Points::scalar;

  template <class Part>
  shard_index(cuda_exec exec, workspace_cutter& cutter, Part const& part, index_t queries) noexcept
      : base{exec, cutter, part} {
    take_searches(exec, cutter, queries);
  }

  void take_searches(cuda_exec exec, workspace_cutter& cutter, index_t queries) noexcept {
    if (queries <= queries_) return;
    queries_ = queries;
    batch<point_view<scalar>> const all{point_view<scalar>{nullptr, queries}};
    workspace_ = cutter.take_workspace(knn_workspace_bytes(exec, device_point_bvh<scalar>{}, all));
  }

  /// Searches by enqueue_search(launcher, queries, params, to), which each type of parameters has. If the queries are
  /// the points, they are in the order of the leaves already.
  template <class Queries, class Output>
  result search(cuda_exec exec, Queries const& queries, Params const& params, query_rows<Output> to) const noexcept {
    to.first_index = this->first_of(to.first_index);
    auto const answer = [&](kernel_launcher& launcher, auto const& asked, bytes) {
      enqueue_search(launcher, asked, params, to);
    };
    bool const self = is_same_view(this->points_, queries);
    result const done = search_on_device<knn_selector>(exec, this->index_, batch<Queries>{queries}, self,
                                                       to.rows.report, self ? bytes{} : workspace_, to.each, answer);
    return done ? this->name(exec, to.rows.indices, queries.size() * to.each) : done;
  }

 private:
  bytes workspace_;
  index_t queries_ = -1;  ///< that the workspace is for
};

}  // namespace detail
FARPOINT_END_NAMESPACE

/// @file
/// A cluster of blocks per cloud, over clouds that were sorted before (sm_90 and later).
#pragma once

#include <farpoint/detail/fps/multi_block_args.cuh>

#include <cooperative_groups.h>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Blocks of a cluster raise 32-bit counters in each other's shared memory. 64-bit ones lose updates that way (h200,
/// CUDA 13.0), so that double coordinates go to a grid.
template <class Scalar>
inline constexpr bool fps_has_clusters = sizeof(Scalar) == sizeof(unsigned);

/// Cluster c samples cloud c.
template <class Config>
__global__ void __launch_bounds__(Config::block_size) fps_cluster_kernel(fps_multi_block_args<Config> const args) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  __shared__ typename Config::shared own;
  __shared__ typename Config::counters counters;
  __shared__ typename Config::exchange exchange;

  // Clouds that overlap have no order of their own, and would have the same memory for their points.
  if (*args.call.bad_offsets != 0) return fps_leave_empty<Config::block_size>(args.call);
  auto group = cooperative_groups::this_cluster();
  int const rank = static_cast<int>(group.block_rank());
  int const blocks = static_cast<int>(group.num_blocks());
  index_t const b = blockIdx.x / group.num_blocks();
  auto const cloud = args.call.clouds[b];
  auto const partition = args.sorted.partition_of(args.call.clouds, b, cloud.size(), rank, blocks, args.shared_bytes);
  if (threadIdx.x == 0) counters = {};
  // No block may reach into another's shared memory before that runs, or after it has ended.
  group.sync();
  fps_run_rounds<Config>(args.call, b, cloud, partition, args.sorted.order + args.call.clouds.begin_of(b), group,
                         {own, group.map_shared_rank(&counters, 0), group.map_shared_rank(&exchange, 0)});
  group.sync();
#endif
}

}  // namespace detail
FARPOINT_END_NAMESPACE

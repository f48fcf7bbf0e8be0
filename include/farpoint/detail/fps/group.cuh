/// @file
/// Teams: the blocks that sample one cloud together.
///
/// A group has a rank, a size, a barrier, and memory that all members reach (`tally`, `board`). Rank 0 leads. In a
/// group of one these are the block's own.
#pragma once

#include <farpoint/detail/fps/round_memory.cuh>
#include <farpoint/grid/grid_barrier.cuh>

#include <cooperative_groups.h>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// One block.
struct fps_block_group {
  __device__ int block_rank() const noexcept { return 0; }
  __device__ int num_blocks() const noexcept { return 1; }
  __device__ void sync() const noexcept { __syncthreads(); }
};

/// The blocks of a cluster, which reach into each other's shared memory (sm_90 and later).
struct fps_cluster_group {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  __device__ int block_rank() const noexcept {
    return static_cast<int>(cooperative_groups::this_cluster().block_rank());
  }
  __device__ int num_blocks() const noexcept {
    return static_cast<int>(cooperative_groups::this_cluster().num_blocks());
  }
  __device__ void sync() const noexcept {
    cooperative_groups::this_cluster().sync();
  }

  /// Where the leader keeps what is at `mine` in this block's shared memory.
  template <class T>
  __device__ T* of_leader(T* mine) const noexcept {
    return cooperative_groups::this_cluster().map_shared_rank(mine, 0);
  }
#endif
};

}  // namespace detail
FARPOINT_END_NAMESPACE

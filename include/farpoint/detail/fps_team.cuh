/// @file
/// Teams: the blocks that sample one cloud together.
///
/// A team has a rank, a size, a barrier, and memory that all members reach (`tally`, `board`). Rank 0 leads. In a team
/// of one these are the block's own.
#pragma once

#include <farpoint/detail/fps_rounds_memory.cuh>

#include <cooperative_groups.h>
#include <cuda/atomic>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// One block.
struct fps_block_team {
  __device__ int rank() const noexcept { return 0; }
  __device__ int size() const noexcept { return 1; }
  __device__ void sync() const noexcept { __syncthreads(); }
};

/// The blocks of a cluster, which reach into each other's shared memory (sm_90 and later).
struct fps_cluster_team {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  __device__ int rank() const noexcept {
    return static_cast<int>(cooperative_groups::this_cluster().block_rank());
  }
  __device__ int size() const noexcept {
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

/// Some blocks of a grid that are all resident (cooperative launch), and meet in global memory.
class fps_grid_team {
 public:
  /// @param arrivals  zero when the kernel starts; counts on from one barrier to the next
  __device__ fps_grid_team(int rank, int size, unsigned* arrivals) noexcept
      : rank_{rank}, size_{size}, arrivals_{arrivals} {}

  __device__ int rank() const noexcept { return rank_; }
  __device__ int size() const noexcept { return size_; }

  __device__ void sync() noexcept {
    __syncthreads();
    if (threadIdx.x == 0 && size_ > 1) {
      expected_ += static_cast<unsigned>(size_);
      cuda::atomic_ref<unsigned, cuda::thread_scope_device> arrivals{*arrivals_};
      // The fences make the barrier one for the whole block's reads and writes, not for this thread's alone.
      __threadfence();
      arrivals.fetch_add(1, cuda::memory_order_release);
      // Signed difference: the counter may wrap around.
      while (static_cast<int>(arrivals.load(cuda::memory_order_acquire) - expected_) < 0) {
      }
      __threadfence();
    }
    __syncthreads();
  }

 private:
  int rank_;
  int size_;
  unsigned* arrivals_;
  unsigned expected_ = 0;
};

}  // namespace detail
FARPOINT_END_NAMESPACE

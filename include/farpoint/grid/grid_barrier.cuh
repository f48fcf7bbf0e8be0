/// @file
/// Barrier for blocks of one grid.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/core/atomic.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Barrier for blocks that are all resident: the blocks of a cooperative launch, or some blocks.
///
/// cooperative_groups::grid_group covers all blocks of a grid. This barrier covers any group, also several groups side
/// by side, and costs one addition and a spinning load per block and round. Blocks that are not resident together
/// deadlock.
class grid_barrier {
 public:
  /// Constructs the calling block's handle, which it keeps from round to round.
  /// @param rank      rank of the calling block in its group
  /// @param size      number of blocks of the group
  /// @param arrivals  the group's own word in device memory, zero when the kernel starts
  __device__ grid_barrier(int rank, int size, unsigned* arrivals) noexcept
      : rank_{rank}, size_{size}, arrivals_{arrivals} {}

  __device__ int block_rank() const noexcept { return rank_; }
  __device__ int num_blocks() const noexcept { return size_; }

  /// Waits for all blocks of the group; all their threads must call it. Writes of any of these threads before the call
  /// are visible to all threads afterwards.
  __device__ void sync() noexcept {
    // Release and acquire by one thread suffice: they are cumulative, so they also order the accesses of the block's
    // other threads, which __syncthreads() orders before and after them.
    __syncthreads();
    if (threadIdx.x == 0 && size_ > 1) {
      expected_ += static_cast<unsigned>(size_);
      asm volatile("red.release.gpu.add.u32 [%0], 1;" ::"l"(arrivals_) : "memory");
      // The difference is signed, since the counter may wrap around.
      while (static_cast<int>(atomic_load_acquire(arrivals_) - expected_) < 0) {
      }
    }
    __syncthreads();
  }

 private:
  int rank_;
  int size_;
  unsigned* arrivals_;
  unsigned expected_ = 0;
};

FARPOINT_END_NAMESPACE

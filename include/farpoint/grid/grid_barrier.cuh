/// @file
/// A barrier for blocks of one grid.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/core/atomic.hpp>

FARPOINT_BEGIN_NAMESPACE

/// A barrier for blocks that are all resident: those of a cooperative launch, or some of them.
///
/// cooperative_groups::grid_group is for all blocks of a grid, and synchronises in one piece. This is for any group of
/// them, several side by side, and costs one addition and a spinning load per block and round. Blocks that are not
/// resident together deadlock.
class grid_barrier {
 public:
  /// Each block makes one, and keeps it from one round to the next.
  /// @param rank      of the calling block in its group, from 0 on
  /// @param size      blocks of the group
  /// @param arrivals  the group's own word in device memory, zero when the kernel starts
  __device__ grid_barrier(int rank, int size, unsigned* arrivals) noexcept
      : rank_{rank}, size_{size}, arrivals_{arrivals} {}

  __device__ int block_rank() const noexcept { return rank_; }
  __device__ int num_blocks() const noexcept { return size_; }

  /// Waits for all blocks of the group; all threads of each call it. What any of these threads wrote before is visible
  /// to all of them afterwards.
  __device__ void sync() noexcept {
    // One thread's release and acquire carry, beyond its own reads and writes, those that __syncthreads() orders before
    // and behind.
    __syncthreads();
    if (threadIdx.x == 0 && size_ > 1) {
      expected_ += static_cast<unsigned>(size_);
      asm volatile("red.release.gpu.add.u32 [%0], 1;" ::"l"(arrivals_) : "memory");
      // Signed difference: the counter may wrap around.
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

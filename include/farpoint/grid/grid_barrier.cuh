/// @file
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/core/atomic.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Some blocks of a grid that are all resident (cooperative launch), and meet in global memory.
class grid_barrier {
 public:
  /// @param arrivals  zero when the kernel starts; counts on from one barrier to the next
  __device__ grid_barrier(int rank, int size, unsigned* arrivals) noexcept
      : rank_{rank}, size_{size}, arrivals_{arrivals} {}

  __device__ int block_rank() const noexcept { return rank_; }
  __device__ int num_blocks() const noexcept { return size_; }

  /// What any thread of the blocks wrote before is visible to all of them afterwards: one thread's release and acquire
  /// carry, beyond its own reads and writes, those that __syncthreads() orders before and behind.
  __device__ void sync() noexcept {
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

}  // namespace detail
FARPOINT_END_NAMESPACE

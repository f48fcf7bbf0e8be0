/// @file
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/core/config.hpp>

#include <cuda/atomic>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Some blocks of a grid that are all resident (cooperative launch), and meet in global memory.
class grid_team {
 public:
  /// @param arrivals  zero when the kernel starts; counts on from one barrier to the next
  __device__ grid_team(int rank, int size, unsigned* arrivals) noexcept
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

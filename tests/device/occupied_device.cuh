// A kernel of somebody else's that has most of the device for itself until it is told to end.
#pragma once

#include <farpoint/core/status.hpp>
#include <farpoint/grid/kernel_launcher.cuh>

#include <chrono>

#include "../catch.hpp"
#include "cuda_check.hpp"

namespace farpoint_tests {

/// Ends after some seconds in any case: a test that waits for it fails, and does not hang.
/// @param over  in host memory: at least `number` once it may end
template <class Word>
__global__ void occupying_kernel(Word const* over, Word number) {
  if (threadIdx.x == 0) {
    unsigned long long begin = 0;
    unsigned long long now = 0;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
    do {
      asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    } while (*static_cast<Word const volatile*>(over) < number && now - begin < 10'000'000'000ull);
  }
  __syncthreads();
}

/// Leaves room on some multiprocessors only, while it lives. One at a time.
class occupied_device {
 public:
  explicit occupied_device(int free_multiprocessors) : number_{++over().numbers} {
    int least = 0;
    int greatest = 0;
    REQUIRE_CUDA(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    // Not one of the queues that other streams share.
    REQUIRE_CUDA(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, greatest));
    auto const device = farpoint::detail::device_properties::current();
    auto const bytes = static_cast<std::size_t>(device.shared_bytes);
    auto const kernel = reinterpret_cast<void const*>(occupying_kernel<unsigned>);
    REQUIRE_CUDA(farpoint::detail::allow_dynamic_shared(kernel, bytes));
    unsigned const* word = over().word;
    unsigned number = number_;
    void* arguments[] = {&word, &number};
    auto const blocks = static_cast<unsigned>(device.multiprocessors - free_multiprocessors);
    REQUIRE_CUDA(cudaLaunchKernel(kernel, dim3(blocks), dim3(1024), arguments, bytes, stream_));
  }
  occupied_device(occupied_device const&) = delete;
  occupied_device& operator=(occupied_device const&) = delete;
  ~occupied_device() {
    *static_cast<unsigned volatile*>(over().word) = number_;
    cudaStreamSynchronize(stream_);
    cudaStreamDestroy(stream_);
  }

  /// What is on the stream ends beside the kernel.
  void check_ends(cudaStream_t stream) const {
    auto const end = std::chrono::steady_clock::now() + std::chrono::seconds{5};
    while (cudaStreamQuery(stream) == cudaErrorNotReady && std::chrono::steady_clock::now() < end) {
    }
    CHECK(cudaStreamQuery(stream) == cudaSuccess);
    CHECK(cudaStreamQuery(stream_) == cudaErrorNotReady);
    (void)cudaGetLastError();
  }

 private:
  struct over_word {
    unsigned numbers = 0;
    unsigned* word = nullptr;

    over_word() {
      REQUIRE_CUDA(cudaMallocHost(&word, sizeof *word));
      *word = 0;
    }
  };
  /// Kept, as a new one in the same place could be taken for the old one.
  static over_word& over() {
    static over_word one;
    return one;
  }

  unsigned number_;
  cudaStream_t stream_ = nullptr;
};

/// A call on a stream ends while a kernel of somebody else's has all multiprocessors but one.
/// @param enqueue   `enqueue(stream)`: makes the call; the first time it may allocate
/// @param is_right  `is_right(result)`: whether the answer, after the stream was synchronised, is the right one
template <class Enqueue, class IsRight>
void check_runs_beside(Enqueue const& enqueue, IsRight const& is_right) {
  test_stream const stream;
  // Also loads the kernels, for which the device must be idle.
  REQUIRE(enqueue(stream.get()));
  REQUIRE_CUDA(cudaStreamSynchronize(stream.get()));
  farpoint::result outcome;
  {
    occupied_device const occupied{1};
    outcome = enqueue(stream.get());
    occupied.check_ends(stream.get());
  }
  REQUIRE_CUDA(cudaStreamSynchronize(stream.get()));
  CHECK(is_right(outcome));
}

}  // namespace farpoint_tests

// Fewer multiprocessors than the device has: some occupied by a foreign kernel, or a stream of a green context.
#pragma once

#include <farpoint/core/status.hpp>

#include <chrono>
#include <functional>
#include <thread>

#include <cuda.h>

#include "../catch.hpp"
#include "cuda_check.hpp"

namespace farpoint_tests {

/// Counts its arrival, and spins until it is released or 20 s have passed: a test that waits for it then fails instead
/// of hanging.
static __global__ void hold_kernel(unsigned* arrived, unsigned const volatile* released) {
  if (threadIdx.x == 0) {
    atomicAdd_system(arrived, 1u);
    unsigned long long begin = 0, now = 0;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
    do {
      __nanosleep(2000);
      asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    } while (*released == 0 && now - begin < 20'000'000'000ull);
  }
  __syncthreads();
}

inline int multiprocessor_count() {
  int count = 0;
  REQUIRE_CUDA(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0));
  return count;
}

/// Waits until the stream is done, for at most `time`. Returns false on timeout.
inline bool finishes_within(cudaStream_t stream, std::chrono::milliseconds time) {
  auto const end = std::chrono::steady_clock::now() + time;
  while (true) {
    cudaError_t const state = cudaStreamQuery(stream);
    if (state == cudaSuccess) return true;
    if (state != cudaErrorNotReady) REQUIRE_CUDA(state);
    (void)cudaGetLastError();
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::yield();
  }
}

/// Occupies `count` multiprocessors during its lifetime, each by a block with all shared memory and half of the
/// threads.
class held_multiprocessors {
 public:
  explicit held_multiprocessors(int count) {
    int least = 0, greatest = 0, most = 0;
    REQUIRE_CUDA(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    // Streams of equal priority may share a hardware queue, in which later work waits for earlier work.
    REQUIRE_CUDA(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, greatest));
    REQUIRE_CUDA(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    REQUIRE_CUDA(cudaFuncSetAttribute(hold_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most));
    REQUIRE_CUDA(cudaHostAlloc(&words_, 2 * sizeof *words_, cudaHostAllocMapped));
    words_[0] = words_[1] = 0;
    unsigned* mapped = nullptr;
    REQUIRE_CUDA(cudaHostGetDevicePointer(&mapped, words_, 0));
    hold_kernel<<<static_cast<unsigned>(count), 1024, static_cast<std::size_t>(most), stream_>>>(mapped, mapped + 1);
    REQUIRE_CUDA(cudaGetLastError());
    auto const end = std::chrono::steady_clock::now() + std::chrono::seconds{10};
    while (*static_cast<unsigned volatile*>(words_) < static_cast<unsigned>(count)) {
      if (std::chrono::steady_clock::now() > end) {
        release();
        throw std::runtime_error{"the multiprocessors could not be held"};
      }
      std::this_thread::yield();
    }
  }
  held_multiprocessors(held_multiprocessors const&) = delete;
  held_multiprocessors& operator=(held_multiprocessors const&) = delete;
  ~held_multiprocessors() { release(); }

  /// Checks that work on `stream` ends while the multiprocessors are occupied.
  void check_ends(cudaStream_t stream) const {
    // Other processes may have the device for most of the time.
    CHECK(finishes_within(stream, std::chrono::seconds{15}));
    CHECK(cudaStreamQuery(stream_) == cudaErrorNotReady);
    (void)cudaGetLastError();
  }

 private:
  // The kernel does not end by itself.
  void release() {
    static_cast<unsigned volatile*>(words_)[1] = 1;
    cudaStreamSynchronize(stream_);
    cudaStreamDestroy(stream_);
    cudaFreeHost(words_);
  }

  cudaStream_t stream_ = nullptr;
  unsigned* words_ = nullptr;  ///< number of running blocks, and a flag that ends them
};

/// Checks that a call on a stream ends while a foreign kernel occupies some multiprocessors.
/// @param held      number of occupied multiprocessors
/// @param enqueue   `enqueue(stream)`: makes the call; the first time it may allocate
/// @param is_right  `is_right(result)`: whether the answer is right, after the stream was synchronized
inline void check_runs_beside(int held, std::function<farpoint::result(cudaStream_t)> const& enqueue,
                              std::function<bool(farpoint::result const&)> const& is_right) {
  test_stream const stream;
  // Also loads the kernels, for which the device must be idle.
  farpoint::result outcome = enqueue(stream.get());
  REQUIRE(outcome.code == farpoint::status::ok);
  REQUIRE_CUDA(cudaStreamSynchronize(stream.get()));
  {
    held_multiprocessors const others{held};
    outcome = enqueue(stream.get());
    others.check_ends(stream.get());
  }
  REQUIRE_CUDA(cudaStreamSynchronize(stream.get()));
  CHECK(is_right(outcome));
}

#if CUDART_VERSION >= 12050

/// Stream of a green context with `multiprocessors` multiprocessors, rounded up to a number that the device supports.
class green_stream {
 public:
  /// @param are_neighbors  whether to take multiprocessors of one graphics processing cluster, if it has enough
  explicit green_stream(unsigned multiprocessors, bool are_neighbors = true) {
    if (split_ == nullptr || create_ == nullptr || create_stream_ == nullptr) return;
    CUdevResource all{}, part{}, rest{};
    CUdevResourceDesc description{};
    unsigned parts = 1;
    unsigned const flags = are_neighbors ? 0 : CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING;
    if (resource_(0, &all, CU_DEV_RESOURCE_TYPE_SM) != CUDA_SUCCESS) return;
    if (split_(&part, &parts, &all, &rest, flags, multiprocessors) != CUDA_SUCCESS || parts == 0) return;
    if (describe_(&description, &part, 1) != CUDA_SUCCESS) return;
    if (create_(&context_, description, 0, CU_GREEN_CTX_DEFAULT_STREAM) != CUDA_SUCCESS) return;
    CUstream made = nullptr;
    if (create_stream_(&made, context_, CU_STREAM_NON_BLOCKING, 0) == CUDA_SUCCESS) stream_ = made;
    multiprocessors_ = static_cast<int>(part.sm.smCount);
  }
  green_stream(green_stream const&) = delete;
  green_stream& operator=(green_stream const&) = delete;
  ~green_stream() {
    if (stream_ != nullptr) cudaStreamDestroy(stream_);
    if (context_ != nullptr) destroy_(context_);
  }
  /// Returns false if the device or the driver does not support green contexts.
  explicit operator bool() const { return stream_ != nullptr; }
  cudaStream_t get() const { return stream_; }
  int multiprocessors() const { return multiprocessors_; }

  /// Makes the context current for runtime calls of this thread.
  void make_current() const {
    CUcontext context = nullptr;
    if (context_of_(&context, context_) != CUDA_SUCCESS || set_current_(context) != CUDA_SUCCESS) {
      throw std::runtime_error{"the green context could not be made current"};
    }
  }

 private:
  template <class Function>
  static Function* driver_function(char const* name, Function*) {
    void* entry = nullptr;
    cudaDriverEntryPointQueryResult found{};
    REQUIRE_CUDA(cudaGetDriverEntryPointByVersion(name, &entry, 12050, cudaEnableDefault, &found));
    return reinterpret_cast<Function*>(entry);
  }
#define DRIVER_FUNCTION(name) driver_function(#name, static_cast<decltype(&name)>(nullptr))
  decltype(&cuDeviceGetDevResource) resource_ = DRIVER_FUNCTION(cuDeviceGetDevResource);
  decltype(&cuDevSmResourceSplitByCount) split_ = DRIVER_FUNCTION(cuDevSmResourceSplitByCount);
  decltype(&cuDevResourceGenerateDesc) describe_ = DRIVER_FUNCTION(cuDevResourceGenerateDesc);
  decltype(&cuGreenCtxCreate) create_ = DRIVER_FUNCTION(cuGreenCtxCreate);
  decltype(&cuGreenCtxDestroy) destroy_ = DRIVER_FUNCTION(cuGreenCtxDestroy);
  decltype(&cuGreenCtxStreamCreate) create_stream_ = DRIVER_FUNCTION(cuGreenCtxStreamCreate);
  decltype(&cuCtxFromGreenCtx) context_of_ = DRIVER_FUNCTION(cuCtxFromGreenCtx);
  decltype(&cuCtxSetCurrent) set_current_ = DRIVER_FUNCTION(cuCtxSetCurrent);
#undef DRIVER_FUNCTION

  CUgreenCtx context_ = nullptr;
  cudaStream_t stream_ = nullptr;
  int multiprocessors_ = 0;
};

#endif

}  // namespace farpoint_tests

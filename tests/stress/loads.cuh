// Foreign load on the GPU. All of it ends by itself after some seconds, even if the host process ends.
#pragma once

#include <cuda_runtime.h>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "../support/device/cuda_check.hpp"
#include "named.hpp"

namespace farpoint_stress {

using farpoint_tests::test_stream;

inline int multiprocessors() {
  int count = 0;
  REQUIRE_CUDA(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0));
  return count;
}

/// Arguments of resident_kernel().
struct resident_args {
  int volatile* stop;          ///< in mapped host memory
  int volatile* all_run;       ///< in mapped host memory; set when all blocks run
  unsigned* running;           ///< number of blocks that have started
  unsigned volatile* stopped;  ///< copy of `stop` for blocks other than block 0: polling host memory slows everything
  long long longest;           ///< limit in cycles
};

/// Spins until the host sets `stop`, or for `longest` cycles.
static __global__ void resident_kernel(resident_args args) {
  if (threadIdx.x != 0) return;
  long long const start = clock64();
  if (atomicAdd(args.running, 1u) + 1 == gridDim.x) *args.all_run = 1;
  while (clock64() - start < args.longest) {
    if (blockIdx.x == 0 && *args.stop != 0) *args.stopped = 1;
    if (*args.stopped != 0) break;
    __nanosleep(20000);
  }
}

/// Load on the GPU.
class load : public named {
 public:
  using named::named;

  /// Starts the load, and returns when it runs.
  virtual void start() = 0;
  /// Stops the load, and returns when it has ended.
  virtual void stop() = 0;
};

/// Share of a multiprocessor that a resident block occupies.
enum class resident_size {
  all,  ///< all shared memory, so that no other block fits
  warp  ///< one warp
};

/// A kernel that occupies multiprocessors until stop(), as a persistent kernel does.
class resident_load : public load {
 public:
  resident_load(std::string name, int blocks, resident_size size) : load{std::move(name)}, blocks_{blocks} {
    if (size == resident_size::all) {
      int most = 0;
      REQUIRE_CUDA(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
      REQUIRE_CUDA(cudaFuncSetAttribute(resident_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most));
      shared_bytes_ = static_cast<std::size_t>(most);
    }
    // The first block on a multiprocessor fixes its carve-out of shared memory. A small carve-out would keep out all
    // kernels that need more shared memory, which is not what this load is to test.
    REQUIRE_CUDA(cudaFuncSetAttribute(resident_kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                                      cudaSharedmemCarveoutMaxShared));
    void* flags = nullptr;
    REQUIRE_CUDA(cudaHostAlloc(&flags, 2 * sizeof(int), cudaHostAllocMapped));
    REQUIRE_CUDA(cudaHostGetDevicePointer(&device_flags_, flags, 0));
    flags_ = static_cast<int*>(flags);
    REQUIRE_CUDA(cudaMalloc(&counters_, 2 * sizeof(unsigned)));
  }
  ~resident_load() override {
    flags_[0] = 1;
    cudaStreamSynchronize(stream_.get());
    cudaFree(counters_);
    cudaFreeHost(const_cast<int*>(flags_));
  }

  void start() override {
    flags_[0] = flags_[1] = 0;
    REQUIRE_CUDA(cudaMemsetAsync(counters_, 0, 2 * sizeof(unsigned), stream_.get()));
    resident_kernel<<<static_cast<unsigned>(blocks_), 32, shared_bytes_, stream_.get()>>>(
        {device_flags_, device_flags_ + 1, counters_, counters_ + 1, longest});
    REQUIRE_CUDA(cudaGetLastError());
    auto const end = std::chrono::steady_clock::now() + std::chrono::seconds{5};
    while (flags_[1] == 0) {
      if (std::chrono::steady_clock::now() > end) throw std::runtime_error{name() + ": the blocks do not all run"};
      std::this_thread::yield();
    }
  }
  void stop() override {
    flags_[0] = 1;
    REQUIRE_CUDA(cudaStreamSynchronize(stream_.get()));
  }

 private:
  static constexpr long long longest = 30'000'000'000;  ///< in cycles, about 15 s

  int blocks_;
  std::size_t shared_bytes_ = 0;
  test_stream stream_;
  int volatile* flags_ = nullptr;  ///< stop, all_run: host address
  int* device_flags_ = nullptr;    ///< stop, all_run: device address
  unsigned* counters_ = nullptr;   ///< running, stopped
};

/// Spins for `cycles` cycles. Any number of blocks may run it.
static __global__ void brief_kernel(long long cycles) {
  long long const start = clock64();
  while (clock64() - start < cycles) {
  }
}

/// Kernels of about 50 us, back to back.
class busy_load : public load {
 public:
  busy_load(std::string name, int blocks) : load{std::move(name)}, blocks_{blocks} {
    for (auto& event : events_) REQUIRE_CUDA(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  }
  ~busy_load() override {
    stop();
    for (auto const event : events_) cudaEventDestroy(event);
  }

  void start() override {
    goes_on_ = true;
    feeder_ = std::thread{[this] { feed(); }};
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
  }
  void stop() override {
    goes_on_ = false;
    if (feeder_.joinable()) feeder_.join();
    REQUIRE_CUDA(cudaStreamSynchronize(stream_.get()));
  }

 private:
  void feed() {
    // Keeps at least one batch of kernels enqueued, and at most two.
    for (std::size_t turn = 0; goes_on_; turn = 1 - turn) {
      cudaEventSynchronize(events_[turn]);
      for (int i = 0; i < 20; ++i) brief_kernel<<<static_cast<unsigned>(blocks_), 256, 0, stream_.get()>>>(90000);
      cudaEventRecord(events_[turn], stream_.get());
    }
  }

  int blocks_;
  test_stream stream_;
  cudaEvent_t events_[2] = {};
  std::atomic<bool> goes_on_{false};
  std::thread feeder_;
};

}  // namespace farpoint_stress

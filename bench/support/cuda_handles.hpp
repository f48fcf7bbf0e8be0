/// @file
/// Owners of device memory, streams, events and graphs.
#pragma once

#include "cuda_check.hpp"

#include <cstddef>
#include <vector>

namespace farpoint_bench {

/// `size()` elements of device memory.
template <class T>
class device_buffer {
 public:
  explicit device_buffer(std::size_t size) : size_{size} {
    if (size > 0) check(cudaMalloc(reinterpret_cast<void**>(&data_), size * sizeof(T)), "cudaMalloc");
  }
  explicit device_buffer(std::vector<T> const& values) : device_buffer{values.size()} {
    check(cudaMemcpy(data_, values.data(), size_ * sizeof(T), cudaMemcpyHostToDevice), "cudaMemcpy to the device");
  }
  device_buffer(device_buffer const&) = delete;
  device_buffer& operator=(device_buffer const&) = delete;
  ~device_buffer() { static_cast<void>(cudaFree(data_)); }

  T* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }

  /// A copy in host memory; waits for the device.
  std::vector<T> download() const {
    std::vector<T> values(size_);
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    check(cudaMemcpy(values.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost), "cudaMemcpy to the host");
    return values;
  }

 private:
  T* data_ = nullptr;
  std::size_t size_;
};

/// A stream that does not wait for the default stream.
class owned_stream {
 public:
  owned_stream() { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags"); }
  owned_stream(owned_stream const&) = delete;
  owned_stream& operator=(owned_stream const&) = delete;
  ~owned_stream() { static_cast<void>(cudaStreamDestroy(stream_)); }
  cudaStream_t get() const noexcept { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

/// An event with a time stamp.
class owned_event {
 public:
  owned_event() { check(cudaEventCreate(&event_), "cudaEventCreate"); }
  owned_event(owned_event const&) = delete;
  owned_event& operator=(owned_event const&) = delete;
  ~owned_event() { static_cast<void>(cudaEventDestroy(event_)); }
  cudaEvent_t get() const noexcept { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

/// What `launch(stream)` enqueues, captured once to be replayed. Captured work that is not capturable is an error here.
class owned_graph {
 public:
  template <class Launch>
  owned_graph(cudaStream_t stream, Launch&& launch) {
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
    cudaGraph_t graph = nullptr;
    try {
      launch(stream);
    } catch (...) {
      // The stream would stay in capture mode, and fail whatever uses it next.
      static_cast<void>(cudaStreamEndCapture(stream, &graph));
      if (graph != nullptr) static_cast<void>(cudaGraphDestroy(graph));
      throw;
    }
    check(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
#if CUDART_VERSION >= 12000
    cudaError_t const instantiated = cudaGraphInstantiate(&executable_, graph, 0);
#else
    cudaError_t const instantiated = cudaGraphInstantiate(&executable_, graph, nullptr, nullptr, 0);
#endif
    static_cast<void>(cudaGraphDestroy(graph));
    check(instantiated, "cudaGraphInstantiate");
  }
  owned_graph(owned_graph const&) = delete;
  owned_graph& operator=(owned_graph const&) = delete;
  ~owned_graph() {
    static_cast<void>(cudaGraphExecDestroy(executable_));
  }

  void launch(cudaStream_t stream) const {
    check(cudaGraphLaunch(executable_, stream), "cudaGraphLaunch");
  }

 private:
  cudaGraphExec_t executable_ = nullptr;
};

}  // namespace farpoint_bench

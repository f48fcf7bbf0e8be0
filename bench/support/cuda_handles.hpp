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

/// Owns a CUDA object. @tparam Destroy  e.g. cudaStreamDestroy
template <class Handle, cudaError_t (*Destroy)(Handle)>
class owned_handle {
 public:
  owned_handle(owned_handle const&) = delete;
  owned_handle& operator=(owned_handle const&) = delete;
  ~owned_handle() {
    // Null where the constructor threw.
    if (handle_ != nullptr) static_cast<void>(Destroy(handle_));
  }
  Handle get() const noexcept { return handle_; }

 protected:
  owned_handle() = default;
  Handle handle_ = nullptr;
};

/// A stream that does not wait for the default stream.
struct owned_stream : owned_handle<cudaStream_t, cudaStreamDestroy> {
  owned_stream() { check(cudaStreamCreateWithFlags(&handle_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags"); }
};

/// An event with a time stamp.
struct owned_event : owned_handle<cudaEvent_t, cudaEventDestroy> {
  owned_event() { check(cudaEventCreate(&handle_), "cudaEventCreate"); }
};

/// Captures the work that `launch(stream)` enqueues, for replays. Throws if it cannot be captured.
class owned_graph : public owned_handle<cudaGraphExec_t, cudaGraphExecDestroy> {
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
    cudaError_t const instantiated = cudaGraphInstantiate(&handle_, graph, 0);
#else
    cudaError_t const instantiated = cudaGraphInstantiate(&handle_, graph, nullptr, nullptr, 0);
#endif
    static_cast<void>(cudaGraphDestroy(graph));
    check(instantiated, "cudaGraphInstantiate");
  }

  void launch(cudaStream_t stream) const {
    check(cudaGraphLaunch(handle_, stream), "cudaGraphLaunch");
  }
};

}  // namespace farpoint_bench

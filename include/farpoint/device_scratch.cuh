/// @file
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/core/cuda_exec.cuh>
#include <farpoint/core/status.hpp>
#include <farpoint/core/types.hpp>
#include <farpoint/core/workspace.hpp>

#include <cuda_runtime_api.h>
#include <utility>

FARPOINT_BEGIN_NAMESPACE

/// Device memory for the workspaces of calls, 256-byte aligned, which it owns: host_scratch on a stream.
///
/// It allocates where reserve() is called, and nowhere else: from the device's pool, in the order of the stream,
/// without synchronization. It converts to `bytes`, so that it can be passed as a workspace. Its memory is for the
/// stream of its reserve(), and may be given back as soon as the calls that use it have returned: the stream does so in
/// its order. Movable; what it holds stays where it is.
class device_scratch : public detail::scratch_memory {
 public:
  device_scratch() = default;
  device_scratch(device_scratch&&) noexcept = default;
  device_scratch& operator=(device_scratch&& other) noexcept {
    swap(other);
    std::swap(stream_, other.stream_);
    return *this;
  }
  ~device_scratch() { static_cast<void>(release()); }

  /// Makes the memory at least `size` bytes large, on this stream. Memory that grows or changes its stream is
  /// reallocated, and its content is lost. Not while the stream is captured: the memory would be the graph's.
  /// @return ok | out_of_memory | cuda_failure; then it holds nothing
  result reserve(cuda_exec exec, std::size_t size) noexcept {
    if (size <= size_ && (exec.stream == stream_ || size == 0)) return {};
    if (result const released = release(); !released) return released;
    cudaError_t const error = cudaMallocAsync(&data_, size, exec.stream);
    if (error == cudaErrorMemoryAllocation) {
      data_ = nullptr;
      return {status::out_of_memory, error, "scratch: the device has not so much memory"};
    }
    if (error != cudaSuccess) data_ = nullptr;
    if (error == cudaSuccess) size_ = size;
    stream_ = exec.stream;
    return detail::cuda_failure(error, "scratch: the memory could not be allocated");
  }
  /// Gives the memory back, when the stream has passed what was enqueued before.
  result release() noexcept {
    if (data_ == nullptr) return {};
    size_ = 0;
    cudaError_t const error = cudaFreeAsync(std::exchange(data_, nullptr), stream_);
    return detail::cuda_failure(error, "scratch: the memory could not be given back");
  }

 private:
  cudaStream_t stream_ = nullptr;
};

FARPOINT_END_NAMESPACE

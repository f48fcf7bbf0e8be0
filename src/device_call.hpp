// What the CUDA halves of the library's functions share.
#pragma once

#include <farpoint/core/index_span.hpp>
#include <farpoint/core/status.hpp>

#include "device_buffer.hpp"

#include <cstdio>

FARPOINT_BEGIN_NAMESPACE
namespace runtime::detail {

class scoped_stream {
 public:
  explicit scoped_stream(cudaError_t& error) noexcept {
    if (error == cudaSuccess) error = cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking);
  }
  scoped_stream(scoped_stream const&) = delete;
  scoped_stream& operator=(scoped_stream const&) = delete;
  ~scoped_stream() {
    if (stream_ != nullptr) cudaStreamDestroy(stream_);
  }
  cudaStream_t get() const noexcept { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

inline std::size_t index_bytes(bool wide) noexcept {
  return wide ? sizeof(std::int64_t) : sizeof(std::int32_t);
}

inline index_span as_indices(device_buffer const& buffer, bool wide) noexcept {
  if (wide) return buffer.as<std::int64_t>();
  return buffer.as<std::int32_t>();
}

/// What a refused CUDA call is for the caller, in the words of one of the library's functions.
inline result failed(cudaError_t error, char const* out_of_memory, char const* other) noexcept {
  if (error == cudaErrorMemoryAllocation) return {status::out_of_memory, static_cast<int>(error), out_of_memory};
  return {status::cuda_failure, static_cast<int>(error), other};
}

/// The current device's name, for run_info.
inline void tell_device(char* name, std::size_t size, cudaError_t& error) noexcept {
  int device = 0;
  cudaDeviceProp properties{};
  if (error == cudaSuccess) error = cudaGetDevice(&device);
  if (error == cudaSuccess) error = cudaGetDeviceProperties(&properties, device);
  if (error == cudaSuccess) std::snprintf(name, size, "%s", properties.name);
}

}  // namespace runtime::detail
FARPOINT_END_NAMESPACE

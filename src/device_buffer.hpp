#pragma once

#include <farpoint/core/types.hpp>

#include <cuda_runtime_api.h>

FARPOINT_BEGIN_NAMESPACE
namespace runtime::detail {

/// Device memory that one call of the library owns. A failure is remembered in `error` and turns what follows into
/// no-ops, so that a chain of them is checked once, at its end.
class device_buffer {
 public:
  device_buffer(std::size_t size, cudaError_t& error) noexcept : size_{size} {
    if (size > 0 && error == cudaSuccess) error = cudaMalloc(&data_, size);
  }
  device_buffer(device_buffer const&) = delete;
  device_buffer& operator=(device_buffer const&) = delete;
  ~device_buffer() { cudaFree(data_); }

  /// Copies size() bytes from host memory.
  void upload(void const* host, cudaStream_t stream, cudaError_t& error) const noexcept {
    if (size_ > 0 && error == cudaSuccess) error = cudaMemcpyAsync(data_, host, size_, cudaMemcpyHostToDevice, stream);
  }
  /// Copies size() bytes to host memory.
  void download(void* host, cudaStream_t stream, cudaError_t& error) const noexcept {
    download(host, size_, stream, error);
  }
  /// Copies the first `size` bytes, or all if there are fewer.
  void download(void* host, std::size_t size, cudaStream_t stream, cudaError_t& error) const noexcept {
    if (size > size_) size = size_;
    if (size > 0 && error == cudaSuccess) error = cudaMemcpyAsync(host, data_, size, cudaMemcpyDeviceToHost, stream);
  }

  template <class T>
  span<T> as() const noexcept {
    return {static_cast<T*>(data_), size_ / sizeof(T)};
  }
  void* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }

 private:
  void* data_ = nullptr;
  std::size_t size_;
};

}  // namespace runtime::detail
FARPOINT_END_NAMESPACE

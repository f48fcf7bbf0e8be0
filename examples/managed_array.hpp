// Shared by the examples for a GPU: memory that host and device can both read, which keeps the examples short. Calls
// take any device memory.
#pragma once

#include <farpoint/core/status.hpp>
#include <farpoint/core/types.hpp>

#include <cuda_runtime_api.h>
#include <cstdio>

/// Owns an array of managed memory. Converts to the spans that calls take.
template <class T>
class managed_array {
 public:
  explicit managed_array(std::size_t size) : size_{size} {
    void* memory = nullptr;
    if (cudaMallocManaged(&memory, size * sizeof(T)) == cudaSuccess) data_ = static_cast<T*>(memory);
  }
  managed_array(managed_array const&) = delete;
  managed_array& operator=(managed_array const&) = delete;
  ~managed_array() { cudaFree(data_); }

  T* data() const { return data_; }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) const { return data_[i]; }
  farpoint::span<T> span() const { return {data_, size_}; }

 private:
  std::size_t size_;
  T* data_ = nullptr;
};

/// False, with a sentence, on a machine without a GPU. Examples then return 77, which CTest reports as skipped.
inline bool has_gpu() {
  int devices = 0;
  bool const found = cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0;
  if (!found) std::puts("SKIPPED: there is no CUDA device");
  return found;
}

/// Prints why a call was refused.
inline bool succeeded(farpoint::result const& outcome) {
  if (!outcome) std::fprintf(stderr, "%s\n", outcome.reason);
  return static_cast<bool>(outcome);
}

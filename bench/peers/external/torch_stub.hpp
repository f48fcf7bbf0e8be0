/// @file
/// The few names of PyTorch's C++ interface that kernels of the PointNet++ family use, so that their sources compile
/// without PyTorch. A tensor is an address; there is one stream, and one type of scalar. Programs also link peers that
/// use PyTorch itself, whose names must differ for the linker: an inline namespace sets these apart.
#pragma once

#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

namespace at {
inline namespace stub {

struct Half {};

/// Data in device memory.
class Tensor {
 public:
  Tensor() = default;
  explicit Tensor(void const* data) : data_{const_cast<void*>(data)} {}

  template <class T>
  T* data_ptr() const {
    return static_cast<T*>(data_);
  }
  int scalar_type() const { return 0; }
  int device() const { return 0; }

 private:
  void* data_ = nullptr;
};

namespace cuda {

/// The stream that getCurrentCUDAStream() returns to this thread.
inline cudaStream_t& current_stream() {
  thread_local cudaStream_t stream = nullptr;
  return stream;
}
inline cudaStream_t getCurrentCUDAStream() {
  return current_stream();
}

struct CUDAGuard {
  explicit CUDAGuard(int) {}
};

}  // namespace cuda
}  // namespace stub
}  // namespace at

/// Calls the function with float as its type.
#define AT_DISPATCH_FLOATING_TYPES_AND_HALF(type, name, ...) \
  [&] {                                                      \
    static_cast<void>(type);                                 \
    using scalar_t = float;                                  \
    return __VA_ARGS__();                                    \
  }()

#define AT_CUDA_CHECK(call)                                                        \
  do {                                                                             \
    cudaError_t const error = (call);                                              \
    if (error != cudaSuccess) throw std::runtime_error{cudaGetErrorString(error)}; \
  } while (0)

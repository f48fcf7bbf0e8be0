/// @file
#pragma once

#include <farpoint/core/config.hpp>

#include <cuda_runtime.h>
#include <cstddef>
#include <type_traits>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// The block's dynamic shared memory, aligned for every scalar. All kernels get it from here: two declarations of one
/// array with different types do not compile.
__device__ inline void* dynamic_shared() noexcept {
  extern __shared__ double farpoint_dynamic_shared[];
  return farpoint_dynamic_shared;
}

/// Allows a kernel as much dynamic shared memory as the device has, once it needs more than it is allowed. The
/// permission belongs to the kernel, not to the launch: were it set to what a launch needs, another thread could lower
/// it between the two.
inline cudaError_t allow_dynamic_shared(void const* kernel, std::size_t bytes) noexcept {
  cudaFuncAttributes attributes{};
  cudaError_t error = cudaFuncGetAttributes(&attributes, kernel);
  if (error != cudaSuccess || bytes <= static_cast<std::size_t>(attributes.maxDynamicSharedSizeBytes)) return error;
  int device = 0;
  int most = 0;
  error = cudaGetDevice(&device);
  if (error == cudaSuccess) error = cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  if (error != cudaSuccess) return error;
  return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                              most - static_cast<int>(attributes.sharedSizeBytes));
}

/// Enqueues a kernel. Not by <<<>>>: this returns our own error, and leaves one that is pending from elsewhere alone.
template <class Argument>
FARPOINT_HIDDEN cudaError_t launch_kernel(void (*kernel)(Argument), cudaLaunchConfig_t const& launch,
                                          std::remove_const_t<Argument> argument) noexcept {
  auto const function = reinterpret_cast<void const*>(kernel);
  if (launch.dynamicSmemBytes > 0) {
    cudaError_t const error = allow_dynamic_shared(function, launch.dynamicSmemBytes);
    if (error != cudaSuccess) return error;
  }
  void* arguments[] = {&argument};
  return cudaLaunchKernelExC(&launch, function, arguments);
}

}  // namespace detail
FARPOINT_END_NAMESPACE

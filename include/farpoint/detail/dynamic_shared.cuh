/// @file
#pragma once

#include <farpoint/core/config.hpp>

#include <cuda_runtime.h>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// The block's dynamic shared memory, aligned for every scalar. All kernels get it from here: two declarations of one
/// array with different types do not compile.
__device__ inline void* dynamic_shared() noexcept {
  extern __shared__ double farpoint_dynamic_shared[];
  return farpoint_dynamic_shared;
}

/// Enqueues a kernel with `shared_bytes` of dynamic shared memory, for more than the 48 KiB, static memory counted in,
/// that need no permission, too. Not <<<>>>: returns our own error, and leaves one that is pending from elsewhere alone.
template <class Argument>
FARPOINT_HIDDEN cudaError_t launch_kernel(void (*kernel)(Argument), cudaLaunchConfig_t const& launch,
                                          std::remove_const_t<Argument> argument) noexcept {
  auto const function = reinterpret_cast<void const*>(kernel);
  if (launch.dynamicSmemBytes > 0) {
    cudaError_t const error = cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                   static_cast<int>(launch.dynamicSmemBytes));
    if (error != cudaSuccess) return error;
  }
  void* arguments[] = {&argument};
  return cudaLaunchKernelExC(&launch, function, arguments);
}

}  // namespace detail
FARPOINT_END_NAMESPACE

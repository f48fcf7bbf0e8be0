/// @file
/// Functions of the driver, looked up through the runtime: nothing links libcuda.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/core/config.hpp>

#include <cuda_runtime.h>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// A function of the driver; null if it has none of this name. A driver function neither returns, clears nor leaves
/// errors of the runtime.
/// @param version  of CUDA, from which on the function has this signature
template <class Function>
Function* driver_function(char const* name, [[maybe_unused]] unsigned version) noexcept {
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found{};
#if CUDART_VERSION >= 12050
  cudaError_t const error = cudaGetDriverEntryPointByVersion(name, &entry, version, cudaEnableDefault, &found);
#else
  cudaError_t const error = cudaGetDriverEntryPoint(name, &entry, cudaEnableDefault, &found);
#endif
  return error == cudaSuccess && found == cudaDriverEntryPointSuccess ? reinterpret_cast<Function*>(entry) : nullptr;
}

}  // namespace detail
FARPOINT_END_NAMESPACE

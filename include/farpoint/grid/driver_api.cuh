/// @file
/// What only the driver can do, looked up through the runtime: nothing links libcuda.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/core/config.hpp>

#include <cuda.h>
#include <cuda_runtime.h>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Functions of the driver, null where it has none: they neither return nor clear nor leave an error of the runtime's.
/// Looked up once in a process.
struct driver_api {
  decltype(&cuFuncGetAttribute) get_attribute;
  decltype(&cuFuncSetAttribute) set_attribute;
#if CUDA_VERSION >= 12040
  decltype(&cuStreamGetGreenCtx) green_context_of;
  decltype(&cuGreenCtxGetDevResource) resource_of;
#endif

  static driver_api const& get() noexcept {
    static driver_api const api = look_up();
    return api;
  }

 private:
  static driver_api look_up() noexcept {
    driver_api api{};
    find("cuFuncGetAttribute", 12000, api.get_attribute);
    find("cuFuncSetAttribute", 12000, api.set_attribute);
#if CUDA_VERSION >= 12040
    find("cuStreamGetGreenCtx", 12040, api.green_context_of);
    find("cuGreenCtxGetDevResource", 12040, api.resource_of);
#endif
    return api;
  }

  template <class Function>
  static void find(char const* name, [[maybe_unused]] unsigned version, Function*& function) noexcept {
    void* entry = nullptr;
    cudaDriverEntryPointQueryResult found{};
#if CUDART_VERSION >= 12050
    cudaError_t const error = cudaGetDriverEntryPointByVersion(name, &entry, version, cudaEnableDefault, &found);
#else
    cudaError_t const error = cudaGetDriverEntryPoint(name, &entry, cudaEnableDefault, &found);
#endif
    if (error == cudaSuccess) function = reinterpret_cast<Function*>(entry);
  }
};

}  // namespace detail
FARPOINT_END_NAMESPACE

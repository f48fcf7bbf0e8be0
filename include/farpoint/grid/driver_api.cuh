/// @file
/// The functions of the driver that launches need.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/core/driver_function.cuh>

#include <cuda.h>
#include <cuda_runtime.h>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Functions of the driver, null where it has none; see driver_function(). Looked up once per process.
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
  static void find(char const* name, unsigned version, Function*& function) noexcept {
    function = driver_function<Function>(name, version);
  }
};

}  // namespace detail
FARPOINT_END_NAMESPACE

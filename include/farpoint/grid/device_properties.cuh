/// @file
/// What the current device has, and what a stream may use of it.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/core/cuda_exec.cuh>
#include <farpoint/core/math.hpp>
#include <farpoint/grid/driver_api.cuh>

#include <cuda_runtime.h>
#include <cstdint>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// The current device, as far as a choice of kernels goes by it; all zero when there is none.
struct device_properties {
  int multiprocessors = 0;  ///< that blocks which wait for one another may take
  int shared_bytes = 0;     ///< that a block may have
  int cooperative = 0;

  /// Of the current device's L2; 0 when there is none.
  static std::int64_t cache_bytes() noexcept { return attribute_or(cudaDevAttrL2CacheSize, 0); }

  /// Of the current device; 1 when there is none.
  static int multiprocessor_count() noexcept { return attribute_or(cudaDevAttrMultiProcessorCount, 1); }

  static device_properties current() noexcept {
    auto const get = [](cudaDeviceAttr attribute) { return attribute_or(attribute, 0); };
    return {get(cudaDevAttrMultiProcessorCount), get(cudaDevAttrMaxSharedMemoryPerBlockOptin),
            get(cudaDevAttrCooperativeLaunch)};
  }

  /// The same, as far as the stream's green context and the caller's limit go.
  static device_properties of(cuda_exec exec) noexcept {
    device_properties properties = current();
    if (properties.multiprocessors > 0) {
      properties.narrow_to_green_context(exec.stream);
      properties.narrow_to(exec.multiprocessors);
    }
    return properties;
  }

  /// The same with a limit; 0 or less: none.
  device_properties narrowed_to(int limit) const noexcept {
    device_properties properties = *this;
    properties.narrow_to(limit);
    return properties;
  }

 private:
  static int attribute_or(cudaDeviceAttr attribute, int otherwise) noexcept {
    int device = 0;
    int value = 0;
    bool const known =
        cudaGetDevice(&device) == cudaSuccess && cudaDeviceGetAttribute(&value, attribute, device) == cudaSuccess;
    return known ? value : otherwise;
  }

  /// A green context has some of the multiprocessors.
  void narrow_to_green_context([[maybe_unused]] cudaStream_t stream) noexcept {
#if CUDA_VERSION >= 12040
    auto const& driver = driver_api::get();
    CUgreenCtx context = nullptr;
    if (driver.green_context_of == nullptr || driver.resource_of == nullptr) return;
    if (driver.green_context_of(stream, &context) != CUDA_SUCCESS || context == nullptr) return;
    CUdevResource has{};
    if (driver.resource_of(context, &has, CU_DEV_RESOURCE_TYPE_SM) != CUDA_SUCCESS) return;
    multiprocessors = smaller(multiprocessors, static_cast<int>(has.sm.smCount));
#endif
  }

  void narrow_to(int limit) noexcept {
    if (limit > 0 && limit < multiprocessors) multiprocessors = limit;
  }
};

}  // namespace detail
FARPOINT_END_NAMESPACE

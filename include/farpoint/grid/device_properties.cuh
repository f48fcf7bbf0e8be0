/// @file
/// Properties of the current device, and the part of it that a stream may use.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/core/cuda_exec.cuh>
#include <farpoint/core/math.hpp>
#include <farpoint/grid/driver_api.cuh>

#include <cuda_runtime.h>
#include <cstdint>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Properties of the current device that kernel selection depends on; all zero without a device.
struct device_properties {
  int multiprocessors = 0;  ///< limit for blocks that wait for each other
  int shared_bytes = 0;     ///< maximum shared memory per block
  int cooperative = 0;

  /// Size in bytes of the current device's L2 cache; 0 without a device.
  static std::int64_t cache_bytes() noexcept { return attribute_or(cudaDevAttrL2CacheSize, 0); }

  /// Number of multiprocessors of the current device; 1 without a device.
  static int multiprocessor_count() noexcept { return attribute_or(cudaDevAttrMultiProcessorCount, 1); }

  static device_properties current() noexcept {
    auto const get = [](cudaDeviceAttr attribute) { return attribute_or(attribute, 0); };
    return {get(cudaDevAttrMultiProcessorCount), get(cudaDevAttrMaxSharedMemoryPerBlockOptin),
            get(cudaDevAttrCooperativeLaunch)};
  }

  /// Properties of the current device, limited by the stream's green context and by exec.multiprocessors.
  static device_properties of(cuda_exec exec) noexcept {
    device_properties properties = current();
    if (properties.multiprocessors > 0) {
      properties.narrow_to_green_context(exec.stream);
      properties.narrow_to(exec.multiprocessors);
    }
    return properties;
  }

  /// Copy with at most `limit` multiprocessors; 0 or less means no limit.
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

  /// Limits the multiprocessors to the stream's green context, if it has one.
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

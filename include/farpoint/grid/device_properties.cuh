/// @file
/// What the current device has.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/core/config.hpp>

#include <cuda_runtime.h>
#include <cstdint>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// The current device, as far as a choice of kernels goes by it; all zero when there is none.
struct device_properties {
  int multiprocessors = 0;
  int architecture = 0;
  int shared_bytes = 0;  ///< that a block may have
  int cooperative = 0;

  /// Of the current device's L2; 0 when there is none.
  static std::int64_t cache_bytes() noexcept { return attribute_or(cudaDevAttrL2CacheSize, 0); }

  /// Of the current device; 1 when there is none.
  static int multiprocessor_count() noexcept { return attribute_or(cudaDevAttrMultiProcessorCount, 1); }

  static device_properties current() noexcept {
    auto const get = [](cudaDeviceAttr attribute) { return attribute_or(attribute, 0); };
    return {get(cudaDevAttrMultiProcessorCount),
            10 * get(cudaDevAttrComputeCapabilityMajor) + get(cudaDevAttrComputeCapabilityMinor),
            get(cudaDevAttrMaxSharedMemoryPerBlockOptin), get(cudaDevAttrCooperativeLaunch)};
  }

 private:
  static int attribute_or(cudaDeviceAttr attribute, int otherwise) noexcept {
    int device = 0;
    int value = 0;
    bool const known =
        cudaGetDevice(&device) == cudaSuccess && cudaDeviceGetAttribute(&value, attribute, device) == cudaSuccess;
    return known ? value : otherwise;
  }
};

}  // namespace detail
FARPOINT_END_NAMESPACE

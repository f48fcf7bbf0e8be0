/// @file
/// Properties of the current GPU.
#pragma once

#include "../../tools/farpoint/driver_version.hpp"
#include "cuda_check.hpp"

#include <cstddef>
#include <string>

namespace farpoint_bench {

/// True when there is a GPU that the CUDA runtime can use; `reason` says why not.
inline bool device_is_usable(std::string& reason) {
  int count = 0;
  cudaError_t const error = cudaGetDeviceCount(&count);
  if (error == cudaSuccess && count > 0) return true;
  reason = error == cudaSuccess ? "no CUDA device" : cudaGetErrorString(error);
  return false;
}

/// Names, versions and limits of the current device, as the runtime reports them.
struct device_info {
  std::string name;
  std::string driver;          ///< version of the kernel module; "unknown" if the system does not provide it
  int driver_api = 0;          ///< highest CUDA version the driver supports: 1000 * major + 10 * minor
  int runtime = 0;             ///< version of the CUDA runtime linked: 1000 * major + 10 * minor
  int compute_capability = 0;  ///< 10 * major + minor
  int multiprocessors = 0;
  int sm_clock_max_khz = 0;
  int memory_clock_max_khz = 0;
  int l2_bytes = 0;
};

inline device_info query_device() {
  int device = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  auto const attribute = [device](cudaDeviceAttr which) {
    int value = 0;
    check(cudaDeviceGetAttribute(&value, which, device), "cudaDeviceGetAttribute");
    return value;
  };

  device_info info;
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
  info.name = properties.name;
  info.driver = farpoint_tools::driver_version();
  check(cudaDriverGetVersion(&info.driver_api), "cudaDriverGetVersion");
  check(cudaRuntimeGetVersion(&info.runtime), "cudaRuntimeGetVersion");
  info.compute_capability = 10 * properties.major + properties.minor;
  info.multiprocessors = attribute(cudaDevAttrMultiProcessorCount);
  // Attributes and not members of cudaDeviceProp: CUDA 13 took the clocks out of it.
  info.sm_clock_max_khz = attribute(cudaDevAttrClockRate);
  info.memory_clock_max_khz = attribute(cudaDevAttrMemoryClockRate);
  info.l2_bytes = attribute(cudaDevAttrL2CacheSize);
  return info;
}

}  // namespace farpoint_bench

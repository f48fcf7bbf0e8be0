/// @file
/// The part of the JSON context that says which GPU it was. Plain C++.
#pragma once

#include "context.hpp"
#include "device_info.hpp"

#include <string>

namespace farpoint_bench {

/// CUDA's 13000 as "13.0".
inline std::string cuda_version(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

/// Adds names, versions and limits of the current device to the context of the JSON.
inline void add_device_context() {
  device_info const info = query_device();
  benchmark::AddCustomContext("gpu", info.name);
  benchmark::AddCustomContext("gpu_driver", info.driver);
  benchmark::AddCustomContext("gpu_driver_cuda", cuda_version(info.driver_api));
  benchmark::AddCustomContext("cuda_runtime", cuda_version(info.runtime));
  benchmark::AddCustomContext("compute_capability", std::to_string(info.compute_capability));
  benchmark::AddCustomContext("multiprocessors", std::to_string(info.multiprocessors));
  benchmark::AddCustomContext("l2_bytes", std::to_string(info.l2_bytes));
  benchmark::AddCustomContext("sm_mhz_max", std::to_string(info.sm_clock_max_khz / 1000));
  benchmark::AddCustomContext("memory_mhz_max", std::to_string(info.memory_clock_max_khz / 1000));
}

}  // namespace farpoint_bench

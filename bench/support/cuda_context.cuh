/// @file
/// The part of the JSON context that describes the GPU. Needs nvcc.
#pragma once

#include "context.hpp"
#include "device_info.hpp"
#include "measure_copy_bandwidth.hpp"
#include "spin.cuh"

#include <string>

namespace farpoint_bench {

/// CUDA's 13000 as "13.0".
inline std::string cuda_version(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

/// Google Benchmark writes the context before the first row, so the clock afterwards is a counter of each row.
inline void add_cuda_context(bool flush_l2) {
  device_info const info = query_device();
  owned_stream const stream;
  double const copy = measure_copy_bandwidth();
  benchmark::AddCustomContext("gpu", info.name);
  benchmark::AddCustomContext("gpu_driver", info.driver);
  benchmark::AddCustomContext("gpu_driver_cuda", cuda_version(info.driver_api));
  benchmark::AddCustomContext("cuda_runtime", cuda_version(info.runtime));
  benchmark::AddCustomContext("compute_capability", std::to_string(info.compute_capability));
  benchmark::AddCustomContext("multiprocessors", std::to_string(info.multiprocessors));
  benchmark::AddCustomContext("l2_bytes", std::to_string(info.l2_bytes));
  benchmark::AddCustomContext("sm_mhz_max", std::to_string(info.sm_clock_max_khz / 1000));
  benchmark::AddCustomContext("memory_mhz_max", std::to_string(info.memory_clock_max_khz / 1000));
  benchmark::AddCustomContext("sm_mhz_at_start", std::to_string(static_cast<int>(measure_sm_mhz(stream.get()))));
  benchmark::AddCustomContext("copy_gb_per_second", std::to_string(static_cast<int>(copy * 1e-9)));
  benchmark::AddCustomContext("l2_before_each_call", flush_l2 ? "flushed" : "as the last call left it");
}

}  // namespace farpoint_bench

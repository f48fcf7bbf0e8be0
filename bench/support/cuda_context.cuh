/// @file
/// The part of the JSON context that describes the GPU and how fast it runs. Needs nvcc.
#pragma once

#include "device_context.hpp"
#include "measure_copy_bandwidth.hpp"
#include "spin.cuh"

#include <string>

namespace farpoint_bench {

/// Google Benchmark writes the context before the first row, so the clock afterwards is a counter of each row.
inline void add_cuda_context(bool flush_l2) {
  add_device_context();
  owned_stream const stream;
  double const copy = measure_copy_bandwidth();
  benchmark::AddCustomContext("sm_mhz_at_start", std::to_string(static_cast<int>(measure_sm_mhz(stream.get()))));
  benchmark::AddCustomContext("copy_gb_per_second", std::to_string(static_cast<int>(copy * 1e-9)));
  benchmark::AddCustomContext("l2_before_each_call", flush_l2 ? "flushed" : "as the last call left it");
}

}  // namespace farpoint_bench

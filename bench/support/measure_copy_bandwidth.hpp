/// @file
/// The yardstick of bytes per second: what a plain copy reaches on this very device.
#pragma once

#include "cuda_handles.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace farpoint_bench {

/// Bytes read plus bytes written per second by a device-to-device copy of 1 GiB (or of a fifth of the free memory, if
/// that is less): the median of nine copies, after one for warming up. Measured once per process.
inline double measure_copy_bandwidth() {
  static double const bytes_per_second = [] {
    std::size_t free_bytes = 0;
    std::size_t all_bytes = 0;
    check(cudaMemGetInfo(&free_bytes, &all_bytes), "cudaMemGetInfo");
    std::size_t const bytes = std::min<std::size_t>(std::size_t{1} << 30, free_bytes / 5);
    device_buffer<unsigned char> const from{bytes};
    device_buffer<unsigned char> const to{bytes};
    owned_stream const stream;
    owned_event const begin;
    owned_event const end;
    check(cudaMemsetAsync(from.data(), 1, bytes, stream.get()), "cudaMemsetAsync");

    std::vector<float> milliseconds;
    for (int round = 0; round < 10; ++round) {
      check(cudaEventRecord(begin.get(), stream.get()), "cudaEventRecord");
      check(cudaMemcpyAsync(to.data(), from.data(), bytes, cudaMemcpyDeviceToDevice, stream.get()), "cudaMemcpyAsync");
      check(cudaEventRecord(end.get(), stream.get()), "cudaEventRecord");
      check(cudaEventSynchronize(end.get()), "cudaEventSynchronize");
      float elapsed = 0;
      check(cudaEventElapsedTime(&elapsed, begin.get(), end.get()), "cudaEventElapsedTime");
      if (round > 0) milliseconds.push_back(elapsed);
    }
    std::sort(milliseconds.begin(), milliseconds.end());
    return 2.0 * static_cast<double>(bytes) / (milliseconds[milliseconds.size() / 2] * 1e-3);
  }();
  return bytes_per_second;
}

}  // namespace farpoint_bench

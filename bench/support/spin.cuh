/// @file
/// A kernel that does nothing for a while: to hold a stream back, and to read the clock of the multiprocessors.
/// Needs nvcc.
#pragma once

#include "cuda_handles.hpp"

#include <vector>

namespace farpoint_bench {

/// Nanoseconds of the device's wall clock; it ticks about once a microsecond.
__device__ __forceinline__ unsigned long long device_nanoseconds() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

/// Spins for `nanoseconds`; `elapsed`, when given, gets the cycles and the nanoseconds that passed.
/// One block of one thread. A template only because a header may not define an ordinary kernel twice.
template <class Elapsed>
__global__ void spin_kernel(unsigned long long nanoseconds, Elapsed* elapsed) {
  unsigned long long const first_time = device_nanoseconds();
  long long const first_cycle = clock64();
  unsigned long long time = first_time;
  while (time - first_time < nanoseconds) time = device_nanoseconds();
  if (elapsed != nullptr) {
    elapsed[0] = static_cast<Elapsed>(clock64() - first_cycle);
    elapsed[1] = static_cast<Elapsed>(time - first_time);
  }
}

/// Keeps the stream busy, so that what is enqueued next is complete before the device starts on it: a measurement then
/// shows the device and not the host's launch latency.
inline void hold(cudaStream_t stream, unsigned long long nanoseconds) {
  spin_kernel<double><<<1, 1, 0, stream>>>(nanoseconds, nullptr);
  check(cudaGetLastError(), "spin_kernel");
}

/// The clock of the multiprocessors as it is now, in MHz, from 2 ms of counting cycles (within 0.1 %); waits for the
/// stream. The attributes of a device name only its highest clock.
inline double measure_sm_mhz(cudaStream_t stream) {
  device_buffer<double> const elapsed{2};
  spin_kernel<double><<<1, 1, 0, stream>>>(2'000'000, elapsed.data());
  check(cudaGetLastError(), "spin_kernel");
  std::vector<double> const values = elapsed.download();
  return values[0] / values[1] * 1e3;
}

}  // namespace farpoint_bench

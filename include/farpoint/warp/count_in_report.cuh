/// @file
/// Additions to the counters of a report.
#pragma once

#include <farpoint/warp/cuda_warp.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Adds this thread's amount to a counter, which may be null. Writes nothing for 0.
__device__ inline void count_in_report(unsigned long long* counter, unsigned long long amount) noexcept {
  if (counter != nullptr && amount != 0) atomicAdd(counter, amount);
}

/// Adds this thread's amount to a counter of an optional report.
template <class Report>
__device__ void count_in_report(Report* report, unsigned long long Report::*counter,
                                unsigned long long amount) noexcept {
  if (report != nullptr) count_in_report(&(report->*counter), amount);
}

/// Adds the amounts of all lanes of a warp by one atomic operation. All lanes call it with the same counter.
__device__ inline void count_in_report_by_warp(unsigned long long* counter, unsigned long long mine) noexcept {
  if (counter == nullptr) return;
  unsigned long long const all = cuda_warp::sum(mine);
  if (cuda_warp::lane() == 0) count_in_report(counter, all);
}

}  // namespace detail
FARPOINT_END_NAMESPACE

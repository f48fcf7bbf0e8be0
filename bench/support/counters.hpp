/// @file
/// The counters that every row reports, on every backend.
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <vector>

namespace farpoint_bench {

/// Workload of a call by the statement of the problem, not by the kernel's operations.
struct workload {
  double points = 0;  ///< points read, of all clouds
  double pairs = 0;   ///< distances that the serial loop evaluates, if it does
  double bytes = 0;   ///< compulsory traffic: each input byte read once, each output byte written once
};

/// Smallest measured value that `fraction` of all values do not exceed. `sorted` is ascending and not empty.
inline double percentile(std::vector<double> const& sorted, double fraction) {
  if (sorted.empty()) throw std::logic_error{"percentile() of no values"};
  auto const rank = static_cast<std::size_t>(std::ceil(fraction * static_cast<double>(sorted.size())));
  return sorted[std::clamp<std::size_t>(rank, 1, sorted.size()) - 1];
}

/// Times in microseconds; rates from the median, so that one slow call does not bend them.
/// @return the median in seconds
inline double count_times(benchmark::State& state, workload const& work, std::vector<double> seconds) {
  std::sort(seconds.begin(), seconds.end());
  double const median = percentile(seconds, 0.5);
  state.counters["p50_us"] = median * 1e6;
  state.counters["p99_us"] = percentile(seconds, 0.99) * 1e6;
  state.counters["max_us"] = seconds.back() * 1e6;
  state.counters["points_per_second"] = work.points / median;
  if (work.pairs > 0) state.counters["pairs_per_second"] = work.pairs / median;
  state.counters["bytes_per_second"] = work.bytes / median;
  return median;
}

}  // namespace farpoint_bench

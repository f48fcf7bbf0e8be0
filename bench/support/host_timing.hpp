/// @file
/// Measures a blocking call on the host.
#pragma once

#include "counters.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

namespace farpoint_bench {

/// The benchmark loop of one row (UseManualTime): wall-clock seconds of `call()`, which throws on failure. One call
/// before it warms up.
template <class Call>
void time_blocking_calls(benchmark::State& state, workload const& work, Call&& call) {
  using clock = std::chrono::steady_clock;
  call();
  std::vector<double> seconds;
  for (auto _ : state) {
    static_cast<void>(_);
    auto const begin = clock::now();
    call();
    seconds.push_back(std::chrono::duration<double>(clock::now() - begin).count());
    state.SetIterationTime(seconds.back());
  }
  count_times(state, work, seconds);
}

/// 1, 2 and all threads of this machine, each once.
inline std::vector<int> thread_counts() {
  int const all = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  std::vector<int> counts{1};
  if (all >= 2) counts.push_back(2);
  if (all > 2) counts.push_back(all);
  return counts;
}

}  // namespace farpoint_bench

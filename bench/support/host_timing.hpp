/// @file
/// Measures a blocking call on the host.
#pragma once

#include "counters.hpp"

#include <benchmark/benchmark.h>

#include <chrono>
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

}  // namespace farpoint_bench

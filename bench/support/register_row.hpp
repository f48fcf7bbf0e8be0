/// @file
/// Registers a row with Google Benchmark.
#pragma once

#include "failures.hpp"

#include <benchmark/benchmark.h>

#include <string>

namespace farpoint_bench {

/// Registers a row that times itself. `body(state)` measures `calls` calls; what it throws is the row's error.
template <class Body>
void register_row(std::string const& name, int calls, Body body) {
  benchmark::RegisterBenchmark(name.c_str(), [body](benchmark::State& state) { guarded(state, [&] { body(state); }); })
      ->UseManualTime()
      ->Iterations(calls)
      ->Unit(benchmark::kMillisecond);
}

}  // namespace farpoint_bench

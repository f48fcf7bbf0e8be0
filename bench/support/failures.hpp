/// @file
/// A row that fails prints the reason, and the process ends with a non-zero status: Google Benchmark would return 0.
#pragma once

#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdio>
#include <exception>

namespace farpoint_bench {

/// Exit status that CTest and Automake read as "skipped".
inline constexpr int exit_skipped = 77;

/// Rows that have failed so far.
inline int& failures() {
  static int count = 0;
  return count;
}

/// Runs the body of a row; an exception becomes an error of that row.
template <class Body>
void guarded(benchmark::State& state, Body&& body) {
  try {
    body();
  } catch (std::exception const& error) {
    ++failures();
    state.SkipWithError(error.what());
  }
}

/// Runs all rows that the filter selects. Returns the exit status of the process.
inline int run_all() {
  std::size_t const rows = benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  if (rows == 0) {
    std::fprintf(stderr, "FAILED: no row matches the filter\n");
    return 1;
  }
  if (failures() > 0) {
    std::fprintf(stderr, "FAILED: %d of the rows; see their ERROR OCCURRED lines\n", failures());
    return 1;
  }
  return 0;
}

}  // namespace farpoint_bench

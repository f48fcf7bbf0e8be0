/// @file
/// What main() does in every suite.
#pragma once

#include "arguments.hpp"

#include <benchmark/benchmark.h>

#include <cstdio>
#include <exception>

namespace farpoint_bench {

/// main() of a suite. Takes our arguments and those of Google Benchmark; run(arguments) registers the rows, ends with
/// run_all(), and returns the exit status.
template <class Run>
int run_suite(int argc, char** argv, Run run) {
  try {
    arguments const wished = take_arguments(argc, argv);
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
    return run(wished);
  } catch (std::exception const& error) {
    std::fprintf(stderr, "FAILED: %s\n", error.what());
    return 1;
  }
}

}  // namespace farpoint_bench

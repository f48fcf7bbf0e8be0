/// @file
/// main() of every program: takes the arguments and calls run_program().

#include "suite.hpp"

#include <benchmark/benchmark.h>

#include <cstdio>
#include <exception>

int main(int argc, char** argv) {
  try {
    farpoint_bench::arguments const args = farpoint_bench::take_arguments(argc, argv);
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
    return farpoint_bench::run_program(args);
  } catch (std::exception const& error) {
    std::fprintf(stderr, "FAILED: %s\n", error.what());
    return 1;
  }
}

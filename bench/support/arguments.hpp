/// @file
/// Arguments of our own, next to those of Google Benchmark.
#pragma once

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace farpoint_bench {

/// Options of the command line.
struct arguments {
  std::vector<std::string> cloud_paths;  ///< --cloud=PATH, any number of times: scans to measure
  std::string cloud_path;                ///< the first of `cloud_paths`
  bool flush_l2 = false;                 ///< --flush-l2: every timed call starts with a cold L2 cache
  bool list_only = false;                ///< --benchmark_list_tests: nothing runs, so no GPU is needed
};

/// Takes our arguments out of argv; the rest is left, in order, for benchmark::Initialize.
inline arguments take_arguments(int& argc, char** argv) {
  arguments taken;
  int kept = 1;
  for (int i = 1; i < argc; ++i) {
    std::string const argument = argv[i];
    if (argument.rfind("--cloud=", 0) == 0) {
      taken.cloud_paths.push_back(argument.substr(8));
    } else if (argument == "--cloud" && i + 1 < argc) {
      taken.cloud_paths.emplace_back(argv[++i]);
    } else if (argument == "--flush-l2") {
      taken.flush_l2 = true;
    } else {
      if (argument == "--benchmark_list_tests" || argument == "--benchmark_list_tests=true") taken.list_only = true;
      argv[kept++] = argv[i];
    }
  }
  argc = kept;
  argv[kept] = nullptr;
  if (!taken.cloud_paths.empty()) taken.cloud_path = taken.cloud_paths.front();
  return taken;
}

/// True if a suite that takes minutes was requested: by the filter, or by an environment variable that is 1.
inline bool wants(char const* suite, char const* variable) {
  char const* const value = std::getenv(variable);
  return (value != nullptr && std::string{value} == "1") ||
         benchmark::GetBenchmarkFilter().find(suite) != std::string::npos;
}

}  // namespace farpoint_bench

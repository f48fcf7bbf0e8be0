/// @file
/// What main() does in every suite that needs a GPU.
#pragma once

#include "device_info.hpp"
#include "failures.hpp"
#include "run_suite.hpp"

#include <cstdio>
#include <string>

namespace farpoint_bench {

/// run_suite(), or an exit status that stands for "skipped" where there is no GPU.
template <class Run>
int run_cuda_suite(int argc, char** argv, Run run) {
  return run_suite(argc, argv, [run](arguments const& wished) {
    std::string reason;
    if (!wished.list_only && !device_is_usable(reason)) {
      std::fprintf(stderr, "SKIPPED: NOTHING WAS MEASURED: no usable GPU (%s)\n", reason.c_str());
      return exit_skipped;
    }
    return run(wished);
  });
}

}  // namespace farpoint_bench

/// @file
/// Runs the rows of a program that needs a GPU. Needs nvcc.
#pragma once

#include "clouds.hpp"
#include "cuda_context.cuh"
#include "device_info.hpp"
#include "suite.hpp"

#include <cstdio>
#include <string>

namespace farpoint_bench {

/// Runs the registered rows that the filter selects; without a usable GPU it returns exit_skipped.
/// @param suite   name of the results: "fps"
/// @param set_up  called on a usable GPU before anything runs on it
inline int run_cuda_suite(
    std::string const& suite, arguments const& args, void (*set_up)() = [] {}) {
  if (args.list_only) return run_all();
  std::string reason;
  if (!device_is_usable(reason)) {
    std::fprintf(stderr, "SKIPPED: NOTHING WAS MEASURED: no usable GPU (%s)\n", reason.c_str());
    return exit_skipped;
  }
  set_up();
  add_common_context(suite);
  add_cuda_context(args.flush_l2);
  return run_all();
}

/// Runs a suite whose rows share the clouds of one store.
/// @tparam Store         made of the scans that the command line names
/// @param register_rows  registers the rows of a store; flush_l2: the L2 cache is flushed before each call
template <class Store>
int run_suite_of(std::string const& suite, arguments const& args, void (*register_rows)(bool flush_l2, Store&)) {
  Store problems{read_scans(args.cloud_paths)};
  register_rows(args.flush_l2, problems);
  return run_cuda_suite(suite, args);
}

}  // namespace farpoint_bench

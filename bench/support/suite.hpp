/// @file
/// The functions that a program defines for main() of support/main.cpp.
#pragma once

#include "arguments.hpp"
#include "context.hpp"
#include "failures.hpp"

#include <string>

namespace farpoint_bench {

/// Each program defines it: registers the rows and returns run_host_suite() or run_cuda_suite(), the exit status.
/// An exception ends the program with status 1.
int run_program(arguments const& args);

/// Runs the registered rows that the filter selects, on the host.
/// @param suite  name of the results: "fps_host"
inline int run_host_suite(std::string const& suite, arguments const& args) {
  if (!args.list_only) add_common_context(suite);
  return run_all();
}

}  // namespace farpoint_bench

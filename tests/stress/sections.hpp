// Sections of the stress program, one function each, which add rows to the report.
#pragma once

#include <cstdint>

#include "calls.hpp"
#include "report.hpp"
#include "watchdog.hpp"

namespace farpoint_stress {

struct stress_options {
  bool brief = false;  ///< fewer repetitions: half a minute for all sections
  double minutes = 0;  ///< duration of random_calls()
  std::uint64_t seed = 1;
};

struct stress_run {
  stress_options options;
  call_list const& calls;  ///< calls of the tables
  report& seen;
  watchdog& dog;
};

/// Runs each call on an idle GPU.
void alone(stress_run const& run);
/// Runs each call while a persistent kernel or many short kernels occupy some multiprocessors, with and without limits.
void beside_loads(stress_run const& run);
/// Runs each call on streams of green contexts of several sizes.
void in_green_contexts(stress_run const& run);
/// Runs all calls in eight threads with eight streams each, for `seconds` s.
crowd_row in_threads(stress_run const& run, double seconds);
/// Prints the line that in_processes() reads from its child processes.
void print_for_parent(crowd_row const& row);
/// Runs all calls as branches of one graph, and replays a graph of each call many times.
void in_graphs(stress_run const& run);
/// Runs three processes at once, each with in_threads().
void in_processes(stress_run const& run);
/// Makes random calls of all kinds in eight threads.
void random_calls(stress_run const& run);

}  // namespace farpoint_stress

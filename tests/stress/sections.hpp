// What the program does, one function a section. Each adds rows to the report.
#pragma once

#include <cstdint>

#include "calls.hpp"
#include "report.hpp"
#include "watchdog.hpp"

namespace farpoint_stress {

struct stress_options {
  bool brief = false;  ///< fewer repetitions: half a minute for all sections
  double minutes = 0;  ///< of random_calls()
  std::uint64_t seed = 1;
};

struct stress_run {
  stress_options options;
  call_list const& calls;  ///< of the tables
  report& seen;
  watchdog& dog;
};

/// Each call of the tables while nothing else runs.
void alone(stress_run const& run);
/// Each call while some multiprocessors are held by a kernel that does not end, or by many that do; with limits too.
void beside_loads(stress_run const& run);
/// Each call on streams of green contexts of several sizes.
void in_green_contexts(stress_run const& run);
/// Eight threads with eight streams each.
crowd_row in_threads(stress_run const& run, double seconds);
/// Prints what in_processes() reads from the processes that it starts.
void print_for_parent(crowd_row const& row);
/// All calls as branches of one graph, and each call as a graph that is replayed many times.
void in_graphs(stress_run const& run);
/// Three processes at once, each of which does in_threads().
void in_processes(stress_run const& run);
/// Random calls of all kinds by eight threads.
void random_calls(stress_run const& run);

}  // namespace farpoint_stress

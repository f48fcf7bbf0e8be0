/// @file
/// How a contender becomes a row of Google Benchmark. Needs nvcc.
#pragma once

#include "fps/problem.cuh"
#include "support/failures.hpp"
#include "support/timing.cuh"

#include <benchmark/benchmark.h>

#include <string>

namespace farpoint_bench {

/// Numbers that let a reader of the JSON tell the rows apart without parsing their names.
inline void count_row(benchmark::State& state, fps_row const& row) {
  state.counters["clouds"] = static_cast<double>(row.clouds);
  state.counters["n"] = static_cast<double>(row.points);
  state.counters["samples"] = static_cast<double>(row.samples);
  if (row.ragged()) {
    state.counters["small_clouds"] = static_cast<double>(row.small_clouds);
    state.counters["small_n"] = static_cast<double>(row.small_points);
  }
}

/// Registers `name`: prepare(problem) once, then verify, then time launch(problem, stream). `note` ends the label.
template <class Prepare, class Launch>
void register_row(std::string const& name, fps_row const& row, int calls, how mode, bool flush_l2,
                  fps_problem_store& problems, std::string const& note, Prepare prepare, Launch launch) {
  auto const body = [=, &problems](benchmark::State& state) {
    guarded(state, [&] {
      fps_problem& problem = problems[row];
      prepare(problem);
      auto const enqueue = [&](cudaStream_t stream) { launch(problem, stream); };
      problem.verify(enqueue, name.c_str());
      state.SetLabel(problem.checked_against() + note);
      count_row(state, row);
      time_row(state, mode, problem.stream(), row.work(), flush_l2, enqueue);
    });
  };
  benchmark::RegisterBenchmark(name.c_str(), body)->UseManualTime()->Iterations(calls)->Unit(benchmark::kMillisecond);
}

/// Registers farpoint::fps as `Selector` tunes it.
template <class Selector>
void register_farpoint(std::string const& name, fps_row const& row, int calls, how mode, bool flush_l2,
                       fps_problem_store& problems, std::string const& note = {}) {
  register_row(
      name, row, calls, mode, flush_l2, problems, note, [](fps_problem& problem) { problem.reserve<Selector>(); },
      [](fps_problem& problem, cudaStream_t stream) { problem.launch_farpoint<Selector>(stream); });
}

/// Registers the textbook kernel.
void register_textbook(std::string const& name, fps_row const& row, bool flush_l2, fps_problem_store& problems);

/// The scale/... rows of fps_scale.cu.
void register_scale(bool flush_l2, fps_problem_store& problems);

/// The tune/... rows of fps_tune.cu.
void register_tuning(bool flush_l2, fps_problem_store& problems);

}  // namespace farpoint_bench

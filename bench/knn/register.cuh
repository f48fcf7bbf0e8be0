/// @file
/// How a contender of knn() becomes a row of Google Benchmark. Needs nvcc.
#pragma once

#include "knn/problem.cuh"
#include "support/failures.hpp"
#include "support/timing.cuh"

#include <benchmark/benchmark.h>

#include <string>

namespace farpoint_bench {

/// A row's name, its points, whether its calls are replayed, and where the problems are.
struct knn_entry {
  std::string name;
  knn_row row;
  how mode;
  bool flush_l2;
  knn_problem_store* problems;
};

inline void count_row(benchmark::State& state, knn_row const& row) {
  state.counters["n"] = static_cast<double>(row.points);
  state.counters["k"] = static_cast<double>(row.k);
}

template <class Body>
void register_body(std::string const& name, int calls, Body body) {
  benchmark::RegisterBenchmark(name.c_str(), [body](benchmark::State& state) { guarded(state, [&] { body(state); }); })
      ->UseManualTime()
      ->Iterations(calls)
      ->Unit(benchmark::kMillisecond);
}

/// Registers an entry: prepare(problem) once, verify its answer, then time launch(problem, stream).
template <class Prepare, class Launch>
void register_entry(knn_entry const& e, int calls, Prepare prepare, Launch launch) {
  register_body(e.name, calls, [=](benchmark::State& state) {
    knn_problem& problem = (*e.problems)[e.row];
    prepare(problem);
    auto const enqueue = [&](cudaStream_t stream) { launch(problem, stream); };
    problem.verify(enqueue, e.name);
    state.SetLabel("equals host_exec");
    count_row(state, e.row);
    state.counters["workspace_bytes"] = static_cast<double>(problem.workspace_bytes());
    time_row(state, e.mode, problem.stream(), e.row.work(), e.flush_l2, enqueue);
  });
}

/// Registers farpoint::knn as `Selector` tunes it.
template <class Selector>
void register_farpoint(knn_entry const& e) {
  register_entry(
      e, e.row.calls, [](knn_problem& problem) { problem.reserve<Selector>(); },
      [](knn_problem const& problem, cudaStream_t stream) { problem.launch_farpoint<Selector>(stream); });
}

/// The tune/... rows of knn_tune.cu.
void register_knn_tuning(bool flush_l2, knn_problem_store& problems);

}  // namespace farpoint_bench

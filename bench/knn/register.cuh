/// @file
/// Registers the contenders of knn() on the GPU. Needs nvcc.
#pragma once

#include "knn/problem.cuh"
#include "support/contender.cuh"

#include <benchmark/benchmark.h>

namespace farpoint_bench {

using knn_contender = contender<knn_problem, knn_row>;

/// Registers a contender: prepare(problem) allocates, check(problem, stream) enqueues what is compared, and
/// launch(problem, stream) what is timed.
template <class Prepare, class Check, class Launch>
void register_knn(knn_contender const& c, Prepare prepare, Check check, Launch launch) {
  register_contender(
      c, prepare,
      [c, check](benchmark::State& state, knn_problem& problem, auto const&) {
        problem.verify([&](cudaStream_t stream) { check(problem, stream); }, c.name);
        state.SetLabel("equals host_exec");
        c.row.count(state);
        state.counters["workspace_bytes"] = static_cast<double>(problem.workspace_bytes());
        return c.row.work();
      },
      launch);
}
template <class Prepare, class Launch>
void register_knn(knn_contender const& c, Prepare prepare, Launch launch) {
  register_knn(c, prepare, launch, launch);
}

/// Registers farpoint::knn as `Selector` tunes it.
template <class Selector>
void register_farpoint(knn_contender const& c) {
  register_knn(
      c, [](knn_problem& problem) { problem.reserve<Selector>(); },
      [](knn_problem const& problem, cudaStream_t stream) { problem.launch_farpoint<Selector>(stream); });
}

/// Registers the building of the index of farpoint::knn alone; what a search finds in it is checked.
template <class Selector>
void register_index(knn_contender const& c) {
  register_knn(
      c, [](knn_problem& problem) { problem.reserve<Selector>(); },
      [](knn_problem const& problem, cudaStream_t stream) {
        problem.launch_search(stream, problem.launch_index<Selector>(stream));
      },
      [](knn_problem const& problem, cudaStream_t stream) { problem.launch_index<Selector>(stream); });
}

}  // namespace farpoint_bench

/// @file
/// A contender: a call on the GPU for the problem of one row. Needs nvcc.
#pragma once

#include "problem_store.hpp"
#include "register_row.hpp"
#include "timing.cuh"

#include <benchmark/benchmark.h>

#include <string>

namespace farpoint_bench {

/// A row of the results, and how it is measured.
template <class Problem, class Row>
struct contender {
  std::string name;
  Row row;
  int calls;  ///< timed
  how mode;
  bool flush_l2;
  problem_store<Problem, Row>* problems;
};

/// Registers a contender.
/// @param prepare  prepare(problem): allocates what it needs
/// @param verify   verify(state, problem, enqueue): calls enqueue(stream) once, throws unless the output is right, sets
///                 the label and the counters of the row, and returns its workload
/// @param launch   launch(problem, stream): what is timed
template <class Problem, class Row, class Prepare, class Verify, class Launch>
void register_contender(contender<Problem, Row> const& c, Prepare prepare, Verify verify, Launch launch) {
  register_row(c.name, c.calls, [=](benchmark::State& state) {
    Problem& problem = (*c.problems)[c.row];
    prepare(problem);
    auto const enqueue = [&](cudaStream_t stream) { launch(problem, stream); };
    workload const work = verify(state, problem, enqueue);
    time_row(state, c.mode, problem.stream(), work, c.flush_l2, enqueue);
  });
}

}  // namespace farpoint_bench

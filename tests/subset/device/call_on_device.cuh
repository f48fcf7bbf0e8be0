// Runs the problems of subset/ on a stream, and as a graph.
#pragma once

#include "../../support/call_memory.hpp"
#include "../../support/catch.hpp"
#include "../../support/device/device_space.cuh"
#include "../../support/device/stream_citizen.cuh"

namespace farpoint_tests {

/// A problem on a stream, then as a graph: the bytes of its plain loop.
template <class Problem>
void check_on_device(Problem const& problem) {
  auto const expected = problem.expected();
  call_memory<farpoint_stress::device_space> memory;
  test_stream const stream;
  farpoint::result outcome;
  auto const enqueue = [&] {
    memory.rewind();
    outcome = problem.run(farpoint::cuda_exec{stream.get()}, memory);
  };
  enqueue();
  INFO(outcome.reason);
  REQUIRE(outcome);
  REQUIRE_CUDA(cudaStreamSynchronize(stream.get()));
  CHECK(memory.outputs() == expected);
  memory.wipe_outputs();
  REQUIRE_CUDA(cudaDeviceSynchronize());
  captured_graph const graph{stream.get(), enqueue};
  REQUIRE(outcome);
  for (int replay = 0; replay < 2; ++replay) graph.replay();
  CHECK(memory.outputs() == expected);
  CHECK(memory.intact());
}

/// The manners of a call on a stream that it shares.
template <class Problem>
void check_manners(Problem const& problem) {
  auto const expected = problem.expected();
  call_memory<farpoint_stress::device_space> memory;
  check_stream_citizen(
      [&](cudaStream_t stream) {
        memory.rewind();
        return problem.run(farpoint::cuda_exec{stream}, memory);
      },
      [&](farpoint::result const& outcome) {
        bool const is_right = outcome && memory.outputs() == expected && memory.intact();
        memory.wipe_outputs();
        REQUIRE_CUDA(cudaDeviceSynchronize());
        return is_right;
      });
}

}  // namespace farpoint_tests

/// @file
/// Rows of other libraries on the GPU. Needs nvcc.
#pragma once

#include "peers/external/device_peers.hpp"
#include "register_row.hpp"
#include "timing.cuh"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <string>

namespace farpoint_bench {

/// Outcome of the check of a peer's answer.
struct peer_answer {
  std::size_t mistakes;
  char const* oracle;  ///< property of a right answer: "equals host_exec"
};

/// Adds the outcome to a row: a label, and for a wrong answer the counter `wrong`. A row with a wrong answer is shown,
/// but is no baseline.
inline void report_answer(benchmark::State& state, peer_answer const& answer) {
  if (answer.mistakes == 0) {
    state.SetLabel(answer.oracle);
    return;
  }
  state.SetLabel("WRONG, " + std::to_string(answer.mistakes) + " mistakes");
  state.counters["wrong"] = static_cast<double>(answer.mistakes);
}

/// Registers a row for each peer that has such a call; its name is `prefix` and the name of the peer.
/// @param shape  an input without pointers
/// @param body   body(state, peer)
template <class Call, class Body>
void register_peers(std::string const& prefix, typename Call::input const& shape, int calls, Body body) {
  for (device_peer<Call> const& peer : device_peers<Call>()) {
    if (!peer.suits(shape)) continue;
    register_row(prefix + peer.name, calls, [peer, body](benchmark::State& state) { body(state, peer); });
  }
}

/// Checks a peer's answer once, then measures the call on the stream that it uses.
/// @param check_answer  check_answer(call) returns a peer_answer
template <class Call, class Check>
void time_peer(benchmark::State& state, device_peer<Call> const& peer, typename Call::input const& input,
               cudaStream_t given, workload const& work, bool flush_l2, Check&& check_answer) {
  auto const call = peer.make(input);
  cudaStream_t const stream = peer.stream == peer_stream::given ? given : nullptr;
  call->prepare(stream);
  call->enqueue(stream);
  check(cudaDeviceSynchronize(), peer.name);
  report_answer(state, check_answer(*call));
  time_calls(state, stream, work, flush_l2, [&](cudaStream_t on) { call->enqueue(on); });
}

}  // namespace farpoint_bench

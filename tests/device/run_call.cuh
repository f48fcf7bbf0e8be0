// Runs one call on the GPU.
#pragma once

#include <farpoint/core/status.hpp>

#include "cuda_check.hpp"

namespace farpoint_tests {

/// `enqueue(stream)` on a stream of its own; returns the call's answer when the stream is done.
template <class Call, class Enqueue>
auto run_call(Call const& call, Enqueue const& enqueue) {
  test_stream const stream;
  farpoint::result const outcome = enqueue(stream.get());
  REQUIRE_CUDA(cudaStreamSynchronize(stream.get()));
  return call.answer(outcome);
}

}  // namespace farpoint_tests

// Runs calls on the GPU.
#pragma once

#include <farpoint/core/status.hpp>

#include "../shared/answers.hpp"
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

/// `Call<Problem, Index>::enqueue<Selector>(stream)` with the type of index that the problem asks for.
template <class Selector, template <class, class> class Call, class Problem>
auto run_with_index_type(Problem const& problem) {
  return with_index_type(problem, [&](auto index) {
    Call<Problem, decltype(index)> call{problem};
    return run_call(call, [&](cudaStream_t stream) { return call.template enqueue<Selector>(stream); });
  });
}

}  // namespace farpoint_tests

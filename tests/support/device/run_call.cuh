// Runs calls on the GPU.
#pragma once

#include <farpoint/core/status.hpp>
#include <farpoint/core/types.hpp>

#include <memory>
#include <vector>

#include "../answers.hpp"
#include "../leftovers.hpp"
#include "cuda_check.hpp"

namespace farpoint_tests {

/// Workspace of a call, with the size of the first request, filled with bytes that an earlier call may have left.
class call_workspace {
 public:
  farpoint::bytes of_size(std::size_t size) {
    if (memory_ == nullptr) {
      memory_ = std::make_unique<device_array<unsigned char>>(size);
      scramble(size);
    }
    return {memory_->data(), memory_->size()};
  }
  /// Refills the workspace with a kind of bytes that the seed selects.
  void scramble(std::uint64_t seed) { fill(leftover_of(seed), seed); }
  void fill(leftover kind, std::uint64_t seed) {
    std::vector<unsigned char> bytes(memory_->size());
    fill_with(kind, bytes.data(), bytes.size(), seed);
    memory_->upload(bytes);
  }
  std::vector<unsigned char> download() const { return memory_->download(); }
  bool intact() const { return memory_ == nullptr || memory_->intact(); }

 private:
  std::unique_ptr<device_array<unsigned char>> memory_;
};

/// Calls `enqueue(stream)` on a new stream, and returns the call's answer when the stream is done.
template <class Call, class Enqueue>
auto run_call(Call const& call, Enqueue const& enqueue) {
  test_stream const stream;
  farpoint::result const outcome = enqueue(stream.get());
  REQUIRE_CUDA(cudaStreamSynchronize(stream.get()));
  return call.answer(outcome);
}

/// Runs `Call<Problem, Index>::enqueue<Selector>(stream)` with the problem's type of index.
template <class Selector, template <class, class> class Call, class Problem>
auto run_with_index_type(Problem const& problem) {
  return with_index_type(problem, [&](auto index) {
    Call<Problem, decltype(index)> call{problem};
    return run_call(call, [&](cudaStream_t stream) { return call.template enqueue<Selector>(stream); });
  });
}

}  // namespace farpoint_tests

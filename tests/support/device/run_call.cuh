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

/// The workspace of a call, of just the size that is asked for first, and full of what an earlier call may have left.
class call_workspace {
 public:
  farpoint::bytes of_size(std::size_t size) {
    if (memory_ == nullptr) {
      memory_ = std::make_unique<device_array<unsigned char>>(size);
      scramble(size);
    }
    return {memory_->data(), memory_->size()};
  }
  /// Fills it anew, with what follows from the seed.
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

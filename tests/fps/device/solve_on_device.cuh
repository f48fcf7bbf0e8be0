// Runs an fps_problem on the GPU and brings the answer back.
#pragma once

#include <farpoint/fps.cuh>

#include "../../core/device/radix_sort_kernels.cuh"
#include "../../support/device/cuda_check.hpp"
#include "../../support/device/run_call.cuh"
#include "../fps_problem.hpp"

namespace farpoint_tests {

/// All device memory of one call, so that a call can be repeated, captured, or run concurrently.
template <class Problem, class Index>
class device_call {
 public:
  using scalar = typename Problem::scalar;

  explicit device_call(Problem const& problem)
      : problem_{problem},
        memory_{problem.memory},
        offsets_{problem.offsets},
        firsts_{problem.firsts},
        chosen_{problem.chosen},
        lists_{problem},
        report_{1} {}

  template <class Selector>
  farpoint::result enqueue(farpoint::cuda_exec exec) {
    auto const clouds = problem_.clouds_at(memory_.data(), offsets_.data());
    auto const params = problem_.params_with(as_span<index_t const>(firsts_), as_span<index_t const>(chosen_));
    std::size_t const needed = farpoint::fps_workspace_bytes<Selector>(exec, clouds, params);
    return farpoint::fps<Selector>(exec, clouds, params, lists_.output(report_.data()), workspace_.of_size(needed));
  }

  /// After the stream was synchronized.
  fps_answer<scalar> answer(farpoint::result outcome) const {
    if (outcome && !(report_.intact() && workspace_.intact())) outcome = memory_was_written;
    return {lists_.answer(outcome), outcome ? report_.download()[0] : farpoint::fps_report{}};
  }

  device_array<unsigned char>& memory() { return memory_; }

 private:
  template <class T, class Array>
  static farpoint::span<T> as_span(Array const& array) {
    return {array.data(), array.size()};
  }

  Problem const& problem_;
  device_array<unsigned char> memory_;
  device_array<index_t> offsets_, firsts_, chosen_;
  fps_arrays<Problem, Index, device_array> lists_;
  device_array<farpoint::fps_report> report_;
  call_workspace workspace_;
};

/// On a stream of its own, with the kernels that `Selector` chooses.
template <class Selector, class Problem>
auto solve_on_device(Problem const& problem) {
  return run_with_index_type<Selector, device_call>(problem);
}

}  // namespace farpoint_tests

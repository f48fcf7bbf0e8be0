// Runs an fps_problem on the GPU and brings the answer back.
#pragma once

#include <farpoint/fps.cuh>

#include "../shared/answers.hpp"
#include "../shared/fps_problem.hpp"
#include "cuda_check.hpp"
#include "radix_sort_kernels.cuh"
#include "run_call.cuh"

namespace farpoint_tests {

/// All device memory of one call, so that a call can be repeated, captured, or run beside others.
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
        indices_{elements()},
        distances_{elements()},
        counts_{static_cast<std::size_t>(problem.cloud_count())},
        report_{1} {}

  template <class Selector>
  farpoint::result enqueue(cudaStream_t stream) {
    auto const clouds = problem_.clouds_at(memory_.data(), offsets_.data());
    auto const params = problem_.params_with(as_span<index_t const>(firsts_), as_span<index_t const>(chosen_));
    std::size_t const needed = farpoint::fps_workspace_bytes<Selector>(farpoint::cuda_exec{stream}, clouds, params);
    if (workspace_ == nullptr) workspace_ = std::make_unique<device_array<unsigned char>>(needed);
    farpoint::fps_output<scalar> const output{as_span<Index>(indices_), as_span<scalar>(distances_),
                                              as_span<Index>(counts_), report_.data()};
    return farpoint::fps<Selector>(farpoint::cuda_exec{stream}, clouds, params, output,
                                   as_span<unsigned char>(*workspace_));
  }

  /// After the stream was synchronised.
  fps_answer<scalar> answer(farpoint::result outcome) const {
    fps_answer<scalar> answer;
    answer.outcome = outcome;
    bool const kept = outcome ? indices_.intact() && distances_.intact() && counts_.intact() && report_.intact() &&
                                    workspace_->intact()
                              : indices_.untouched() && distances_.untouched() && counts_.untouched();
    if (!kept) answer.outcome = {farpoint::status::bad_argument, -1, "test: memory was written that must not be"};
    answer.indices = widen(indices_.download());
    answer.distances = distances_.download();
    answer.counts = widen(counts_.download());
    if (outcome) answer.report = report_.download()[0];
    return answer;
  }

  device_array<unsigned char>& memory() { return memory_; }

 private:
  template <class T, class Array>
  static farpoint::span<T> as_span(Array const& array) {
    return {array.data(), array.size()};
  }
  std::size_t elements() const {
    return static_cast<std::size_t>(problem_.cloud_count() * std::max<index_t>(problem_.samples, 0));
  }

  Problem const& problem_;
  device_array<unsigned char> memory_;
  device_array<index_t> offsets_, firsts_, chosen_;
  device_array<Index> indices_;
  device_array<scalar> distances_;
  device_array<Index> counts_;
  device_array<farpoint::fps_report> report_;
  std::unique_ptr<device_array<unsigned char>> workspace_;
};

/// On a stream of its own, with the kernels that `Selector` chooses.
template <class Selector, class Problem>
auto solve_on_device(Problem const& problem) {
  return with_index_type(problem, [&](auto index) {
    device_call<Problem, decltype(index)> call{problem};
    return run_call(call, [&](cudaStream_t stream) { return call.template enqueue<Selector>(stream); });
  });
}

}  // namespace farpoint_tests

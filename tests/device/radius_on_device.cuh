// Runs a radius_problem on the GPU and brings the answer back.
#pragma once

#include <farpoint/radius.cuh>

#include "clouds_on_device.cuh"

namespace farpoint_tests {

/// All device memory of one call, so that a call can be repeated or captured.
template <class Problem, class Index>
class radius_call {
 public:
  using scalar = typename Problem::scalar;

  /// @param elements  of the lists
  /// @param counts    counts or offsets
  radius_call(Problem const& problem, index_t elements, index_t counts)
      : problem_{problem},
        clouds_{problem},
        indices_{static_cast<std::size_t>(elements)},
        distances_{static_cast<std::size_t>(elements)},
        counts_{static_cast<std::size_t>(counts)},
        report_{1} {}

  farpoint::result lists(cudaStream_t stream) {
    farpoint::cuda_exec const exec{stream};
    farpoint::radius_output<scalar> const output{span_of<Index>(indices_), span_of<scalar>(distances_),
                                                 span_of<Index>(counts_), report_.data()};
    auto const points = clouds_.points();
    auto const params = problem_.params;
    if (problem_.self) {
      return radius(exec, points, params, problem_.k, output, workspace(radius_workspace_bytes(exec, points)));
    }
    auto const queries = clouds_.queries();
    return radius(exec, points, queries, params, problem_.k, output,
                  workspace(radius_workspace_bytes(exec, points, queries)));
  }

  farpoint::result rows(cudaStream_t stream) {
    farpoint::cuda_exec const exec{stream};
    farpoint::radius_rows_output<scalar> const output{span_of<Index>(counts_), span_of<Index>(indices_),
                                                      span_of<scalar>(distances_), report_.data()};
    auto const points = clouds_.points();
    auto const params = problem_.params;
    if (problem_.self) {
      return radius_rows(exec, points, params, output, workspace(radius_workspace_bytes(exec, points)));
    }
    auto const queries = clouds_.queries();
    return radius_rows(exec, points, queries, params, output, workspace(radius_workspace_bytes(exec, points, queries)));
  }

  /// After the stream was synchronised.
  knn_answer<scalar> answer(farpoint::result outcome) const {
    bool kept = outcome ? indices_.intact() && distances_.intact() && counts_.intact() && report_.intact()
                        : indices_.untouched() && distances_.untouched() && counts_.untouched();
    kept = kept && (workspace_ == nullptr || workspace_->intact()) && clouds_.intact();
    if (!kept) outcome = {farpoint::status::bad_argument, -1, "test: memory was written that must not be"};
    knn_answer<scalar> answer{outcome, widen(with_poison_of_host(indices_.download())),
                              with_poison_of_host(distances_.download()),
                              widen(with_poison_of_host(counts_.download()))};
    if (!outcome) return answer;
    farpoint::radius_report const report = report_.download()[0];
    answer.non_finite_points = report.non_finite_points;
    answer.non_finite_queries = report.non_finite_queries;
    answer.total = report.total;
    answer.rows_left_out = report.rows_left_out;
    return answer;
  }

  clouds_on_device<Problem>& clouds() { return clouds_; }

 private:
  farpoint::bytes workspace(std::size_t size) {
    if (workspace_ == nullptr) workspace_ = noisy_workspace(size);
    return span_of<unsigned char>(*workspace_);
  }

  Problem const& problem_;
  clouds_on_device<Problem> clouds_;
  device_array<Index> indices_;
  device_array<scalar> distances_;
  device_array<Index> counts_;
  device_array<farpoint::radius_report> report_;
  std::unique_ptr<device_array<unsigned char>> workspace_;
};

/// On a stream of its own.
template <class Index, class Problem>
auto radius_on_device(Problem const& problem) {
  index_t const rows = problem.query_count();
  radius_call<Problem, Index> call{problem, rows * std::clamp<index_t>(problem.k, 0, 2000), rows};
  test_stream const stream;
  farpoint::result const outcome = call.lists(stream.get());
  REQUIRE_CUDA(cudaStreamSynchronize(stream.get()));
  return call.answer(outcome);
}

/// The same for radius_rows().
template <class Index, class Problem>
auto rows_on_device(Problem const& problem) {
  radius_call<Problem, Index> call{problem, problem.capacity, problem.query_count() + 1};
  test_stream const stream;
  farpoint::result const outcome = call.rows(stream.get());
  REQUIRE_CUDA(cudaStreamSynchronize(stream.get()));
  return call.answer(outcome);
}

}  // namespace farpoint_tests

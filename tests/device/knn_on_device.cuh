// Runs a knn_problem on the GPU and brings the answer back.
#pragma once

#include <farpoint/knn.cuh>
#include <farpoint/point_index.cuh>

#include "clouds_on_device.cuh"

namespace farpoint_tests {

/// All device memory of one call, so that a call can be repeated or captured.
template <class Problem, class Index, class Selector = farpoint::knn_selector>
class knn_call {
 public:
  using scalar = typename Problem::scalar;

  explicit knn_call(Problem const& problem)
      : problem_{problem},
        clouds_{problem},
        indices_{static_cast<std::size_t>(rows() * std::clamp<index_t>(problem.k, 0, 2000))},
        distances_{indices_.size()},
        counts_{static_cast<std::size_t>(rows())},
        report_{1} {}

  farpoint::result enqueue(cudaStream_t stream) {
    farpoint::cuda_exec const exec{stream};
    auto const points = clouds_.points();
    auto const method = problem_.method;
    auto const k = problem_.k;
    if (problem_.self) {
      return farpoint::knn<Selector>(exec, points, method, k, output(),
                                     workspace(farpoint::knn_workspace_bytes<Selector>(exec, points, method, k)));
    }
    auto const queries = clouds_.queries();
    return farpoint::knn<Selector>(
        exec, points, queries, method, k, output(),
        workspace(farpoint::knn_workspace_bytes<Selector>(exec, points, queries, method, k)));
  }

  /// Builds the index first. Without a workspace the queries are answered as they come.
  farpoint::result enqueue_with_index(cudaStream_t stream, bool has_workspace) {
    farpoint::cuda_exec const exec{stream};
    auto const points = clouds_.points();
    if (memory_ == nullptr) memory_ = noisy_workspace(farpoint::point_index_bytes<Selector>(exec, points));
    farpoint::device_point_index<scalar> index;
    auto const built = farpoint::build_point_index<Selector>(exec, points, span_of<unsigned char>(*memory_), index);
    if (!built) return built;
    if (problem_.self) return ask(exec, index, points, has_workspace);
    return ask(exec, index, clouds_.queries(), has_workspace);
  }

  /// After the stream was synchronised.
  knn_answer<scalar> answer(farpoint::result outcome) const {
    bool kept = outcome ? indices_.intact() && distances_.intact() && counts_.intact() && report_.intact()
                        : indices_.untouched() && distances_.untouched() && counts_.untouched();
    kept = kept && (workspace_ == nullptr || workspace_->intact()) && (memory_ == nullptr || memory_->intact());
    kept = kept && clouds_.intact();
    if (!kept) outcome = {farpoint::status::bad_argument, -1, "test: memory was written that must not be"};
    knn_answer<scalar> answer{outcome, widen(with_poison_of_host(indices_.download())),
                              with_poison_of_host(distances_.download()),
                              widen(with_poison_of_host(counts_.download()))};
    if (!outcome) return answer;
    farpoint::knn_report const report = report_.download()[0];
    answer.non_finite_points = report.non_finite_points;
    answer.non_finite_queries = report.non_finite_queries;
    return answer;
  }

  clouds_on_device<Problem>& clouds() { return clouds_; }

 private:
  index_t rows() const { return problem_.query_count(); }
  farpoint::knn_output<scalar> output() {
    return {span_of<Index>(indices_), span_of<scalar>(distances_), span_of<Index>(counts_), report_.data()};
  }
  template <class Queries>
  farpoint::result ask(farpoint::cuda_exec exec, farpoint::device_point_index<scalar> const& index,
                       Queries const& queries, bool has_workspace) {
    auto const work =
        has_workspace ? workspace(farpoint::knn_workspace_bytes(exec, index, queries)) : farpoint::bytes{};
    return farpoint::knn<Selector>(exec, index, queries, problem_.method, problem_.k, output(), work);
  }
  farpoint::bytes workspace(std::size_t size) {
    if (workspace_ == nullptr) workspace_ = noisy_workspace(size);
    return span_of<unsigned char>(*workspace_);
  }

  Problem const& problem_;
  clouds_on_device<Problem> clouds_;
  device_array<Index> indices_;
  device_array<scalar> distances_;
  device_array<Index> counts_;
  device_array<farpoint::knn_report> report_;
  std::unique_ptr<device_array<unsigned char>> workspace_;
  std::unique_ptr<device_array<unsigned char>> memory_;  ///< of an index
};

/// On a stream of its own.
template <class Selector, class Index, class Problem>
auto knn_on_device(Problem const& problem) {
  knn_call<Problem, Index, Selector> call{problem};
  test_stream const stream;
  farpoint::result const outcome = call.enqueue(stream.get());
  REQUIRE_CUDA(cudaStreamSynchronize(stream.get()));
  return call.answer(outcome);
}

}  // namespace farpoint_tests

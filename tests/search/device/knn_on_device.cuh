// Runs a knn_problem on the GPU and brings the answer back.
#pragma once

#include <farpoint/knn.cuh>
#include <farpoint/point_bvh.cuh>

#include "knn_kernels.cuh"
#include "lists_on_device.cuh"

namespace farpoint_tests {

template <class Problem, class Index, class Selector = farpoint::knn_selector>
class knn_call : public lists_on_device<Problem, Index, farpoint::knn_report> {
  using base = lists_on_device<Problem, Index, farpoint::knn_report>;

 public:
  using typename base::scalar;

  explicit knn_call(Problem const& problem) : base{problem, problem.list_size(), problem.query_count()} {}

  farpoint::result enqueue(cudaStream_t stream) {
    farpoint::cuda_exec const exec{stream};
    auto const points = this->points();
    auto const params = this->problem().nearest();
    if (this->problem().self) {
      return farpoint::knn<Selector>(exec, points, params, output(),
                                     this->workspace(farpoint::knn_workspace_bytes<Selector>(exec, points, params)));
    }
    auto const queries = this->queries();
    return farpoint::knn<Selector>(
        exec, points, queries, params, output(),
        this->workspace(farpoint::knn_workspace_bytes<Selector>(exec, points, queries, params)));
  }

  /// Builds the index first. Without a workspace the queries are answered as they come.
  farpoint::result enqueue_with_index(cudaStream_t stream, bool has_workspace) {
    farpoint::cuda_exec const exec{stream};
    auto const points = this->points();
    auto const memory = memory_.of_size(farpoint::point_bvh_bytes<Selector>(exec, points));
    farpoint::device_point_bvh<scalar> index;
    auto const built = farpoint::build_point_bvh<Selector>(exec, points, memory, index);
    if (!built) return built;
    if (this->problem().self) return ask(exec, index, points, has_workspace);
    return ask(exec, index, this->queries(), has_workspace);
  }

  knn_answer<scalar> answer(farpoint::result outcome) const {
    return base::answer(memory_.intact() ? outcome : memory_was_written);
  }

 private:
  farpoint::knn_output<scalar> output() const {
    return {this->indices(), this->distances(), this->counts(), this->report()};
  }
  template <class Queries>
  farpoint::result ask(farpoint::cuda_exec exec, farpoint::device_point_bvh<scalar> const& index,
                       Queries const& queries, bool has_workspace) {
    auto const work = has_workspace ? this->workspace(farpoint::knn_workspace_bytes<Selector>(exec, index, queries))
                                    : farpoint::bytes{};
    auto const params = this->problem().nearest();
    return farpoint::knn<Selector>(exec, index, queries, params, output(), work);
  }

  call_workspace memory_;  ///< of an index
};

/// Calls knn() on a stream of its own.
template <class Selector, class Index, class Problem>
auto knn_on_device(Problem const& problem) {
  knn_call<Problem, Index, Selector> call{problem};
  return run_call(call, [&](cudaStream_t stream) { return call.enqueue(stream); });
}

}  // namespace farpoint_tests

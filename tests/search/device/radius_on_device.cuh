// Runs a radius_problem on the GPU and brings the answer back.
#pragma once

#include "lists_on_device.cuh"
#include "radius_kernels.cuh"

namespace farpoint_tests {

template <class Problem, class Index, class Selector = farpoint::knn_selector>
class radius_call : public lists_on_device<Problem, Index, farpoint::radius_report> {
  using base = lists_on_device<Problem, Index, farpoint::radius_report>;

 public:
  using typename base::scalar;

  /// @param elements  of the lists
  /// @param counts    counts or offsets
  radius_call(Problem const& problem, index_t elements, index_t counts) : base{problem, elements, counts} {}

  farpoint::result lists(cudaStream_t stream) {
    farpoint::radius_output<scalar> const output{this->indices(), this->distances(), this->counts(), this->report()};
    return run(stream, [&](auto exec, farpoint::bytes workspace, auto const&... clouds) {
      return farpoint::radius<Selector>(exec, clouds..., this->problem().within(), output, workspace);
    });
  }

  farpoint::result rows(cudaStream_t stream) {
    farpoint::radius_rows_output<scalar> const output{this->counts(), this->indices(), this->distances(),
                                                      this->report()};
    return run(stream, [&](auto exec, farpoint::bytes workspace, auto const&... clouds) {
      return radius_rows(exec, clouds..., this->problem().params, output, workspace);
    });
  }

 private:
  template <class Call>
  farpoint::result run(cudaStream_t stream, Call const& call) {
    farpoint::cuda_exec const exec{stream};
    auto const points = this->points();
    if (this->problem().self) return call(exec, this->workspace(radius_workspace_bytes(exec, points)), points);
    auto const queries = this->queries();
    return call(exec, this->workspace(radius_workspace_bytes(exec, points, queries)), points, queries);
  }
};

/// Calls radius() on a stream of its own.
template <class Index, class Selector = farpoint::knn_selector, class Problem>
auto radius_on_device(Problem const& problem) {
  radius_call<Problem, Index, Selector> call{problem, problem.list_size(), problem.query_count()};
  return run_call(call, [&](cudaStream_t stream) { return call.lists(stream); });
}

/// Calls radius_rows() on a stream of its own.
template <class Index, class Problem>
auto rows_on_device(Problem const& problem) {
  radius_call<Problem, Index> call{problem, problem.capacity, problem.query_count() + 1};
  return run_call(call, [&](cudaStream_t stream) { return call.rows(stream); });
}

}  // namespace farpoint_tests

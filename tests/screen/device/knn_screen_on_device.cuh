// Runs a screen_problem on the GPU and brings the answer back.
#pragma once

#include <farpoint/knn_screen.cuh>

#include "../../core/device/radix_sort_kernels.cuh"
#include "../../search/device/point_bvh_kernels.cuh"
#include "../../support/device/cuda_check.hpp"
#include "../../support/device/run_call.cuh"
#include "../knn_screen_problem.hpp"

namespace farpoint_tests {

/// Device memory of one call, so that the call can be repeated, captured, or run concurrently with others.
template <class Problem, class Index>
class screen_call {
 public:
  using scalar = typename Problem::scalar;

  explicit screen_call(Problem const& problem)
      : problem_{problem},
        memory_{problem.points.memory},
        offsets_{problem.points.offsets},
        arrays_{problem},
        report_{1} {}

  template <class Selector>
  farpoint::result enqueue(cudaStream_t stream) {
    farpoint::cuda_exec const exec{stream};
    auto const cloud = problem_.points.clouds_at(memory_.data(), offsets_.data());
    std::size_t const needed = farpoint::knn_workspace_bytes<Selector>(exec, cloud, problem_.method);
    return farpoint::knn<Selector>(exec, cloud, problem_.method, arrays_.output(report_.data()),
                                   workspace_.of_size(needed));
  }

  /// Returns the answer. The stream must have been synchronized.
  screen_answer<scalar> answer(farpoint::result outcome) const {
    bool const kept = workspace_.intact() && memory_.intact() && offsets_.intact() && report_.intact();
    return arrays_.answer(kept ? outcome : memory_was_written, report_.download()[0]);
  }

  /// Overwrites the workspace, so that a call cannot rely on data of an earlier one.
  void scramble_workspace(std::uint64_t seed) { workspace_.scramble(seed); }
  /// Refills the outputs with poison, which rows that are not written must keep.
  void poison() {
    arrays_.for_each([](auto& array) { array.refill(); });
  }
  /// Replaces the points by the points of another problem of equal size, in the same memory.
  void upload(Problem const& other) {
    memory_.upload(other.points.memory);
    offsets_.upload(other.points.offsets);
  }

 private:
  Problem const& problem_;
  device_array<unsigned char> memory_;
  device_array<index_t> offsets_;
  screen_arrays<scalar, Index, device_array> arrays_;
  device_array<farpoint::knn_screen_report> report_;
  call_workspace workspace_;
};

/// Runs a problem on a stream of its own.
template <class Selector, class Problem>
auto screen_on_device(Problem const& problem) {
  return run_with_index_type<Selector, screen_call>(problem);
}

}  // namespace farpoint_tests

// knn() of floats with the default selector is compiled in kernels/knn_screen.cu only: `how` is `extern template` or
// `template`.
#define KNN_SCREEN_OF_FLOATS(how)                                                                                 \
  how farpoint::result farpoint::knn<farpoint::knn_screen_selector>(                                              \
      farpoint::cuda_exec, farpoint::batch<farpoint::point_view<float>> const&,                                   \
      decltype(farpoint_tests::pinhole_problem<float>::method) const&, farpoint::knn_screen_output<float> const&, \
      farpoint::bytes) noexcept;

KNN_SCREEN_OF_FLOATS(extern template)

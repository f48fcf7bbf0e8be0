// Clouds and lists of neighbors in device memory: what calls of knn() and radius() have in common.
#pragma once

#include "../../support/check_answer.hpp"
#include "../../support/device/clouds_on_device.cuh"
#include "../../support/device/run_call.cuh"
#include "../../support/device/stream_citizen.cuh"

namespace farpoint_tests {

/// Everything of one call but the call, so that it can be repeated or captured.
template <class Problem, class Index, class Report>
class lists_on_device {
 public:
  using scalar = typename Problem::scalar;

  /// After the stream was synchronized.
  knn_answer<scalar> answer(farpoint::result outcome) const {
    bool const kept = report_.intact() && workspace_.intact() && clouds_.intact();
    if (!kept) outcome = memory_was_written;
    knn_answer<scalar> answer{lists_.answer(outcome)};
    if (answer.outcome) add_report(answer, report_.download()[0]);
    return answer;
  }

  clouds_on_device<Problem>& clouds() { return clouds_; }
  /// After a call.
  void fill_workspace(leftover kind) { workspace_.fill(kind, 1); }

 protected:
  /// @param elements  of the lists
  /// @param counts    counts or offsets
  lists_on_device(Problem const& problem, index_t elements, index_t counts)
      : problem_{problem}, clouds_{problem}, lists_{elements, counts}, report_{1} {}

  Problem const& problem() const { return problem_; }
  auto points() const { return clouds_.points(); }
  auto queries() const { return clouds_.queries(); }
  auto indices() const { return lists_.index_span(); }
  auto distances() const { return lists_.distance_span(); }
  auto counts() const { return lists_.count_span(); }
  Report* report() const { return report_.data(); }

  /// Returns the workspace, which the first call allocates with `size` bytes.
  farpoint::bytes workspace(std::size_t size) { return workspace_.of_size(size); }

 private:
  Problem const& problem_;
  clouds_on_device<Problem> clouds_;
  list_arrays<scalar, Index, device_array> lists_;
  device_array<Report> report_;
  call_workspace workspace_;
};

/// A call in a graph that is replayed with the clouds of each problem.
/// @param enqueue   `enqueue(stream)`: makes the call
/// @param expected  `expected(problem)`: the right answer
template <class Call, class Problem, class Enqueue, class Expected>
void check_list_replays(Call& call, std::vector<Problem> const& problems, Enqueue const& enqueue,
                        Expected const& expected) {
  test_stream const stream;
  REQUIRE(enqueue(stream.get()));  // also allocates the workspace, before the capture
  REQUIRE_CUDA(cudaStreamSynchronize(stream.get()));
  farpoint::result outcome;
  captured_graph const graph{stream.get(), [&] { outcome = enqueue(stream.get()); }};
  REQUIRE(outcome);
  for (auto const& problem : problems) {
    call.clouds().upload(problem);
    graph.replay();
    auto const answer = call.answer(outcome);
    auto const right = expected(problem);
    check_answer(answer, right);
  }
}

}  // namespace farpoint_tests

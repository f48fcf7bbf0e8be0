/// @file
/// A row of knn() on the GPU: its points, memory for the contenders, and the check of their lists. Needs nvcc.
#pragma once

#include "knn/verify_lists.cuh"
#include "peers/external/device_peers.hpp"
#include "peers/knn_brute.cuh"
#include "support/device_lists.cuh"
#include "support/problem_store.hpp"

#include <farpoint/knn.cuh>
#include <farpoint/knn.hpp>
#include <farpoint/point_bvh.cuh>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace farpoint_bench {

class knn_problem {
 public:
  knn_problem(knn_row const& row, std::vector<float> const& scan)
      : row_{row}, xyz_{row.make(scan)}, points_{xyz_}, lists_{static_cast<std::size_t>(row.points * row.k)} {}

  std::vector<float> const& xyz() const noexcept { return xyz_; }
  cudaStream_t stream() const noexcept { return stream_.get(); }
  std::size_t workspace_bytes() const noexcept { return lists_.workspace().size(); }

  /// Lists of knn() on the host, whose tests compare them with brute force. The first call computes them.
  knn_lists const& expected() {
    if (expected_) return *expected_;
    farpoint::host_exec const exec;
    knn_lists lists{row_.points, row_.k};
    knn_clouds const clouds = cloud_of(xyz_.data(), row_.points);
    farpoint::detail::host_workspace const workspace{
        farpoint::knn_workspace_bytes(exec, clouds, farpoint::knn_params{row_.k})};
    check(farpoint::knn(exec, clouds, farpoint::knn_params{row_.k}, lists.output(), workspace.get()),
          "farpoint::knn on the host");
    expected_ = std::move(lists);
    return *expected_;
  }

  /// Allocates the workspace for `Selector`.
  template <class Selector>
  void reserve() {
    lists_.reserve(
        farpoint::knn_workspace_bytes<Selector>(farpoint::cuda_exec{stream()}, clouds(), farpoint::knn_params{row_.k}));
  }

  /// Enqueues farpoint::knn as `Selector` tunes it. Call reserve<Selector>() first.
  template <class Selector>
  void launch_farpoint(cudaStream_t stream) const {
    check(farpoint::knn<Selector>(farpoint::cuda_exec{stream}, clouds(), farpoint::knn_params{row_.k}, output(),
                                  lists_.workspace()),
          "farpoint::knn");
  }

  /// Enqueues the build of the index alone, in the workspace of reserve<Selector>().
  template <class Selector>
  farpoint::device_point_bvh<float> launch_index(cudaStream_t stream) const {
    farpoint::device_point_bvh<float> index;
    check(farpoint::build_point_bvh<Selector>(farpoint::cuda_exec{stream}, clouds(), lists_.workspace(), index),
          "farpoint::build_point_bvh");
    return index;
  }
  /// Enqueues a search in an index of launch_index().
  void launch_search(cudaStream_t stream, farpoint::device_point_bvh<float> const& index) const {
    check(farpoint::knn(farpoint::cuda_exec{stream}, index, clouds(), farpoint::knn_params{row_.k}, output()),
          "farpoint::knn (built index)");
  }

  /// Enqueues brute force over all pairs of points.
  void launch_brute(cudaStream_t stream) const {
    brute_force(stream, {points_.data(), static_cast<std::uint32_t>(row_.points), static_cast<int>(row_.k),
                         lists_.indices().data(), lists_.distances().data()});
  }

  /// Input of other libraries: the points are their own queries, and device_knn::enqueue() builds the index.
  device_knn::input peer_input() const {
    device_knn::input in = peer_shape(row_);
    in.xyz = in.queries_xyz = points_.data();
    return in;
  }
  /// Input of other libraries with null pointers: its sizes decide whether a library has such a call.
  static device_knn::input peer_shape(knn_row const& row) {
    auto const size = static_cast<int>(row.points);
    bool const is_degenerate = row.kind == knn_cloud::one_cell || row.kind == knn_cloud::heap;
    return {size, size, static_cast<int>(row.k), nullptr, nullptr, false, is_degenerate};
  }

  /// Runs a contender once; throws unless it returns expected(). `launch(stream)` fills the outputs.
  template <class Launch>
  void verify(Launch&& launch, std::string const& who) {
    verify_lists(lists_, stream(), launch, expected(), row_.k, who);
  }

 private:
  knn_clouds clouds() const { return cloud_of(points_.data(), row_.points); }
  farpoint::knn_output<float> output() const { return {lists_.indices(), lists_.distances()}; }

  knn_row row_;
  std::vector<float> xyz_;
  std::optional<knn_lists> expected_;
  owned_stream stream_;
  device_buffer<float> points_;
  device_lists lists_;
};

using knn_problem_store = problem_store<knn_problem, knn_row>;

}  // namespace farpoint_bench

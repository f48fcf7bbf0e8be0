/// @file
/// A row of knn on the GPU: its points, memory for the contenders, and the check of what they return. Needs nvcc.
#pragma once

#include "knn/expected.hpp"
#include "peers/knn_brute.cuh"
#include "support/cuda_handles.hpp"
#include "support/problem_store.hpp"

#include <farpoint/knn.cuh>
#include <farpoint/knn.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace farpoint_bench {

class knn_problem {
 public:
  knn_problem(knn_row const& row, std::vector<float> const& scan)
      : row_{row},
        xyz_{row.make(scan)},
        points_{xyz_},
        indices_{static_cast<std::size_t>(row.points * row.k)},
        distances_{static_cast<std::size_t>(row.points * row.k)} {}

  std::vector<float> const& xyz() const noexcept { return xyz_; }
  cudaStream_t stream() const noexcept { return stream_.get(); }
  std::size_t workspace_bytes() const noexcept { return workspace_ == nullptr ? 0 : workspace_->size(); }

  /// The lists of host_exec, whose tests compare it with brute force.
  knn_lists const& expected() {
    if (expected_) return *expected_;
    farpoint::host_exec const exec;
    knn_lists lists{row_.points, row_.k};
    knn_clouds const clouds = cloud_of(xyz_.data(), row_.points);
    farpoint::detail::host_workspace const workspace{
        farpoint::knn_workspace_bytes(exec, clouds, farpoint::exact{}, row_.k)};
    check(farpoint::knn(exec, clouds, farpoint::exact{}, row_.k, lists.output(), workspace.get()),
          "farpoint::knn on the host");
    expected_ = std::move(lists);
    return *expected_;
  }

  /// Makes the workspace large enough for `Selector`.
  template <class Selector>
  void reserve() {
    std::size_t const bytes =
        farpoint::knn_workspace_bytes<Selector>(farpoint::cuda_exec{stream()}, clouds(), farpoint::exact{}, row_.k);
    if (workspace_ != nullptr && workspace_->size() == bytes) return;
    workspace_.reset();
    workspace_ = std::make_unique<device_buffer<unsigned char>>(bytes);
  }

  /// Enqueues farpoint::knn as `Selector` tunes it. Call reserve<Selector>() first.
  template <class Selector>
  void launch_farpoint(cudaStream_t stream) const {
    farpoint::knn_output<float> const output{farpoint::span<std::int32_t>{indices_.data(), indices_.size()},
                                             farpoint::span<float>{distances_.data(), distances_.size()}};
    check(farpoint::knn<Selector>(farpoint::cuda_exec{stream}, clouds(), farpoint::exact{}, row_.k, output,
                                  farpoint::bytes{workspace_->data(), workspace_->size()}),
          "farpoint::knn");
  }

  void launch_brute(cudaStream_t stream) const {
    brute_force(stream, {points_.data(), static_cast<std::uint32_t>(row_.points), static_cast<int>(row_.k),
                         indices_.data(), distances_.data()});
  }

  /// Runs a contender once; throws unless it returns what is expected. `launch(stream)` fills the outputs.
  template <class Launch>
  void verify(Launch&& launch, std::string const& who) {
    knn_lists const& lists = expected();
    // An output that is not written must not pass for that of the contender before.
    check(cudaMemset(indices_.data(), 0xff, indices_.size() * sizeof(std::int32_t)), "cudaMemset");
    check(cudaMemset(distances_.data(), 0xff, distances_.size() * sizeof(float)), "cudaMemset");
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    launch(stream());
    expect_equal({indices_.download(), distances_.download()}, lists, row_.k, who);
  }

 private:
  knn_clouds clouds() const { return cloud_of(points_.data(), row_.points); }

  knn_row row_;
  std::vector<float> xyz_;
  std::optional<knn_lists> expected_;
  owned_stream stream_;
  device_buffer<float> points_;
  device_buffer<std::int32_t> indices_;
  device_buffer<float> distances_;
  std::unique_ptr<device_buffer<unsigned char>> workspace_;
};

using knn_problem_store = problem_store<knn_problem, knn_row>;

}  // namespace farpoint_bench

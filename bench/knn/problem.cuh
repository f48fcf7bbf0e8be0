/// @file
/// A row on the GPU: its points, memory for all contenders, and the check that they give the right answer. Needs nvcc.
#pragma once

#include "peers/knn_brute.cuh"
#include "knn/row.hpp"
#include "support/cuda_handles.hpp"
#include "support/problem_store.hpp"

#include <farpoint/knn.cuh>
#include <farpoint/knn.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace farpoint_bench {

using knn_clouds = farpoint::batch<farpoint::point_view<float>>;

/// `[points, k]` each.
struct knn_lists {
  std::vector<std::int32_t> indices;
  std::vector<float> distances;
};

/// Throws unless indices and bits of distances are equal.
inline void expect_equal(knn_lists const& got, knn_lists const& right, farpoint::index_t k, std::string const& who) {
  for (std::size_t i = 0; i < right.indices.size(); ++i) {
    if (got.indices[i] == right.indices[i] && std::memcmp(&got.distances[i], &right.distances[i], sizeof(float)) == 0) {
      continue;
    }
    throw std::runtime_error{"MISMATCH, " + who + ": neighbour " + std::to_string(i % static_cast<std::size_t>(k)) +
                             " of point " + std::to_string(i / static_cast<std::size_t>(k))};
  }
}

class knn_problem {
 public:
  knn_problem(knn_row const& row, std::vector<float> const& scan)
      : row_{row},
        xyz_{row.make(scan)},
        points_{xyz_},
        indices_{static_cast<std::size_t>(row.points * row.k)},
        distances_{static_cast<std::size_t>(row.points * row.k)} {}

  knn_row const& row() const noexcept { return row_; }
  std::vector<float> const& xyz() const noexcept { return xyz_; }
  cudaStream_t stream() const noexcept { return stream_.get(); }
  std::size_t workspace_bytes() const noexcept { return workspace_ == nullptr ? 0 : workspace_->size(); }

  /// The answer of host_exec, whose tests compare it with brute force.
  knn_lists const& wanted() {
    if (wanted_) return *wanted_;
    knn_lists lists{std::vector<std::int32_t>(indices_.size()), std::vector<float>(indices_.size())};
    knn_clouds const clouds = clouds_at(xyz_.data());
    farpoint::detail::host_workspace const workspace{
        farpoint::knn_workspace_bytes(farpoint::host_exec{}, clouds, farpoint::exact{}, row_.k)};
    check(farpoint::knn(farpoint::host_exec{}, clouds, farpoint::exact{}, row_.k,
                        farpoint::knn_output<float>{lists.indices, lists.distances}, workspace.get()),
          "farpoint::knn on the host");
    wanted_ = std::move(lists);
    return *wanted_;
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

  /// Runs a contender once; throws unless its answer is the wanted one.
  template <class Launch>
  void verify(Launch&& launch, std::string const& who) {
    knn_lists const& right = wanted();
    // An output that is not written must not pass for the answer of the contender before.
    check(cudaMemset(indices_.data(), 0xff, indices_.size() * sizeof(std::int32_t)), "cudaMemset");
    check(cudaMemset(distances_.data(), 0xff, distances_.size() * sizeof(float)), "cudaMemset");
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    launch(stream());
    expect_equal({indices_.download(), distances_.download()}, right, row_.k, who);
  }

 private:
  knn_clouds clouds_at(float const* xyz) const { return knn_clouds{farpoint::point_view<float>{xyz, row_.points}}; }
  knn_clouds clouds() const { return clouds_at(points_.data()); }

  knn_row row_;
  std::vector<float> xyz_;
  std::optional<knn_lists> wanted_;
  owned_stream stream_;
  device_buffer<float> points_;
  device_buffer<std::int32_t> indices_;
  device_buffer<float> distances_;
  std::unique_ptr<device_buffer<unsigned char>> workspace_;
};

using knn_problem_store = problem_store<knn_problem, knn_row>;

}  // namespace farpoint_bench

/// @file
/// Memory for lists of neighbors or samples on the device. Needs nvcc.
#pragma once

#include "cuda_handles.hpp"

#include <farpoint/core/types.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace farpoint_bench {

/// The indices and distances that contenders write, and a workspace for farpoint's call.
template <class Index, class Scalar = float>
class basic_device_lists {
 public:
  /// @param size  elements of all lists
  explicit basic_device_lists(std::size_t size) : indices_{size}, distances_{size} {}

  farpoint::span<Index> indices() const noexcept { return {indices_.data(), indices_.size()}; }
  farpoint::span<Scalar> distances() const noexcept { return {distances_.data(), distances_.size()}; }
  /// An output that the lists are part of.
  template <class Output>
  Output output() const {
    Output lists;
    lists.indices = indices();
    lists.distances = distances();
    return lists;
  }
  farpoint::bytes workspace() const noexcept {
    return workspace_ == nullptr ? farpoint::bytes{} : farpoint::bytes{workspace_->data(), workspace_->size()};
  }

  /// Gives the workspace this size.
  void reserve(std::size_t bytes) {
    if (workspace_ != nullptr && workspace_->size() == bytes) return;
    workspace_.reset();
    workspace_ = std::make_unique<device_buffer<unsigned char>>(bytes);
  }

  /// Overwrites the lists: what is not written must not pass for the output of the contender before.
  void clear(cudaStream_t stream) const {
    check(cudaMemsetAsync(indices_.data(), 0xff, indices_.size() * sizeof(Index), stream), "cudaMemsetAsync");
    check(cudaMemsetAsync(distances_.data(), 0xff, distances_.size() * sizeof(Scalar), stream), "cudaMemsetAsync");
  }

  // Copies in host memory; they wait for the device.
  std::vector<Index> download_indices() const { return indices_.download(); }
  std::vector<Scalar> download_distances() const { return distances_.download(); }

 private:
  device_buffer<Index> indices_;
  device_buffer<Scalar> distances_;
  std::unique_ptr<device_buffer<unsigned char>> workspace_;
};

using device_lists = basic_device_lists<std::int32_t>;

}  // namespace farpoint_bench

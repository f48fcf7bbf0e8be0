/// @file
/// Memory for lists of neighbours or samples on the device. Needs nvcc.
#pragma once

#include "cuda_handles.hpp"

#include <farpoint/core/types.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace farpoint_bench {

/// The indices and distances that contenders write, and a workspace for farpoint's call.
class device_lists {
 public:
  /// @param size  elements of all lists
  explicit device_lists(std::size_t size) : indices_{size}, distances_{size} {}

  farpoint::span<std::int32_t> indices() const noexcept { return {indices_.data(), indices_.size()}; }
  farpoint::span<float> distances() const noexcept { return {distances_.data(), distances_.size()}; }
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
    check(cudaMemsetAsync(indices_.data(), 0xff, indices_.size() * sizeof(std::int32_t), stream), "cudaMemsetAsync");
    check(cudaMemsetAsync(distances_.data(), 0xff, distances_.size() * sizeof(float), stream), "cudaMemsetAsync");
  }

  // Copies in host memory; they wait for the device.
  std::vector<std::int32_t> download_indices() const { return indices_.download(); }
  std::vector<float> download_distances() const { return distances_.download(); }

 private:
  device_buffer<std::int32_t> indices_;
  device_buffer<float> distances_;
  std::unique_ptr<device_buffer<unsigned char>> workspace_;
};

}  // namespace farpoint_bench

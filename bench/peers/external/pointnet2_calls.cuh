/// @file
/// Calls of kernels that have the interface of PointNet++'s. Needs nvcc.
#pragma once

#include "peers/external/device_peers.hpp"
#include "support/cuda_handles.hpp"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace farpoint_bench {

/// Fills `[size]` values.
static __global__ void fill_kernel(float* values, std::int64_t size, float value) {
  std::int64_t const step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < size; i += step) values[i] = value;
}

inline void fill(cudaStream_t stream, device_buffer<float> const& values, float value) {
  auto const size = static_cast<std::int64_t>(values.size());
  auto const blocks = static_cast<unsigned>(std::min<std::int64_t>((size + 255) / 256, 1024));
  fill_kernel<<<blocks, 256, 0, stream>>>(values.data(), size, value);
  check(cudaGetLastError(), "fill_kernel");
}

/// The frameworks fill an array of distances before the kernel; this is part of the call.
/// @tparam Kernels  `fps(stream, input, nearest, indices)` enqueues the kernel
template <class Kernels>
class pointnet2_fps final : public device_fps {
 public:
  explicit pointnet2_fps(input const& in)
      : in_{in},
        nearest_{static_cast<std::size_t>(in.clouds) * static_cast<std::size_t>(in.points)},
        indices_{static_cast<std::size_t>(in.clouds) * static_cast<std::size_t>(in.samples)} {}

  static bool suits(input const&) { return true; }
  void enqueue(cudaStream_t stream) override {
    fill(stream, nearest_, 1e10f);
    Kernels::fps(stream, in_, nearest_.data(), indices_.data());
  }
  std::vector<std::int32_t> indices() const override { return indices_.download(); }

 private:
  input in_;
  device_buffer<float> nearest_;
  device_buffer<std::int32_t> indices_;
};

/// All pairs of queries and points. The frameworks clear the output before the kernel; this is part of the call.
/// @tparam Kernels  `ball_query(stream, input, indices)` enqueues the kernel; `most_pairs` of a cloud take a second
template <class Kernels>
class pointnet2_ball_query final : public device_ball_query {
 public:
  explicit pointnet2_ball_query(input const& in)
      : in_{in},
        indices_{static_cast<std::size_t>(in.clouds) * static_cast<std::size_t>(in.queries) *
                 static_cast<std::size_t>(in.most)} {}

  static bool suits(input const& in) {
    return static_cast<double>(in.points) * static_cast<double>(in.queries) <= Kernels::most_pairs;
  }
  void enqueue(cudaStream_t stream) override {
    check(cudaMemsetAsync(indices_.data(), 0, indices_.size() * sizeof(std::int32_t), stream), "cudaMemsetAsync");
    Kernels::ball_query(stream, in_, indices_.data());
  }
  std::vector<std::int32_t> indices() const override { return indices_.download(); }

 private:
  input in_;
  device_buffer<std::int32_t> indices_;
};

}  // namespace farpoint_bench

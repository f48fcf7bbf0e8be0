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
/// @tparam Kernels  `ball_query(stream, input, indices)` enqueues the kernel; `max_pairs` of a cloud take a second
template <class Kernels>
class pointnet2_ball_query final : public device_ball_query {
 public:
  explicit pointnet2_ball_query(input const& in)
      : in_{in},
        indices_{static_cast<std::size_t>(in.clouds) * static_cast<std::size_t>(in.queries) *
                 static_cast<std::size_t>(in.most)} {}

  static bool suits(input const& in) {
    return static_cast<double>(in.points) * static_cast<double>(in.queries) <= Kernels::max_pairs;
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

/// @tparam Kernels  `gather(stream, input, features)` enqueues the kernel
template <class Kernels>
class pointnet2_gather final : public device_gather {
 public:
  explicit pointnet2_gather(input const& in)
      : in_{in},
        features_{static_cast<std::size_t>(in.clouds) * static_cast<std::size_t>(in.channels) *
                  static_cast<std::size_t>(in.rows) * static_cast<std::size_t>(in.row_size)} {}

  static bool suits(input const&) { return true; }
  void enqueue(cudaStream_t stream) override { Kernels::gather(stream, in_, features_.data()); }
  std::vector<float> features() const override { return features_.download(); }

 private:
  input in_;
  device_buffer<float> features_;
};

/// `[queries, 3]`: inverse squared distances, over their sum.
static __global__ void weights_kernel(float const* distances, std::int64_t queries, float* weights) {
  std::int64_t const i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= queries) return;
  float inverse[3];
  float sum = 0;
  for (int j = 0; j < 3; ++j) {
    inverse[j] = 1 / fmaxf(distances[3 * i + j], 1e-20f);
    sum += inverse[j];
  }
  for (int j = 0; j < 3; ++j) weights[3 * i + j] = inverse[j] / sum;
}

/// The frameworks compute the weights between the kernels; this is part of the call.
/// @tparam Kernels  `three_nn(stream, input, distances, indices)` and `interpolate(stream, input, indices, weights,
///                  features)` enqueue the kernels
template <class Kernels>
class pointnet2_interpolate final : public device_interpolate {
 public:
  explicit pointnet2_interpolate(input const& in)
      : in_{in},
        queries_{static_cast<std::size_t>(in.clouds) * static_cast<std::size_t>(in.queries)},
        distances_{3 * queries_},
        weights_{3 * queries_},
        indices_{3 * queries_},
        features_{static_cast<std::size_t>(in.channels) * queries_} {}

  static bool suits(input const& in) {
    return static_cast<double>(in.points) * static_cast<double>(in.queries) <= Kernels::max_pairs;
  }
  void enqueue(cudaStream_t stream) override {
    Kernels::three_nn(stream, in_, distances_.data(), indices_.data());
    auto const blocks = static_cast<unsigned>((queries_ + 255) / 256);
    weights_kernel<<<blocks, 256, 0, stream>>>(distances_.data(), static_cast<std::int64_t>(queries_), weights_.data());
    check(cudaGetLastError(), "weights_kernel");
    Kernels::interpolate(stream, in_, indices_.data(), weights_.data(), features_.data());
  }
  std::vector<float> features() const override { return features_.download(); }

 private:
  input in_;
  std::size_t queries_;
  device_buffer<float> distances_;
  device_buffer<float> weights_;
  device_buffer<std::int32_t> indices_;
  device_buffer<float> features_;
};

/// Registers farthest point samples, ball queries, gathers and interpolations of such kernels.
template <class Kernels>
struct register_pointnet2 {
  explicit register_pointnet2(char const* name, peer_stream stream = peer_stream::given)
      : fps{name, stream}, ball_query{name, stream}, gather{name, stream}, interpolate{name, stream} {}

  register_device_peer<device_fps, pointnet2_fps<Kernels>> fps;
  register_device_peer<device_ball_query, pointnet2_ball_query<Kernels>> ball_query;
  register_device_peer<device_gather, pointnet2_gather<Kernels>> gather;
  register_device_peer<device_interpolate, pointnet2_interpolate<Kernels>> interpolate;
};

}  // namespace farpoint_bench

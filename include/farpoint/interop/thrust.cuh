/// @file
/// Overloads for thrust::device_vector, which allocate what they need.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/fps.cuh>

#include <thrust/device_vector.h>
#include <stdexcept>

FARPOINT_BEGIN_NAMESPACE

/// Samples of fps() in device memory of their own.
template <class Scalar>
struct fps_device_picks {
  thrust::device_vector<std::int32_t> indices;  ///< in the order of selection; size() is the number picked
  thrust::device_vector<Scalar> distances;      ///< squared distance at which each was picked; +inf for the first
};

/// fps() of one cloud in a device vector: `auto picks = farpoint::fps(points, 1024);`
///
/// Allocates the workspace and the samples, and waits for `stream`, to learn how many points were picked.
/// @throws std::invalid_argument or std::runtime_error with the reason; thrust's exceptions
template <class Point, class Allocator>
auto fps(thrust::device_vector<Point, Allocator> const& points, index_t samples, fps_params params = {},
         cudaStream_t stream = {}) {
  auto const view = view_points(thrust::raw_pointer_cast(points.data()), static_cast<index_t>(points.size()));
  using view_type = std::decay_t<decltype(view)>;
  using scalar = typename view_type::scalar;
  auto const device_span = [](auto& vector) {
    return span<typename std::decay_t<decltype(vector)>::value_type>{thrust::raw_pointer_cast(vector.data()),
                                                                     vector.size()};
  };

  params.samples = samples < view.size() ? samples : view.size();
  auto const kept = static_cast<std::size_t>(params.samples < 0 ? 0 : params.samples);
  batch<view_type> const cloud{view};
  fps_device_picks<scalar> picks{thrust::device_vector<std::int32_t>(kept), thrust::device_vector<scalar>(kept)};
  thrust::device_vector<std::int32_t> count(1);
  thrust::device_vector<unsigned char> workspace(fps_workspace_bytes(cuda_exec{stream}, cloud, params));
  // Thrust fills vectors on a stream of its own.
  if (cudaStreamSynchronize(cudaStreamPerThread) != cudaSuccess ||
      cudaStreamSynchronize(cudaStreamLegacy) != cudaSuccess) {
    throw std::runtime_error{"fps: the device reported an earlier failure"};
  }
  result const outcome =
      fps(cuda_exec{stream}, cloud, params,
          fps_output<scalar>{device_span(picks.indices), device_span(picks.distances), device_span(count)},
          device_span(workspace));
  if (outcome.code == status::cuda_failure) throw std::runtime_error{outcome.reason};
  if (!outcome) throw std::invalid_argument{outcome.reason};
  if (cudaStreamSynchronize(stream) != cudaSuccess) throw std::runtime_error{"fps: the kernel failed"};
  auto const picked = static_cast<std::size_t>(count[0]);
  picks.indices.resize(picked);
  picks.distances.resize(picked);
  return picks;
}

FARPOINT_END_NAMESPACE

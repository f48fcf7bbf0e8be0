// Plain C++ with the compiled library: a cloud on the GPU is sampled, and searched by itself, on a stream. This file
// needs neither nvcc nor farpoint's .cuh headers, and CUDA's own header only for memory and the stream.
#include <farpoint/interop/memory_resource.hpp>
#include <farpoint/runtime.hpp>

#include <cuda_runtime_api.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

//! [resource]
/// Memory in the order of a stream, from wherever the program has it: here the device's pool. RMM's resources will do.
struct device_pool {
  void* allocate(std::size_t size, cudaStream_t stream) {
    void* memory = nullptr;
    return cudaMallocAsync(&memory, size, stream) == cudaSuccess ? memory : nullptr;
  }
  void deallocate(void* memory, std::size_t, cudaStream_t stream) { cudaFreeAsync(memory, stream); }
};

/// The mean squared distance of each point to the k nearest others.
farpoint::result mean_distances(device_pool& pool, cudaStream_t stream, farpoint::point_view<float> points,
                                farpoint::index_t k, farpoint::span<float> means) {
  farpoint::cuda_exec const exec{stream};
  farpoint::batch const cloud{points};
  farpoint::stream_workspace const memory{pool, mean_knn_distance_workspace_bytes(exec, cloud, {k}), stream};
  return mean_knn_distance(exec, cloud, {k}, {means}, memory.get());
}
//! [resource]

int main() {
  if (!farpoint::runtime::cuda_available()) {
    std::printf("SKIPPED: there is no usable GPU\n");
    return 77;
  }
  std::vector<std::array<float, 3>> points;
  for (int i = 0; i < 20000; ++i) {
    points.push_back({static_cast<float>(i % 200) / 100, static_cast<float>(i / 200) / 100, 0});
  }
  auto const n = static_cast<farpoint::index_t>(points.size());
  constexpr farpoint::index_t samples = 256;
  constexpr farpoint::index_t k = 8;

  // Managed memory keeps the example short; any device memory will do.
  auto const allocate = [](std::size_t size) {
    void* memory = nullptr;
    return cudaMallocManaged(&memory, size) == cudaSuccess ? memory : nullptr;
  };
  cudaStream_t stream = nullptr;
  cudaStreamCreate(&stream);
  auto* const on_device = static_cast<float*>(allocate(points.size() * sizeof points[0]));
  auto* const sampled = static_cast<std::int32_t*>(allocate(samples * sizeof(std::int32_t)));
  auto* const neighbors = static_cast<std::int32_t*>(allocate(points.size() * k * sizeof(std::int32_t)));
  auto* const means = static_cast<float*>(allocate(points.size() * sizeof(float)));
  cudaMemcpyAsync(on_device, points.data(), points.size() * sizeof points[0], cudaMemcpyHostToDevice, stream);

  //! [calls]
  farpoint::cuda_exec const exec{stream};
  farpoint::batch const cloud{farpoint::point_view<float>{on_device, n}};
  farpoint::fps_params params;
  params.samples = samples;
  farpoint::span const indices{sampled, static_cast<std::size_t>(samples)};
  farpoint::span const lists{neighbors, static_cast<std::size_t>(n * k)};

  // One workspace for calls that follow one another.
  std::size_t const needed = std::max(fps_workspace_bytes(exec, cloud, params), knn_workspace_bytes(exec, cloud, {k}));
  farpoint::bytes const workspace{static_cast<unsigned char*>(allocate(needed)), needed};

  for (farpoint::result const& outcome :
       {fps(exec, cloud, params, {indices}, workspace), knn(exec, cloud, {k}, {lists}, workspace)}) {
    if (!outcome) {
      std::printf("%s\n", outcome.reason);
      return 1;
    }
  }
  //! [calls]
  device_pool pool;
  auto const outcome = mean_distances(pool, stream, {on_device, n}, 2, {means, points.size()});
  if (!outcome) {
    std::printf("%s\n", outcome.reason);
    return 1;
  }
  cudaStreamSynchronize(stream);

  int right = 0;
  for (farpoint::index_t s = 0; s < samples; ++s) right += neighbors[sampled[s] * k] == sampled[s] ? 1 : 0;
  std::printf("%d of %d samples are their own nearest points\n", right, static_cast<int>(samples));
  // Points of a lattice of one centimeter.
  auto const lattice = std::count_if(means, means + n, [](float mean) { return std::abs(mean - 1e-4f) < 1e-6f; });
  return right == samples && lattice == n ? 0 : 1;
}

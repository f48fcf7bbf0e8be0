// Plain C++ with the compiled library: a cloud on the GPU is sampled, and searched by itself, on a stream. This file
// needs neither nvcc nor farpoint's .cuh headers, and CUDA's own header only for memory and the stream.
#include <farpoint/runtime.hpp>

#include <cuda_runtime_api.h>
#include <algorithm>
#include <array>
#include <cstdio>
#include <vector>

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
  auto* const neighbours = static_cast<std::int32_t*>(allocate(points.size() * k * sizeof(std::int32_t)));
  cudaMemcpyAsync(on_device, points.data(), points.size() * sizeof points[0], cudaMemcpyHostToDevice, stream);

  //! [calls]
  farpoint::cuda_exec const exec{stream};
  farpoint::batch const cloud{farpoint::point_view<float>{on_device, n}};
  farpoint::fps_params params;
  params.samples = samples;
  farpoint::span const indices{sampled, static_cast<std::size_t>(samples)};
  farpoint::span const lists{neighbours, static_cast<std::size_t>(n * k)};

  // One workspace for calls that follow one another.
  std::size_t const needed =
      std::max(fps_workspace_bytes(exec, cloud, params), knn_workspace_bytes(exec, cloud, farpoint::exact{}, k));
  farpoint::bytes const workspace{static_cast<unsigned char*>(allocate(needed)), needed};

  for (farpoint::result const& outcome :
       {fps(exec, cloud, params, {indices}, workspace), knn(exec, cloud, farpoint::exact{}, k, {lists}, workspace)}) {
    if (!outcome) {
      std::printf("%s\n", outcome.reason);
      return 1;
    }
  }
  //! [calls]
  cudaStreamSynchronize(stream);

  int right = 0;
  for (farpoint::index_t s = 0; s < samples; ++s) right += neighbours[sampled[s] * k] == sampled[s] ? 1 : 0;
  std::printf("%d of %d samples are their own nearest points\n", right, static_cast<int>(samples));
  return right == samples ? 0 : 1;
}

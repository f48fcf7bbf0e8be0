// Your own kernel with farpoint's block-wide arg-max: the highest point of each cell of a batch.
#include <farpoint/block/block_argmax.hpp>
#include <farpoint/block/cuda_block.cuh>

#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

constexpr int block_size = 128;

/// One block per cell; heights [cells, points], highest [cells].
__global__ void highest_point(float const* heights, int points, farpoint::scored<float>* highest) {
  using argmax = farpoint::block_argmax<float, block_size>;
  __shared__ argmax::storage storage;
  farpoint::cuda_block<block_size> const block;

  float const* const cell = heights + static_cast<std::ptrdiff_t>(blockIdx.x) * points;
  farpoint::scored<float> mine{-INFINITY, farpoint::no_winner};
  for (int i = block.rank(); i < points; i += block_size) {
    farpoint::scored<float> const next{cell[i], i};
    if (beats(next, mine)) mine = next;
  }

  auto const best = argmax{storage}.reduce(block, mine);  // every thread has it; ties went to the lowest index
  if (block.rank() == 0) highest[blockIdx.x] = best;
}

int main() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::puts("SKIPPED: no CUDA device");
    return 77;
  }
  constexpr int cells = 4;
  constexpr int points = 1000;
  std::vector<float> heights(cells * points);
  for (int i = 0; i < cells * points; ++i) heights[static_cast<std::size_t>(i)] = static_cast<float>(i * 37 % 501);

  float* device_heights = nullptr;
  farpoint::scored<float>* device_highest = nullptr;
  std::vector<farpoint::scored<float>> highest(cells);
  cudaMalloc(&device_heights, heights.size() * sizeof heights[0]);
  cudaMalloc(&device_highest, highest.size() * sizeof highest[0]);
  cudaMemcpy(device_heights, heights.data(), heights.size() * sizeof heights[0], cudaMemcpyHostToDevice);
  highest_point<<<cells, block_size>>>(device_heights, points, device_highest);
  cudaMemcpy(highest.data(), device_highest, highest.size() * sizeof highest[0], cudaMemcpyDeviceToHost);
  cudaFree(device_heights);
  cudaFree(device_highest);
  if (cudaError_t const error = cudaGetLastError(); error != cudaSuccess) {
    std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(error));
    return 1;
  }

  bool right = true;
  for (int cell = 0; cell < cells; ++cell) {
    auto const best = highest[static_cast<std::size_t>(cell)];
    std::printf("cell %d: point %d is highest, %g m\n", cell, best.index, static_cast<double>(best.score));
    int expected = 0;
    auto const height = [&](int i) { return heights[static_cast<std::size_t>(cell * points + i)]; };
    for (int i = 1; i < points; ++i) expected = height(i) > height(expected) ? i : expected;
    right = right && best.index == expected;
  }
  return right ? 0 : 1;
}

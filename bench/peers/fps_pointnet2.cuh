/// @file
/// Farthest point sampling with the shape of PointNet++'s own kernel (Qi et al. 2017). Needs nvcc.
///
/// One block per cloud, of the largest power of two of threads that is at most the number of points and 512. Distances
/// to the samples lie in an array of the caller's that begins at 1e10, coordinates are read from global memory at every
/// step, and a tree in shared memory finds the farthest point. There are no rules for ties, points that are not finite
/// or points that are picked already, and only indices are written. fps_textbook.cuh is the same idea with farpoint's
/// rules, and with blocks of up to 1,024 threads.
#pragma once

#include "support/cuda_check.hpp"

#include <cuda_runtime.h>
#include <cstdint>

namespace farpoint_bench {

/// `xyz [clouds, points, 3]`, `nearest [clouds, points]` and `indices [clouds, samples]` in device memory.
struct fps_pointnet2_args {
  int clouds;
  int points;
  int samples;
  float const* xyz;
  float* nearest;
  std::int32_t* indices;
};

/// PointNet++ has its framework fill the array.
static __global__ void fps_pointnet2_begin(fps_pointnet2_args const args) {
  std::int64_t const size = std::int64_t{args.clouds} * args.points;
  std::int64_t const step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < size; i += step) {
    args.nearest[i] = 1e10f;
  }
}

template <int BlockSize>
__global__ void fps_pointnet2_kernel(fps_pointnet2_args const args) {
  __shared__ float distances[BlockSize];
  __shared__ int candidates[BlockSize];
  auto const cloud = static_cast<std::int64_t>(blockIdx.x);
  float const* const xyz = args.xyz + cloud * args.points * 3;
  float* const nearest = args.nearest + cloud * args.points;
  std::int32_t* const indices = args.indices + cloud * args.samples;
  int const thread = static_cast<int>(threadIdx.x);

  int last = 0;
  if (thread == 0) indices[0] = last;
  for (int sample = 1; sample < args.samples; ++sample) {
    float const x = xyz[3 * last];
    float const y = xyz[3 * last + 1];
    float const z = xyz[3 * last + 2];
    float farthest = -1;
    int candidate = 0;
    for (int i = thread; i < args.points; i += BlockSize) {
      float const dx = xyz[3 * i] - x;
      float const dy = xyz[3 * i + 1] - y;
      float const dz = xyz[3 * i + 2] - z;
      float const lowered = min(dx * dx + dy * dy + dz * dz, nearest[i]);
      nearest[i] = lowered;
      if (lowered > farthest) {
        farthest = lowered;
        candidate = i;
      }
    }
    distances[thread] = farthest;
    candidates[thread] = candidate;
    __syncthreads();
#pragma unroll
    for (int half = BlockSize / 2; half > 0; half /= 2) {
      if (thread < half && distances[thread + half] > distances[thread]) {
        distances[thread] = distances[thread + half];
        candidates[thread] = candidates[thread + half];
      }
      __syncthreads();
    }
    last = candidates[0];
    if (thread == 0) indices[sample] = last;
  }
}

template <int BlockSize = 512>
void fps_pointnet2(cudaStream_t stream, fps_pointnet2_args const& args) {
  if constexpr (BlockSize > 1) {
    if (BlockSize > args.points) return fps_pointnet2<BlockSize / 2>(stream, args);
  }
  fps_pointnet2_begin<<<256, 256, 0, stream>>>(args);
  fps_pointnet2_kernel<BlockSize><<<static_cast<unsigned>(args.clouds), BlockSize, 0, stream>>>(args);
  check(cudaGetLastError(), "fps_pointnet2_kernel");
}

}  // namespace farpoint_bench

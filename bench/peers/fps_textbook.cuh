/// @file
/// The baseline: farthest point sampling as it is usually written for a GPU (after PointNet++, Qi et al. 2017). Needs
/// nvcc.
///
/// One block per cloud. Distances lie in global memory, coordinates are read from global memory again at every step,
/// and a tree in shared memory finds the farthest point. Where usual kernels differ from farpoint's rules it keeps the
/// rules, at no cost that could be measured against a pass over the points: distance2, distances that start at
/// infinity, the lowest index in ties, and no point twice.
#pragma once

#include "support/cuda_check.hpp"

#include <farpoint/core/math.hpp>

#include <cstdint>
#include <limits>

namespace farpoint_bench {

/// Out here because device code may use a host function's constant, and not call the function.
inline constexpr float textbook_infinity = std::numeric_limits<float>::infinity();

/// @param xyz       `[clouds, points, 3]`, finite
/// @param nearest   `[clouds, points]`, scratch
/// @param indices   `[clouds, samples]`; samples <= points
/// @param distances `[clouds, samples]`: squared distance at which each was picked, +inf for the first
template <int BlockSize>
__global__ void __launch_bounds__(BlockSize)
    fps_textbook_kernel(float const* __restrict__ xyz, int points, int samples, float* __restrict__ nearest,
                        std::int32_t* __restrict__ indices, float* __restrict__ distances) {
  static_assert((BlockSize & (BlockSize - 1)) == 0, "the tree halves the block");
  __shared__ float best_distance[BlockSize];
  __shared__ int best_index[BlockSize];
  constexpr float picked_already = -1;

  int const thread = static_cast<int>(threadIdx.x);
  auto const cloud = static_cast<std::int64_t>(blockIdx.x);
  xyz += cloud * points * 3;
  nearest += cloud * points;
  indices += cloud * samples;
  distances += cloud * samples;

  for (int i = thread; i < points; i += BlockSize) nearest[i] = textbook_infinity;
  int picked = 0;
  if (thread == 0) {
    indices[0] = 0;
    distances[0] = textbook_infinity;
  }

  for (int sample = 1; sample < samples; ++sample) {
    farpoint::vec<float> const last{{xyz[3 * picked], xyz[3 * picked + 1], xyz[3 * picked + 2]}};
    float my_distance = picked_already;
    int my_index = points;
    for (int i = thread; i < points; i += BlockSize) {
      farpoint::vec<float> const point{{xyz[3 * i], xyz[3 * i + 1], xyz[3 * i + 2]}};
      float const d = farpoint::distance2(point, last);
      float const lowered = i == picked ? picked_already : fminf(d, nearest[i]);
      nearest[i] = lowered;
      if (lowered > my_distance) {
        my_distance = lowered;
        my_index = i;
      }
    }
    best_distance[thread] = my_distance;
    best_index[thread] = my_index;
    __syncthreads();

#pragma unroll
    for (int half = BlockSize / 2; half > 0; half /= 2) {
      if (thread < half) {
        float const other = best_distance[thread + half];
        int const other_index = best_index[thread + half];
        bool const wins =
            other > best_distance[thread] || (other == best_distance[thread] && other_index < best_index[thread]);
        if (wins) {
          best_distance[thread] = other;
          best_index[thread] = other_index;
        }
      }
      __syncthreads();
    }

    picked = best_index[0];
    if (thread == 0) {
      indices[sample] = picked;
      distances[sample] = best_distance[0];
    }
    // All threads must have read this step's winner before any thread writes the next step's candidates.
    __syncthreads();
  }
}

/// Arguments of fps_textbook().
struct fps_textbook_args {
  int clouds;
  int points;
  int samples;
  float const* xyz;
  float* nearest;
  std::int32_t* indices;
  float* distances;
};

/// Enqueues the baseline with the largest power of two of threads that is at most `points` and 1,024.
template <int BlockSize = 1024>
void fps_textbook(cudaStream_t stream, fps_textbook_args const& args) {
  if constexpr (BlockSize > 1) {
    if (BlockSize > args.points) return fps_textbook<BlockSize / 2>(stream, args);
  }
  fps_textbook_kernel<BlockSize><<<static_cast<unsigned>(args.clouds), BlockSize, 0, stream>>>(
      args.xyz, args.points, args.samples, args.nearest, args.indices, args.distances);
  check(cudaGetLastError(), "fps_textbook_kernel");
}

}  // namespace farpoint_bench

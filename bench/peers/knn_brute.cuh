/// @file
/// Exact neighbors on a GPU by brute force: all pairs, tiled through shared memory. Needs nvcc.
///
/// A thread a query, its list in registers; a block brings tiles of points into shared memory, where all of its threads
/// read the same point at the same time. Points come in the order of their indices, so a later one that is equally near
/// comes later in the list too.
#pragma once

#include "support/cuda_check.hpp"

#include <farpoint/container/topk.hpp>
#include <farpoint/core/math.hpp>

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>

namespace farpoint_bench {

inline constexpr int brute_block_size = 128;
inline constexpr int brute_max_neighbors = 32;
inline constexpr float brute_farthest = std::numeric_limits<float>::infinity();

struct brute_force_args {
  float const* xyz;  ///< `[count, 3]`, finite
  std::uint32_t count;
  int k;
  std::int32_t* indices;  ///< `[count, k]`
  float* distances;       ///< `[count, k]`
};

template <int Capacity>
__global__ void __launch_bounds__(brute_block_size) brute_kernel(brute_force_args const args) {
  using key = farpoint::neighbor_key<float>;
  __shared__ float4 tile[brute_block_size];
  std::uint32_t const query = blockIdx.x * brute_block_size + threadIdx.x;
  auto const point = [&args](std::uint32_t i) {
    float const* const p = args.xyz + std::size_t{i} * 3;
    return farpoint::vec<float>{{p[0], p[1], p[2]}};
  };
  farpoint::vec<float> const q = query < args.count ? point(query) : farpoint::vec<float>{};
  farpoint::topk_list<key, Capacity> list{args.k, key{brute_farthest, farpoint::no_index}};
  for (std::uint32_t first = 0; first < args.count; first += brute_block_size) {
    __syncthreads();
    if (first + threadIdx.x < args.count) {
      farpoint::vec<float> const p = point(first + threadIdx.x);
      tile[threadIdx.x] = {p[0], p[1], p[2], 0};
    }
    __syncthreads();
    std::uint32_t const points = min(args.count - first, std::uint32_t{brute_block_size});
#pragma unroll 4
    for (std::uint32_t j = 0; j < points; ++j) {
      float4 const p = tile[j];
      float const d = farpoint::distance2(farpoint::vec<float>{{p.x, p.y, p.z}}, q);
      if (d < list.worst().distance2()) list.push({d, first + j});
    }
  }
  if (query >= args.count) return;
  key keys[Capacity];
  list.write(keys, args.k);
  for (int j = 0; j < args.k; ++j) {
    std::size_t const at = std::size_t{query} * static_cast<unsigned>(args.k) + static_cast<unsigned>(j);
    args.indices[at] = static_cast<std::int32_t>(keys[j].index());
    args.distances[at] = keys[j].distance2();
  }
}

/// Enqueues it; at least k points, whose distances do not overflow.
inline void brute_force(cudaStream_t stream, brute_force_args const& args) {
  if (args.k > brute_max_neighbors) throw std::logic_error{"brute force has lists of 32"};
  auto* const kernel = args.k <= 1    ? brute_kernel<1>
                       : args.k <= 4  ? brute_kernel<4>
                       : args.k <= 8  ? brute_kernel<8>
                       : args.k <= 16 ? brute_kernel<16>
                                      : brute_kernel<32>;
  kernel<<<(args.count + brute_block_size - 1) / brute_block_size, brute_block_size, 0, stream>>>(args);
  check(cudaGetLastError(), "brute_kernel");
}

}  // namespace farpoint_bench

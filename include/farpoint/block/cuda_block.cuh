/// @file
/// A CUDA thread block as a model of the group concept, which block/block_argmax.hpp describes.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/core/config.hpp>

#include <cuda_runtime.h>
#include <cstdint>
#include <cstring>

FARPOINT_BEGIN_NAMESPACE

/// The calling thread's block: one-dimensional, of exactly `Size` threads. Stateless. All threads of the block must
/// call sync(); all threads of a warp must call shuffle() and the reductions. If Size is not a multiple of 32, the last
/// warp has fewer threads.
/// @tparam Size  threads, 1 to 1024
template <int Size>
class cuda_block {
  static_assert(Size >= 1 && Size <= 1024, "farpoint: a block has 1 to 1024 threads");

 public:
  static constexpr int size = Size;
  static constexpr int lanes = 32;

  __device__ int rank() const noexcept { return static_cast<int>(threadIdx.x); }
  __device__ void sync() const noexcept { __syncthreads(); }

  /// Returns the `value` that a lane of the calling thread's warp has passed.
  template <class T>
  __device__ T shuffle(T value, int lane) const noexcept {
    if constexpr (sizeof(T) == sizeof(std::uint32_t)) {
      std::uint32_t word;
      std::memcpy(&word, &value, sizeof word);
      word = __shfl_sync(warp_mask(), word, lane);
      std::memcpy(&value, &word, sizeof word);
    } else {
      constexpr int count = (int{sizeof(T)} + 3) / 4;
      std::uint32_t words[count] = {};
      std::memcpy(words, &value, sizeof value);
#pragma unroll
      for (int i = 0; i < count; ++i) words[i] = __shfl_sync(warp_mask(), words[i], lane);
      std::memcpy(&value, words, sizeof value);
    }
    return value;
  }

  /// Returns the largest value in the warp, to all its threads.
  __device__ std::uint32_t reduce_max(std::uint32_t value) const noexcept {
#if __CUDA_ARCH__ >= 800
    return __reduce_max_sync(warp_mask(), value);
#else
    return tree(value, [](std::uint32_t a, std::uint32_t b) { return a > b ? a : b; });
#endif
  }

  /// Returns the smallest value in the warp, to all its threads.
  __device__ std::uint32_t reduce_min(std::uint32_t value) const noexcept {
#if __CUDA_ARCH__ >= 800
    return __reduce_min_sync(warp_mask(), value);
#else
    return tree(value, [](std::uint32_t a, std::uint32_t b) { return a < b ? a : b; });
#endif
  }

 private:
  static constexpr int last_warp = (Size - 1) / lanes;
  static constexpr int last_lanes = Size - last_warp * lanes;

  __device__ int lanes_here() const noexcept {
    return Size % lanes == 0 || rank() / lanes != last_warp ? lanes : last_lanes;
  }
  __device__ unsigned warp_mask() const noexcept {
    return lanes_here() == lanes ? 0xffffffffu : 0xffffffffu >> (lanes - last_lanes);
  }

  // Reduces by shuffles, as GPUs before sm_80 have no redux instruction. A lane without a partner combines its value
  // with itself, which changes neither a maximum nor a minimum.
  template <class Operation>
  __device__ std::uint32_t tree(std::uint32_t value, Operation operation) const noexcept {
    int const lane = rank() % lanes;
#pragma unroll
    for (int step = lanes / 2; step > 0; step /= 2) {
      std::uint32_t const other = shuffle(value, lane + step < lanes_here() ? lane + step : lane);
      value = operation(value, other);
    }
    return shuffle(value, 0);
  }
};

FARPOINT_END_NAMESPACE

/// @file
/// Counting of keys along the Hilbert curve in kernels. See split.hpp.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/core/cuda_exec.cuh>
#include <farpoint/grid/for_each_index.cuh>
#include <farpoint/scale/stream/curve/split.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

inline constexpr int curve_count_threads = 512;
inline constexpr int curve_count_blocks = 4;  ///< blocks per multiprocessor
inline constexpr int curve_max_borders = 64;

/// Each block counts in shared memory, and then adds its counts to the counters in global memory.
template <int Threads>
__global__ void __launch_bounds__(Threads) curve_count_kernel(curve_count_args const args) {
  __shared__ std::uint32_t counts[curve_counters];
  __shared__ curve_border borders[curve_max_borders];
  auto const thread = static_cast<int>(threadIdx.x);
  bool is_open = false;
  if (thread < args.border_count) {
    borders[thread] = args.borders[thread];
    is_open = borders[thread].offset > 0;
  }
  for (int i = thread; i < curve_counters; i += Threads) counts[i] = 0;
  if (__syncthreads_or(is_open) == 0) return;
  index_t const step = index_t{gridDim.x} * Threads;
#pragma unroll 4
  for (index_t i = index_t{blockIdx.x} * Threads + thread; i < args.size; i += step) {
    int const counter = args.counter_of(args.keys[i], borders);
    if (counter >= 0) atomicAdd(counts + counter, 1u);
  }
  __syncthreads();
  for (int i = thread; i < curve_counters; i += Threads) {
    if (counts[i] > 0) atomicAdd(args.counts + i, counts[i]);
  }
}

template <>
struct curve_counter<cuda_exec> {
  static result run(cuda_exec exec, curve_count_args const& args) noexcept {
    if (args.size == 0) return {};
    kernel_launcher launcher{exec.stream};
    launcher.launch(curve_count_kernel<curve_count_threads>,
                    launcher.blocks(args.size, curve_count_threads, curve_count_blocks), curve_count_threads, args);
    return cuda_failure(launcher.error(), "shards: the kernel that counts keys could not be launched");
  }
};

}  // namespace detail
FARPOINT_END_NAMESPACE

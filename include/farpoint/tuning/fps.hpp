/// @file
/// What makes fps() fast on a GPU. Nothing here changes a result.
#pragma once

#include <farpoint/core/config.hpp>

FARPOINT_BEGIN_NAMESPACE

/// One shape of the block kernel that keeps a cloud in registers.
struct fps_block_tuning {
  int block_size;         ///< threads per block, one block per cloud
  int points_per_thread;  ///< coordinates and distances in registers

  constexpr int capacity() const noexcept { return block_size * points_per_thread; }
};

constexpr bool operator==(fps_block_tuning a, fps_block_tuning b) noexcept {
  return a.block_size == b.block_size && a.points_per_thread == b.points_per_thread;
}
constexpr bool operator!=(fps_block_tuning a, fps_block_tuning b) noexcept {
  return !(a == b);
}

/// The default choice. Pass a struct of your own with these members as fps()'s first template argument to try another:
/// the first shape of `blocks` that holds the largest cloud is used, and the streaming kernel beyond the last.
struct fps_selector {
  /// Ascending in capacity. Few warps win while their registers last: the reduction over warps is most of a step.
  static constexpr fps_block_tuning blocks[] = {
      {64, 4},     // 256 points
      {128, 8},    // 1,024:  h200 0.141 ms for 16 x 1,024 -> 512; 256 x 4 0.140, 512 x 2 0.148, 64 x 16 0.182
      {256, 8},    // 2,048:  h200 0.168 ms for 32 x 2,048 -> 512; 128 x 16 0.183, 512 x 4 0.182
      {256, 16},   // 4,096
      {512, 16},   // 8,192:  h200 0.702 ms for 16 x 8,192 -> 1,024; 1024 x 8 0.794
      {512, 20},   // 10,240: h200 0.740 ms for 6 x 10,000 -> 1,000; 512 x 24 0.890, 1024 x 10 0.963
      {512, 24},   // 12,288
      {1024, 16},  // 16,384: h200 6.5 ms for 4 x 16,384 -> 4,096; the streaming kernel 19.8
  };

  /// Threads of the kernel for larger clouds, whose distances are in global memory.
  static constexpr int streaming_block_size = 1024;
};

FARPOINT_END_NAMESPACE

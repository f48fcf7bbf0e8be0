/// @file
/// What makes neighbour searches fast on a GPU. Nothing here changes a result.
#pragma once

#include <farpoint/core/types.hpp>

FARPOINT_BEGIN_NAMESPACE

/// The default choice. Derive a struct from it, hide what you want to change, and pass it as the first template
/// argument of knn() or build_point_bvh().
struct knn_selector {
  /// Threads of a block that answers queries, in whole warps; at most 256, and for double 128.
  static constexpr int block_size = 128;
  /// Threads of a block that builds indices, a multiple of 256.
  static constexpr int build_threads = 512;
  /// Such blocks, for each multiprocessor at least.
  static constexpr int build_blocks = 1;
  /// Points that are worth a block.
  static constexpr index_t build_points = 1024;
  /// Keys that a thread sorts at a time, of up to so many points in all, and of more. 16 and 512 threads, h200, against
  /// 16 and 256: 10 M points in 0.90 ms, not 1.02, and 1 M in 0.095 both.
  static constexpr index_t small_points = 270000;
  static constexpr int small_items = 4;
  static constexpr int large_items = 16;
};

FARPOINT_END_NAMESPACE

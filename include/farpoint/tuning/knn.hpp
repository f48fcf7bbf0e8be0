/// @file
/// What makes neighbour searches fast on a GPU. Nothing here changes a result.
#pragma once

#include <farpoint/core/types.hpp>

FARPOINT_BEGIN_NAMESPACE

/// The default choice. Derive a struct from it, hide what you want to change, and pass it as the first template
/// argument of knn() or build_point_index().
struct knn_selector {
  /// Threads of a block that answers queries, in whole warps.
  static constexpr int block_size = 128;
  /// Clouds of up to this many points in all are sorted in small pieces, so that more blocks take part.
  static constexpr index_t small_points = 300000;
  /// Keys that a thread sorts at a time, below that and above.
  static constexpr int small_items = 2;
  static constexpr int large_items = 16;
  /// Threads of a block that builds indices, a multiple of 256.
  static constexpr int build_threads = 512;
  /// Such blocks, for each multiprocessor at least.
  static constexpr int build_blocks = 1;
};

FARPOINT_END_NAMESPACE

/// @file
/// What makes neighbour searches fast on a GPU. Nothing here changes a result.
#pragma once

#include <farpoint/core/types.hpp>

FARPOINT_BEGIN_NAMESPACE

/// The default choice. Derive a struct from it, hide what you want to change, and pass it as the first template
/// argument of knn() or build_point_bvh().
struct knn_selector {
  /// Threads of a block that answers queries, in whole warps: at most 256, or 128 for double.
  static constexpr int block_size = 128;
  /// Threads of a block that builds indices, a multiple of 256.
  static constexpr int build_threads = 512;
  /// Such blocks that must fit on a multiprocessor at a time; limits their registers.
  static constexpr int build_blocks = 1;
  /// Points for which it is worth to add a block.
  static constexpr index_t build_points = 1024;
  /// Keys that a thread sorts at a time: `small_items` for up to `small_points` points in all, `large_items` for more.
  /// h200, 512 threads and 16 items against 256 and 16: 10 M points in 0.90 ms, not 1.02; 1 M in 0.095 ms with both.
  static constexpr index_t small_points = 270000;
  static constexpr int small_items = 4;
  static constexpr int large_items = 16;
};

namespace detail {

/// Threads of a block of the kernels that take a thread for each query, in whole warps.
inline constexpr int search_block_size = 128;

/// Queries that a warp answers, one after another, where their lists are too long for registers.
inline constexpr int knn_queries_per_warp = 4;

/// Fewer queries than this are answered in the order of the view: the dozen launches of a sort would take longer than
/// it saves. A guess; the break-even point has not been measured.
inline constexpr index_t query_order_from = 16384;

}  // namespace detail
FARPOINT_END_NAMESPACE

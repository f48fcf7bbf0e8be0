/// @file
/// What makes neighbour searches fast on a GPU. Nothing here changes a result.
#pragma once

#include <farpoint/core/types.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Blocks that build an index.
struct bvh_build_tuning {
  index_t from;                   ///< points of all clouds, 1 or more: used for this many and more
  int block_size;                 ///< threads, 256 or more, in whole warps
  int items_per_thread;           ///< keys that a thread sorts at a time
  int blocks_per_multiprocessor;  ///< at most; registers are kept free for so many
  int window;                     ///< tiles that a thread looks back at in one go

  constexpr index_t tile_size() const noexcept { return index_t{block_size} * items_per_thread; }
};

constexpr bool operator==(bvh_build_tuning const& a, bvh_build_tuning const& b) noexcept {
  return a.from == b.from && a.block_size == b.block_size && a.items_per_thread == b.items_per_thread &&
         a.blocks_per_multiprocessor == b.blocks_per_multiprocessor && a.window == b.window;
}
constexpr bool operator!=(bvh_build_tuning const& a, bvh_build_tuning const& b) noexcept {
  return !(a == b);
}
template <class Stream>
Stream& operator<<(Stream& stream, bvh_build_tuning const& t) {
  stream << "{from " << t.from << ", block_size " << t.block_size << ", items_per_thread " << t.items_per_thread
         << ", blocks_per_multiprocessor " << t.blocks_per_multiprocessor << ", window " << t.window << '}';
  return stream;
}

/// Search among the points of an index for queries that are not these points.
enum class external_search {
  leaf_order,  ///< sorts 16,384 or more queries by the leaf that they begin with; packets begin there
  own_order    ///< builds a BVH of the queries for their order; packets begin with a beam search, and end lane by lane
};

/// The default choice. Derive a struct from it, hide what you want to change, and pass it as the first template
/// argument of knn() or build_point_bvh().
struct knn_selector {
  /// Threads of a block that answers queries, in whole warps: at most 256, or 128 for double. h100, 10 M points of a
  /// cube, k = 8, ms: 4.98 (128 threads: 5.01).
  static constexpr int block_size = 64;

  /// Rows of a launch, in whole blocks: more queries in the order of the view take several launches.
  static constexpr index_t launch_rows = index_t{1} << 31;

  /// Shapes of the blocks that build indices, ascending in `from`: the last that the points are enough for is used.
  /// Best are tiles as small as the multiprocessors are enough for. h200, us: 100,000 points 39.7 (512x4 42.5,
  /// 1024x2 49.2), 200,000 points 47.7 (512x2 54.0, 512x8 54.3), 400,000 points 61.8 (512x4 66.4, 512x16 70.4), 1 M
  /// points 104.7 (512x8 115.6, 1024x8 107.9, 256x16 111.4), 10 M points 830 (1024x8 877, 256x16 840, 384x16 969).
  static constexpr bvh_build_tuning builds[] = {
      {1, 512, 2, 1, 8}, {135'169, 512, 4, 1, 8}, {270'337, 512, 8, 1, 8}, {540'673, 512, 16, 1, 8}};
  /// Points of a cloud from which warps begin with the 32 that are farthest apart, not with the first on the curve: of
  /// fewer, all warps run at once (an H100 has room for those of 118,272).
  static constexpr index_t packet_order_from = 65'536;
  /// Points for which it is worth to add a block.
  static constexpr index_t build_points = 1024;

  /// Search of queries that are not the points. h200, 1 M points and queries of a cube, k = 8, ms, measured with a
  /// prototype: in random order 0.60 (leaf_order 1.22), sorted 0.60 (0.82), random without a workspace 1.76 (126).
  static constexpr external_search external = external_search::own_order;
  /// Fewer queries than points divided by this are answered in the order of the view. h200, 10,000 queries of 1 M
  /// points, us, measured with a prototype: 114 in the order of the view.
  static constexpr index_t own_order_share = 8;
  /// Maximum spread of the packets that are traversed together: the squared diagonal of their queries, relative to the
  /// squared scale of the points near them. Beyond, each lane traverses for its own query. In the order of a BVH of the
  /// queries few packets are spread, and it pays to traverse them together. h200, 1 M queries of a sphere in the order
  /// of the view, ms, measured with a prototype: 1.74 (64).
  static constexpr float most_spread = 64;
  static constexpr float most_spread_in_order = 1024;
};

namespace detail {

/// Threads of a block of the kernels that take a thread for each query, in whole warps.
inline constexpr int search_block_size = 128;

/// Queries that a warp answers, one after another, where their lists are too long for registers.
inline constexpr int knn_queries_per_warp = 4;

/// Of queries that a warp answers together. Eight of them are tested together if their squared extent and their bounds
/// are less than so many times the least of their bounds.
inline constexpr int packet_most_spread = 16;
/// After so many looks at four leaves, every query tests boxes on its own. It takes that long only among many points at
/// one place, exactly at the bounds of the queries: only a query itself can tell that it has the lowest of their
/// indices.
constexpr int packet_patience(int capacity) noexcept {
  return 32 + 2 * capacity;
}
/// Looks at four leaves after which queries of one neighbour may be in a heap of equal points. h100, 1 M points of a
/// cube, k = 1, us: 219 (9: 219, 0: 248).
inline constexpr int packet_looks_before_heap = 3;
/// Offers of eight points after which an external packet is traversed lane by lane. A packet of a cube needs 39 for
/// eight neighbours; a few packets at jumps of the curve would take as long as all others together. Chosen for lists of
/// eight; longer lists need more offers.
template <int Capacity>
inline constexpr int packet_most_turns = 128 + 8 * (Capacity < 8 ? 8 : Capacity);
/// Points whose distances are computed at a time: more would take registers, and save no time.
inline constexpr int packet_points_at_once = 4;

/// Longest row of radius_rows() that is filled in any order and sorted afterwards; longer ones are heaps.
inline constexpr index_t radius_sorted_row = 512;

/// With external_search::leaf_order, fewer queries than this are answered in the order of the view: the dozen launches
/// of a sort would take longer than it saves. A guess; the break-even point has not been measured.
inline constexpr index_t query_order_from = 16384;

}  // namespace detail
FARPOINT_END_NAMESPACE

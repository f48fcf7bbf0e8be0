/// @file
/// Tuning of neighbor searches on a GPU. It affects the speed, never a result.
#pragma once

#include <farpoint/core/types.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Shape of the blocks that build an index.
struct bvh_build_tuning {
  index_t from;                   ///< minimum number of points of all clouds for this shape, 1 or more
  int block_size;                 ///< threads, 256 or more, in whole warps
  int items_per_thread;           ///< number of keys that a thread sorts at a time
  int blocks_per_multiprocessor;  ///< maximum; registers are reserved for this number
  int window;                     ///< number of tiles that a thread looks back at in one step

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

/// Default choice. To change it, derive a struct, hide members, and pass it as the first template argument of knn() or
/// build_point_bvh().
struct knn_selector {
  /// Threads per block that answers queries, in whole warps; a part of these where their lists would exceed 48 KiB of
  /// shared memory. h100, 10 M points of a cube, k = 8, ms: 4.98 (128 threads: 5.01).
  static constexpr int block_size = 64;

  /// Maximum number of rows per launch, in whole blocks: more queries in view order take several launches.
  static constexpr index_t launch_rows = index_t{1} << 31;

  /// Shapes of the blocks that build indices, ascending in `from`; the last whose `from` the points reach is used. Best
  /// are the smallest tiles for which the multiprocessors suffice. h200, us: 100,000 points 39.7 (512x4 42.5, 1024x2
  /// 49.2), 200,000 points 47.7 (512x2 54.0, 512x8 54.3), 400,000 points 61.8 (512x4 66.4, 512x16 70.4), 1 M points
  /// 104.7 (512x8 115.6, 1024x8 107.9, 256x16 111.4), 10 M points 830 (1024x8 877, 256x16 840, 384x16 969).
  static constexpr bvh_build_tuning builds[] = {
      {1, 512, 2, 1, 8}, {135'169, 512, 4, 1, 8}, {270'337, 512, 8, 1, 8}, {540'673, 512, 16, 1, 8}};
  /// Number of points of a cloud from which warps begin with the most dispersed 32 points instead of the first on the
  /// curve. In smaller clouds all warps run at once (an H100 has room for the warps of 118,272 points).
  static constexpr index_t packet_order_from = 65'536;
  /// Minimum number of points that justify another block of a build.
  static constexpr index_t build_points = 1024;

  /// Fewer queries that are not the points are answered by a warp each; more, by a lane each. A warp takes as long as
  /// the slowest of its queries, and few warps run at once. h200, k = 8, random queries, us (in parentheses: 32 to a
  /// warp in the order of the view, and in the order of their BVH): 1 of 1 M points 17 (36, 41), 1,000 of 1 M 21 (125,
  /// 281), 10,000 of 1 M 76 (130, 310), 1,000 of 1,000 16 (40, 56), 10,000 of 10,000 66 (83, 87). Two to eight to a
  /// warp take longer than one: 10,000 of 1 M 165 and 113.
  static constexpr index_t warp_per_query_below = 12'288;
  /// More queries have a BVH of their own for their order, if there is a workspace and they are more than points
  /// divided by this. h200, k = 8, random queries, us (in the order of the view): 1 M of 1 M 678 (2,040), 200,000 of 1
  /// M 453 (518), 100,000 of 1 M 379 (281), 30,000 of 30,000 94 (117).
  static constexpr index_t own_order_share = 8;
  /// Maximum spread of the packets that are traversed together: the squared diagonal of their queries, relative to the
  /// squared scale of the points near them. Beyond, each lane traverses for its own query. In the order of a BVH of the
  /// queries few packets are spread, and it pays to traverse them together. h200, 1 M queries, k = 8, ms: random in the
  /// order of the view 2.04 (always together 4.47), sorted 1.13 (always together 1.19, always per lane 1.42); in the
  /// order of their BVH 0.678 (0.679, 1.53).
  static constexpr float max_spread = 64;
  static constexpr float max_spread_in_order = 1024;
  /// Fewer queries in the order of the view, 32 to a warp, are answered per lane from the start. All their warps run at
  /// once, so that a call takes as long as its slowest packet, whatever the others share. h200, cube, k = 8, without a
  /// workspace, ms per lane (packets by their spread, all after a beam search): 1,000 queries of 1,000 points 0.042
  /// (0.103), 100,000 of 100,000 sorted 0.211 (0.240), 1 M of 1 M sorted 1.42 (1.13).
  static constexpr index_t per_lane_below = 65'536;

  /// Searches are made without an index if queries * (points of the largest cloud)^2 is at most this: each query is
  /// compared with all points of its cloud, for lists of up to 32 nearest points (16 in double) and for any number of
  /// points in the order of indices. A quarter of it in double, which is an estimate. 0: never. With the square, equal
  /// products have nearly equal ratios of both times. h200, k = 8, ms without (with) an index: 16 x 1,024 points, a
  /// product of 2^34, 0.033 (0.080); 16 x 2,048, 2^37, 0.088 (0.088); 256 x 1,024, 2^38, 0.209 (0.193).
  static constexpr index_t scan_self = index_t{1} << 37;
  /// The same for queries that are not the points. h200, three neighbors of 65,536 queries in 16 x 2,048 points, 2^38,
  /// ms: 0.136 (0.172); 262,144 in 64 x 2,048, 2^40, 0.435 (0.376).
  static constexpr index_t scan_others = index_t{1} << 39;
  /// Number of lanes that should have work in such a search: with fewer queries, up to 32 lanes share a query. h200, k
  /// = 8, ms for 16 x 512 points with 16,384, 32,768 and 131,072 lanes: 0.018, 0.017, 0.022.
  static constexpr index_t scan_lanes = 32'768;
  /// The same for points in the order of indices, which a warp compares for one query at a time. h200, 32 points for
  /// 16,384 queries of 16 x 2,048 points, ms with 32,768 and 131,072 lanes: 0.119, 0.071.
  static constexpr index_t scan_lanes_by_index = 131'072;
};

namespace detail {

/// Threads per block of the kernels with one thread per query, in whole warps.
inline constexpr int search_block_size = 128;

/// Number of queries that a warp answers in turn, if their lists are too long for registers.
inline constexpr int knn_queries_per_warp = 4;
/// Number of queries that a warp answers in turn, if it keeps their lists for lanes that consume one each, and bytes of
/// shared memory for these lists. Guesses, not measured.
inline constexpr int kept_lists_per_warp = 8;
inline constexpr int kept_lists_bytes = 16 * 1024;

/// Limit on the spread of queries that a warp answers together. Eight queries are tested together if their squared
/// extent and their bounds are below this multiple of their smallest bound.
/// h200, 1 M points, k = 8, us (in parentheses, 16): cube 479.5 (490.2), sphere 384.5 (400.9), LiDAR rings 432.1
/// (441.7). A simulation of these clouds counts tests of a box by single queries, and turns of eight points, per
/// packet: sphere 6.3, 22.2 (16: 14.7, 21.5; no limit: 0, 25.1), rings 3.6, 13.6 (6.7, 13.4), cube 0, 37.5 (4.0, 37.1).
inline constexpr int packet_max_spread = 64;
/// Number of steps of four leaves after which each query of a packet tests boxes on its own. It is reached only with
/// many coincident points exactly at the queries' bounds: only a query itself can decide which of these has the lowest
/// index.
constexpr int packet_patience(int capacity) noexcept {
  return 32 + 2 * capacity;
}
/// Number of steps of four leaves after which queries for one neighbor are assumed to be in a heap of coincident
/// points. h100, 1 M points of a cube, k = 1, us: 219 (9: 219, 0: 248).
inline constexpr int packet_looks_before_heap = 3;
/// Offers of eight points after which an external packet is traversed lane by lane. A packet of a cube needs 39 for
/// eight neighbors; a few packets at jumps of the curve would take as long as all others together. Chosen for lists of
/// eight; longer lists need more offers.
template <int Capacity>
inline constexpr int packet_max_turns = 128 + 8 * (Capacity < 8 ? 8 : Capacity);
/// Number of points whose distances are computed at a time: more would take registers without saving time.
inline constexpr int packet_points_at_once = 4;

/// Maximum length of a row of radius_rows() that is filled in any order and sorted afterwards; longer rows are heaps.
inline constexpr index_t radius_sorted_row = 512;

}  // namespace detail
FARPOINT_END_NAMESPACE

/// @file
/// Per-lane traversal: each lane of a warp traverses the index for its own query.
#pragma once

#include <farpoint/detail/search/packets/memory.hpp>
#include <farpoint/warp/sorting_network.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Descends from the root with the two nodes nearest to a query.
/// @param levels  boxes of each level
/// @param top     number of levels
/// @param seen    set to two leaves near the query; the second may be no_index
template <class Scalar>
FARPOINT_DEVICE FARPOINT_ALWAYS_INLINE void find_two_leaves(point_boxes<Scalar> const* const* levels, int top,
                                                            vec<Scalar, 3> const& q,
                                                            std::uint32_t (&seen)[2]) noexcept {
  seen[0] = 0;
  seen[1] = no_index;
  FARPOINT_KEEP_LOOP
  for (int level = top - 1; level >= 0; --level) {
    std::uint32_t first = no_index;
    std::uint32_t second = no_index;
    FARPOINT_KEEP_LOOP
    for (int i = 0; i < 2; ++i) {
      std::uint32_t const node = i == 0 ? seen[0] : seen[1];
      if (node == no_index) continue;
      point_boxes<Scalar> const& boxes = levels[level][node];
      Scalar nearest2[point_bvh_width] = {};
      Scalar farthest2[point_bvh_width] = {};
      FARPOINT_UNROLL
      for (int axis = 0; axis < 3; ++axis) {
        Scalar low[point_bvh_width];
        Scalar high[point_bvh_width];
        load_read_only(boxes.low[axis], low);
        load_read_only(boxes.high[axis], high);
        FARPOINT_UNROLL
        for (int j = 0; j < point_bvh_width; ++j) {
          add_box_reach(low[j], high[j], q[axis], nearest2[j], farthest2[j]);
        }
      }
      // The low four bits of a key number the sixteen boxes.
      constexpr std::uint32_t number_bits = 2 * point_bvh_width - 1;
      FARPOINT_UNROLL
      for (int j = 0; j < point_bvh_width; ++j) {
        std::uint32_t key = (box_order_bits(nearest2[j], farthest2[j]) & ~number_bits) |
                            static_cast<std::uint32_t>(i * point_bvh_width + j);
        // Boxes of no points are infinitely far away.
        if (!(nearest2[j] < infinity<Scalar>)) key = no_index;
        second = smaller(second, larger(first, key));
        first = smaller(first, key);
      }
    }
    auto const child_of = [&](std::uint32_t key) {
      std::uint32_t const parent = (key & point_bvh_width) != 0 ? seen[1] : seen[0];
      return parent * point_bvh_width + key % point_bvh_width;
    };
    // If all distances overflow, the first child of the first node is as good as any.
    std::uint32_t const nearest = first == no_index ? seen[0] * point_bvh_width : child_of(first);
    seen[1] = second == no_index ? no_index : child_of(second);
    seen[0] = nearest;
  }
}

/// Writes the boxes of a group that may hold a neighbor: sorted keys of distance and number of the box. Keys of other
/// boxes are no_index.
/// @param bound, bound_index  of the list: only what comes before them is needed
template <class Scalar>
FARPOINT_DEVICE FARPOINT_ALWAYS_INLINE void sort_boxes(point_boxes<Scalar> const& boxes, vec<Scalar, 3> const& q,
                                                       Scalar bound, std::uint32_t bound_index,
                                                       std::uint32_t (&to)[point_bvh_width]) noexcept {
  Scalar d[point_bvh_width] = {};
  FARPOINT_UNROLL
  for (int axis = 0; axis < 3; ++axis) {
    Scalar low[point_bvh_width];
    Scalar high[point_bvh_width];
    load_read_only(boxes.low[axis], low);
    load_read_only(boxes.high[axis], high);
    FARPOINT_UNROLL
    for (int j = 0; j < point_bvh_width; ++j) d[j] = add_box_axis(d[j], low[j], high[j], q[axis]);
  }
  std::uint32_t keys[point_bvh_width];
  bool has_tie = false;
  FARPOINT_UNROLL
  for (int j = 0; j < point_bvh_width; ++j) {
    has_tie |= d[j] == bound;
    keys[j] = no_index;
    if (d[j] <= bound) keys[j] = (rounded_bits(d[j]) & ~(point_bvh_width - 1u)) | static_cast<std::uint32_t>(j);
  }
  if (has_tie) {
    FARPOINT_UNROLL
    for (int j = 0; j < point_bvh_width; ++j) {
      if (d[j] == bound && load_read_only(boxes.lowest[j]) >= bound_index) keys[j] = no_index;
    }
  }
  network_sort(keys);
  FARPOINT_UNROLL
  for (int j = 0; j < point_bvh_width; ++j) to[j] = keys[j];
}

/// Offers the points of a leaf that are within the bound.
template <class List, class Scalar>
FARPOINT_DEVICE FARPOINT_ALWAYS_INLINE void offer_leaf(point_leaf<Scalar> const& leaf, vec<Scalar, 3> const& q,
                                                       List& found) noexcept {
  Scalar x[3][point_bvh_width];
  FARPOINT_UNROLL
  for (int axis = 0; axis < 3; ++axis) load_read_only(leaf.axis[axis], x[axis]);
  Scalar d[point_bvh_width];
  FARPOINT_UNROLL
  for (int j = 0; j < point_bvh_width; ++j) d[j] = distance2(vec<Scalar, 3>{{x[0][j], x[1][j], x[2][j]}}, q);
  FARPOINT_UNROLL
  for (int j = 0; j < point_bvh_width; ++j) {
    if (d[j] <= found.bound()) found.offer(d[j], load_read_only(leaf.index[j]));
  }
}

/// Fills the lists, each lane for its own query: first the two leaves near the query, which give a bound, then depth
/// first from the root, nearest boxes first. Paths of the lanes diverge; merges of the lists do not.
///
/// For spread queries, for which a packet would visit too many boxes. All lanes call it.
/// @param found   lists whose bound() is not negative are filled; their queries are `q`
/// @param levels  boxes of each level of an index that is not empty
/// @param top     number of levels; 0 for a single leaf
/// @tparam Warp, List  see memory.hpp
template <class Warp, class List, class Scalar>
FARPOINT_DEVICE FARPOINT_ALWAYS_INLINE void search_per_lane(List& found, point_boxes<Scalar> const* const* levels,
                                                            point_leaf<Scalar> const* leaves, int top,
                                                            vec<Scalar, 3> const& q) noexcept {
  // Keys of the boxes on the path from the root, sorted: in local memory, since they are indexed by run-time values.
  alignas(16) std::uint32_t keys[point_bvh_levels][point_bvh_width];
  std::uint32_t next = 0;  ///< for each level, three bits: position of the next key
  bool const is_active = found.bound() >= 0;
  std::uint32_t seen[2];
  find_two_leaves(levels, top, q, seen);
  int level = is_active && top > 0 ? top - 1 : top;  ///< level of `group`; `top` at the end
  std::uint32_t group = 0;
  bool is_new = level < top;  ///< true if the keys of `group` are to be sorted
  FARPOINT_KEEP_LOOP
  for (int turn = 0;; ++turn) {
    std::uint32_t leaf = no_index;
    if (turn < 2) {
      if (is_active) leaf = turn == 0 ? seen[0] : seen[1];
    } else {
      if (Warp::ballot(level < top) == 0) break;
      Scalar const bound = found.bound();
      if (is_new) {
        is_new = false;
        sort_boxes(levels[level][group], q, bound, found.bound_index(), keys[level]);
        next &= ~(7u << 3 * level);
      }
      // Advances to the next group or leaf. Invariant: keys of a level before its position have been visited.
      while (level < top) {
        std::uint32_t const position = next >> 3 * level & 7;
        std::uint32_t const key = keys[level][position];
        // A cut key is not above its box's distance, so that boxes within the bound are visited. no_index is above all.
        if ((key & ~7u) > rounded_bits(bound)) {
          ++level;
          group >>= 3;
          continue;
        }
        if (position == 7) keys[level][0] = no_index;  // the position wraps around to the end of the level
        next = (next & ~(7u << 3 * level)) | ((position + 1) & 7) << 3 * level;
        std::uint32_t const child = group * point_bvh_width + (key & 7);
        if (level > 0) {
          --level;
          group = child;
          is_new = true;
          break;
        }
        if (child == seen[0] || child == seen[1]) continue;
        leaf = child;
        break;
      }
    }
    if (leaf != no_index) offer_leaf(leaves[leaf], q, found);
    // The two leaves are merged at once, so that there is a bound.
    int const most = turn == 1 ? 0 : List::batch;
    FARPOINT_KEEP_LOOP
    while (found.merge_beyond(most)) {
    }
  }
  found.merge_all();
}

}  // namespace detail
FARPOINT_END_NAMESPACE

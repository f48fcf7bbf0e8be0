/// @file
/// Traversal of a BVH over points: to a leaf near a query, and from there through all leaves that a visitor needs;
/// visitors for nearest neighbors and for neighbors within a radius.
#pragma once

#include <farpoint/core/bits.hpp>
#include <farpoint/spatial/point_bvh_nodes.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Node on the path to a leaf.
template <class Scalar>
struct near_node {
  Scalar nearest2;   ///< squared distance to its box
  Scalar farthest2;  ///< squared distance to the farthest corner
  std::uint32_t node;

  FARPOINT_HD bool is_nearer_than(near_node const& other) const noexcept {
    return nearest2 < other.nearest2 || (nearest2 == other.nearest2 && farthest2 < other.farthest2);
  }
};

/// Keeps the two nearest of the nodes that are added.
template <class Scalar>
struct two_nearest {
  near_node<Scalar> first{infinity<Scalar>, infinity<Scalar>, no_index};
  near_node<Scalar> second{infinity<Scalar>, infinity<Scalar>, no_index};

  FARPOINT_HD FARPOINT_ALWAYS_INLINE void add(point_boxes<Scalar> const& boxes, std::uint32_t group,
                                              vec<Scalar, 3> const& q) noexcept {
    Scalar nearest2[point_bvh_width];
    Scalar farthest2[point_bvh_width];
    for (int lane = 0; lane < point_bvh_width; ++lane) {
      nearest2[lane] = box_distance2_of(boxes, lane, q);
      farthest2[lane] = box_farthest2_of(boxes, lane, q);
    }
    FARPOINT_UNROLL
    for (int lane = 0; lane < point_bvh_width; ++lane) {
      near_node<Scalar> const node{nearest2[lane], farthest2[lane],
                                   group * point_bvh_width + static_cast<std::uint32_t>(lane)};
      if (node.is_nearer_than(first)) {
        second = first;
        first = node;
      } else if (node.is_nearer_than(second)) {
        second = node;
      }
    }
  }
};

/// Implements point_bvh_ref::leaf_near().
template <class Scalar>
FARPOINT_HD FARPOINT_ALWAYS_INLINE std::uint32_t find_leaf_near(point_boxes<Scalar> const* const* boxes, int levels,
                                                                vec<Scalar, 3> const& q) noexcept {
  two_nearest<Scalar> path;
  path.first.node = 0;
  for (int level = levels - 1; level >= 0; --level) {
    two_nearest<Scalar> below;
    below.add(boxes[level][path.first.node], path.first.node, q);
    if (path.second.node != no_index) below.add(boxes[level][path.second.node], path.second.node, q);
    // If all distances overflow, no node is nearer than infinity: take the first child.
    if (below.first.node == no_index) below.first.node = path.first.node * point_bvh_width;
    path = below;
  }
  return path.first.node;
}

/// Implements point_bvh_ref::visit().
/// @param bvh  non-empty point_bvh_ref
FARPOINT_CALLS_BACK
template <class Bvh, class Visitor>
FARPOINT_HD FARPOINT_ALWAYS_INLINE void visit_leaves(Bvh const& bvh, typename Bvh::point const& q, std::uint32_t start,
                                                     Visitor& visitor) noexcept {
  visitor.look_at(bvh.leaf(start), q);
  std::uint32_t seen = 1u << start % point_bvh_width;
  std::uint32_t group = start / point_bvh_width;
  std::uint64_t waiting = 0;  ///< boxes to visit on the levels above the lowest, one byte per level
  int level = 0;
  for (int base = 0; base < bvh.levels();) {
    std::uint32_t wanted = visitor.choose(bvh.boxes()[level][group], q) & ~seen;
    if (level > 0) {
      waiting |= std::uint64_t{wanted} << 8 * (level - 1);
    } else {
      for (; wanted != 0; wanted &= wanted - 1) {
        visitor.look_at(bvh.leaf(group * point_bvh_width + static_cast<std::uint32_t>(lowest_bit(wanted))), q);
      }
    }
    if (waiting != 0) {
      int const next = lowest_bit(waiting);
      waiting &= waiting - 1;
      int const below = next / 8;
      group = (group >> 3 * (below + 1 - level)) * point_bvh_width + static_cast<std::uint32_t>(next % 8);
      level = below;
      seen = 0;
    } else {
      // Continue with the children of the parent of the node on the path to the root, except that node itself.
      level = ++base;
      std::uint32_t const node = start >> 3 * base;
      group = node / point_bvh_width;
      seen = 1u << node % point_bvh_width;
    }
  }
}

/// Visitor that pushes points onto a list of nearest points; see point_bvh_ref::visit().
template <class Scalar, class List>
class nearest_visitor {
 public:
  /// @param excluded  index of a point to skip; no_index for none
  FARPOINT_HD FARPOINT_ALWAYS_INLINE nearest_visitor(List& list, std::uint32_t excluded) noexcept
      : list_{list}, excluded_{excluded} {}

  FARPOINT_CALLS_BACK
  FARPOINT_HD FARPOINT_ALWAYS_INLINE std::uint32_t choose(point_boxes<Scalar> const& boxes,
                                                          vec<Scalar, 3> const& q) const noexcept {
    return boxes_before(boxes, q, list_.worst().distance2(), list_.worst().index());
  }
  FARPOINT_CALLS_BACK
  FARPOINT_HD FARPOINT_ALWAYS_INLINE void look_at(point_leaf<Scalar> const& leaf, vec<Scalar, 3> const& q) noexcept {
    Scalar distance[point_bvh_width];
    for (std::uint32_t hits = leaf_distances(leaf, q, list_.worst().distance2(), distance); hits != 0;
         hits &= hits - 1) {
      int const lane = lowest_bit(hits);
      if (leaf.index[lane] != excluded_) list_.push({distance[lane], leaf.index[lane]});
    }
  }

 private:
  List& list_;
  std::uint32_t excluded_;
};

/// Visitor that pushes the points within a radius onto a list that keeps the lowest indices.
template <class Scalar, class List>
class lowest_visitor {
 public:
  FARPOINT_HD FARPOINT_ALWAYS_INLINE lowest_visitor(Scalar radius2, List& list, std::uint32_t excluded) noexcept
      : radius2_{radius2}, list_{list}, excluded_{excluded} {}

  FARPOINT_CALLS_BACK
  FARPOINT_HD FARPOINT_ALWAYS_INLINE std::uint32_t choose(point_boxes<Scalar> const& boxes,
                                                          vec<Scalar, 3> const& q) const noexcept {
    return boxes_within(boxes, q, radius2_, list_.worst().index());
  }
  FARPOINT_CALLS_BACK
  FARPOINT_HD FARPOINT_ALWAYS_INLINE void look_at(point_leaf<Scalar> const& leaf, vec<Scalar, 3> const& q) noexcept {
    Scalar distance[point_bvh_width];
    for (std::uint32_t hits = leaf_distances(leaf, q, radius2_, distance); hits != 0; hits &= hits - 1) {
      int const lane = lowest_bit(hits);
      if (leaf.index[lane] != excluded_) list_.push({distance[lane], leaf.index[lane]});
    }
  }

 private:
  Scalar radius2_;
  List& list_;
  std::uint32_t excluded_;
};

/// Visitor that calls a function for the points within a radius.
template <class Scalar, class Function>
class within_visitor {
 public:
  FARPOINT_HD FARPOINT_ALWAYS_INLINE within_visitor(Scalar radius2, Function& function) noexcept
      : radius2_{radius2}, function_{function} {}

  FARPOINT_CALLS_BACK
  FARPOINT_HD FARPOINT_ALWAYS_INLINE std::uint32_t choose(point_boxes<Scalar> const& boxes,
                                                          vec<Scalar, 3> const& q) const noexcept {
    return boxes_within(boxes, q, radius2_, no_index);
  }
  FARPOINT_CALLS_BACK
  FARPOINT_HD FARPOINT_ALWAYS_INLINE void look_at(point_leaf<Scalar> const& leaf, vec<Scalar, 3> const& q) noexcept {
    Scalar distance[point_bvh_width];
    for (std::uint32_t hits = leaf_distances(leaf, q, radius2_, distance); hits != 0; hits &= hits - 1) {
      int const lane = lowest_bit(hits);
      if (leaf.index[lane] != no_index) function_(leaf.index[lane], distance[lane]);
    }
  }

 private:
  Scalar radius2_;
  Function& function_;
};

}  // namespace detail
FARPOINT_END_NAMESPACE

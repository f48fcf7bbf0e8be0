/// @file
/// An index over points in the order of a space-filling curve: leaves of eight points, and above them boxes in groups
/// of eight. No pointers: node i of a level has the nodes 8 i to 8 i + 7 of the level below.
#pragma once

#include <farpoint/container/topk.hpp>
#include <farpoint/core/bits.hpp>
#include <farpoint/core/ordered_bits.hpp>
#include <farpoint/geometry/axis_distance.hpp>

#include <limits>

FARPOINT_BEGIN_NAMESPACE

/// Points of a leaf, and boxes of a group.
inline constexpr int point_bvh_width = 8;

/// Levels of boxes above the leaves', at most: eight of them leave the state of a search in one 64-bit word.
inline constexpr int point_bvh_levels = 9;

/// Points that follow one another on the curve, as separate arrays. Lanes without a point are at infinity and have the
/// index no_index.
template <class Scalar>
struct alignas(32) point_leaf {
  Scalar axis[3][point_bvh_width];
  std::uint32_t index[point_bvh_width];  ///< in the cloud

  FARPOINT_HD FARPOINT_ALWAYS_INLINE vec<Scalar, 3> at(int lane) const noexcept {
    return {{axis[0][lane], axis[1][lane], axis[2][lane]}};
  }
};

/// The boxes of nodes that follow one another. Lanes without a node have low above high, which is infinitely far away
/// from everything, and the index no_index.
template <class Scalar>
struct alignas(32) point_boxes {
  Scalar low[3][point_bvh_width];
  Scalar high[3][point_bvh_width];
  std::uint32_t lowest[point_bvh_width];  ///< index among the points inside
};

namespace detail {

/// Squared distances from a query to the points of a leaf; returns those not above `limit`, a bit each.
template <class Scalar>
FARPOINT_HD FARPOINT_ALWAYS_INLINE std::uint32_t leaf_distances(point_leaf<Scalar> const& leaf, vec<Scalar, 3> const& q,
                                                                Scalar limit,
                                                                Scalar (&distance)[point_bvh_width]) noexcept {
  lane_word<Scalar> hit = 0;
  for (int lane = 0; lane < point_bvh_width; ++lane) {
    Scalar d = add_axis(Scalar(0), leaf.axis[0][lane], q[0]);
    d = add_axis(d, leaf.axis[1][lane], q[1]);
    d = add_axis(d, leaf.axis[2][lane], q[2]);
    distance[lane] = d;
    hit |= d <= limit ? lane_word<Scalar>{1} << lane : lane_word<Scalar>{0};
  }
  return static_cast<std::uint32_t>(hit);
}

/// Squared distance from a query to one box of a group.
template <class Scalar>
FARPOINT_HD FARPOINT_ALWAYS_INLINE Scalar box_distance2_of(point_boxes<Scalar> const& boxes, int lane,
                                                           vec<Scalar, 3> const& q) noexcept {
  Scalar d = add_box_axis(Scalar(0), boxes.low[0][lane], boxes.high[0][lane], q[0]);
  d = add_box_axis(d, boxes.low[1][lane], boxes.high[1][lane], q[1]);
  return add_box_axis(d, boxes.low[2][lane], boxes.high[2][lane], q[2]);
}

/// Squared distance from a query to the farthest corner of one box of a group.
template <class Scalar>
FARPOINT_HD FARPOINT_ALWAYS_INLINE Scalar box_farthest2_of(point_boxes<Scalar> const& boxes, int lane,
                                                           vec<Scalar, 3> const& q) noexcept {
  Scalar sum = 0;
  FARPOINT_UNROLL
  for (int axis = 0; axis < 3; ++axis) {
    Scalar const above = sub_rn(q[axis], boxes.low[axis][lane]);
    Scalar const below = sub_rn(boxes.high[axis][lane], q[axis]);
    Scalar const farther = above > below ? above : below;
    sum = fma_rn(farther, farther, sum);
  }
  return sum;
}

/// Boxes of a group, a bit each, that may hold a point that comes before (limit, index) in the order of neighbour_key.
///
/// The lowest index decides among boxes at the distance of the limit: without it a cloud whose points are all equal
/// would be gone through for each query.
template <class Scalar>
FARPOINT_HD FARPOINT_ALWAYS_INLINE std::uint32_t boxes_before(point_boxes<Scalar> const& boxes, vec<Scalar, 3> const& q,
                                                              Scalar limit, std::uint32_t index) noexcept {
  lane_word<Scalar> hit = 0;
  for (int lane = 0; lane < point_bvh_width; ++lane) {
    Scalar const d = box_distance2_of(boxes, lane, q);
    bool const is_before = (d < limit) | ((d == limit) & (boxes.lowest[lane] < index));
    hit |= is_before ? lane_word<Scalar>{1} << lane : lane_word<Scalar>{0};
  }
  return static_cast<std::uint32_t>(hit);
}

/// Boxes of a group, a bit each, that may hold a point not farther than `limit` whose index is below this.
template <class Scalar>
FARPOINT_HD FARPOINT_ALWAYS_INLINE std::uint32_t boxes_within(point_boxes<Scalar> const& boxes, vec<Scalar, 3> const& q,
                                                              Scalar limit, std::uint32_t index) noexcept {
  lane_word<Scalar> hit = 0;
  for (int lane = 0; lane < point_bvh_width; ++lane) {
    bool const is_within = (box_distance2_of(boxes, lane, q) <= limit) & (boxes.lowest[lane] < index);
    hit |= is_within ? lane_word<Scalar>{1} << lane : lane_word<Scalar>{0};
  }
  return static_cast<std::uint32_t>(hit);
}

/// What visitors have in common whose search begins with one leaf, and that see to one leaf after the other.
template <class Visitor>
struct single_visitor {
  FARPOINT_HD static constexpr bool takes_whole_groups() noexcept { return false; }

  FARPOINT_CALLS_BACK
  template <class Scalar, class Point>
  FARPOINT_HD FARPOINT_ALWAYS_INLINE void look_at_some(point_leaf<Scalar> const* leaves, std::uint32_t which,
                                                       Point const& q) noexcept {
    for (; which != 0; which &= which - 1) static_cast<Visitor&>(*this).look_at(leaves[lowest_bit(which)], q);
  }

  FARPOINT_CALLS_BACK
  template <class Index, class Point>
  FARPOINT_HD FARPOINT_ALWAYS_INLINE std::uint32_t begin(Index const& index, std::uint32_t start,
                                                         Point const& q) noexcept {
    static_cast<Visitor&>(*this).look_at(index.leaf(start), q);
    return 1u << start % point_bvh_width;
  }
};

/// Pushes the points of the leaves that it is shown onto a list of nearest ones; see point_bvh_ref::visit().
template <class Scalar, class List>
class nearest_visitor : public single_visitor<nearest_visitor<Scalar, List>> {
 public:
  /// @param excluded  index that is passed over; no_index: none
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

/// Pushes the points within a radius onto a list of those with the lowest indices.
template <class Scalar, class List>
class lowest_visitor : public single_visitor<lowest_visitor<Scalar, List>> {
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

/// Shows a function the points within a radius.
template <class Scalar, class Function>
class within_visitor : public single_visitor<within_visitor<Scalar, Function>> {
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

/// The index of one cloud: a view of memory that build_point_bvh() has filled. Trivially copyable: pass it by value
/// into kernels. Reading is thread-safe.
///
/// Searches are exact: a box is never farther than a point in it, bit by bit (see box_distance2()). Points are known by
/// their indices in the cloud; non-finite ones are not in the index.
/// Complexity: a search climbs from one leaf to the root and looks at the boxes beside its path; about 14 of them and
/// 69 points for eight neighbours of a point among a million that are spread evenly.
template <class Scalar>
class point_bvh_ref {
 public:
  using scalar = Scalar;
  using point = vec<Scalar, 3>;
  using key = neighbour_key<Scalar>;
  static constexpr Scalar infinity = std::numeric_limits<Scalar>::infinity();

  point_bvh_ref() = default;

  /// @param size    points
  /// @param leaves  as many as hold them, eight to a leaf
  /// @param boxes   for each level, from the leaves' up, its groups; unused ones may be anything
  FARPOINT_HD point_bvh_ref(index_t size, point_leaf<Scalar> const* leaves,
                            point_boxes<Scalar> const* const (&boxes)[point_bvh_levels]) noexcept
      : leaves_{leaves}, size_{static_cast<std::uint32_t>(size)} {
    for (int level = 0; level < point_bvh_levels; ++level) boxes_[level] = boxes[level];
    for (auto nodes = leaf_count(); nodes > 1; nodes = (nodes + point_bvh_width - 1) / point_bvh_width) ++levels_;
  }

  /// Finite points.
  FARPOINT_HD index_t size() const noexcept { return size_; }
  FARPOINT_HD std::uint32_t leaf_count() const noexcept {
    return size_ / point_bvh_width + (size_ % point_bvh_width != 0 ? 1 : 0);
  }
  FARPOINT_HD FARPOINT_ALWAYS_INLINE point_leaf<Scalar> const& leaf(std::uint32_t i) const noexcept {
    return leaves_[i];
  }

  /// The k nearest points, ascending by (squared distance, index); those missing have the index no_index.
  /// @param q           finite
  /// @param k           1 to Capacity; Capacity up to about 32 stays in registers
  /// @param max_radius2  squared metres; a point at exactly this squared distance is a neighbour
  /// @param excluded    index of a point to pass over
  template <int Capacity>
  FARPOINT_HD topk_list<key, Capacity> nearest(point const& q, int k = Capacity, Scalar max_radius2 = infinity,
                                               std::uint32_t excluded = no_index) const noexcept {
    topk_list<key, Capacity> list{k, key{max_radius2, no_index}};
    search(q, leaf_near(q), list, excluded);
    return list;
  }

  /// Calls `function(index, squared distance)` for each point within the radius, in an order that depends on nothing
  /// but the index and q.
  FARPOINT_CALLS_BACK
  template <class Function>
  FARPOINT_HD void within(point const& q, Scalar radius2, Function&& function) const noexcept {
    detail::within_visitor<Scalar, Function> visitor{radius2, function};
    visit(q, leaf_near(q), visitor);
  }

  /// Calls `function(index, point)` for each point, neighbours in space after one another.
  FARPOINT_CALLS_BACK
  template <class Function>
  FARPOINT_HD void for_each(Function&& function) const noexcept {
    for (std::uint32_t i = 0; i < size_; ++i) {
      point_leaf<Scalar> const& home = leaves_[i / point_bvh_width];
      int const lane = static_cast<int>(i % point_bvh_width);
      function(home.index[lane], home.at(lane));
    }
  }

  /// A leaf that is likely to be near q: two nodes of each level are followed, those whose boxes are nearest. Among
  /// boxes that q is in the one that ends nearest is taken. Where boxes overlap, one node would often lead astray:
  /// counted for a million points of a simulated LiDAR sweep that ask for three neighbours, the search after it looks
  /// at 5 leaves, and at 547 if only the first box is followed that is not farther than the others.
  FARPOINT_HD FARPOINT_ALWAYS_INLINE std::uint32_t leaf_near(point const& q) const noexcept {
    near_node first{infinity, infinity, 0};
    near_node second{infinity, infinity, no_index};
    for (int level = levels_ - 1; level >= 0; --level) {
      near_node next{infinity, infinity, no_index};
      near_node after{infinity, infinity, no_index};
      keep_nearest(level, first.node, q, next, after);
      if (second.node != no_index) keep_nearest(level, second.node, q, next, after);
      // None is nearer than infinitely far if all distances overflow.
      if (next.node == no_index) next.node = first.node * point_bvh_width;
      first = next;
      second = after;
    }
    return first.node;
  }

  /// Pushes the points nearest to q onto a list (topk_list, topk_heap).
  FARPOINT_CALLS_BACK
  template <class List>
  FARPOINT_HD FARPOINT_ALWAYS_INLINE void search(point const& q, std::uint32_t start, List& list,
                                                 std::uint32_t excluded) const noexcept {
    detail::nearest_visitor<Scalar, List> visitor{list, excluded};
    visit(q, start, visitor);
  }

  /// Shows a visitor all leaves that it may want, those at `start` first, then those ever farther from it on the curve.
  ///
  /// visitor.begin(index, start, q): looks at some leaves, and returns which of their group of eight, a bit each.
  /// visitor.choose(boxes, q): the boxes of a group that are looked into, a bit each. visitor.takes_whole_groups(): now
  /// wants a group's leaves unasked. visitor.look_at_some(leaves, which, q): those leaves of a group, a bit each, at
  /// least one.
  FARPOINT_CALLS_BACK
  template <class Visitor>
  FARPOINT_HD FARPOINT_ALWAYS_INLINE void visit(point const& q, std::uint32_t start, Visitor& visitor) const noexcept {
    visit(q, start, visitor, boxes_);
  }
  /// The same.
  /// @param q        where the search is, for the visitor
  /// @param start    leaf
  /// @param visitor  as above
  /// @param boxes    boxes() in memory that is nearer
  FARPOINT_CALLS_BACK
  template <class Visitor>
  FARPOINT_HD FARPOINT_ALWAYS_INLINE void visit(point const& q, std::uint32_t start, Visitor& visitor,
                                                point_boxes<Scalar> const* const* boxes) const noexcept {
    if (size_ == 0) return;
    std::uint32_t const leaves = leaf_count();
    std::uint32_t seen = visitor.begin(*this, start, q);
    std::uint32_t group = start / point_bvh_width;
    std::uint64_t waiting = 0;  ///< boxes of the levels above the lowest, a byte each
    int level = 0;
    for (int base = 0; base < levels_;) {
      bool const is_whole = level == 0 && visitor.takes_whole_groups();
      std::uint32_t const wanted =
          (is_whole ? leaves_of(group, leaves) : visitor.choose(boxes[level][group], q)) & ~seen;
      if (level > 0) {
        waiting |= std::uint64_t{wanted} << 8 * (level - 1);
      } else if (wanted != 0) {
        visitor.look_at_some(leaves_ + std::size_t{group} * point_bvh_width, wanted, q);
      }
      if (waiting != 0) {
        int const next = detail::lowest_bit(waiting);
        waiting &= waiting - 1;
        int const below = next / 8;
        group = (group >> 3 * (below + 1 - level)) * point_bvh_width + static_cast<std::uint32_t>(next % 8);
        level = below;
        seen = 0;
      } else {
        // Below the parent of the node on the way to the root, and not below that node itself.
        level = ++base;
        std::uint32_t const node = start >> 3 * base;
        group = node / point_bvh_width;
        seen = 1u << node % point_bvh_width;
      }
    }
  }

  /// Of each level, from the leaves' up.
  FARPOINT_HD point_boxes<Scalar> const* const* boxes() const noexcept { return boxes_; }

 private:
  /// The leaves of a group, a bit each.
  FARPOINT_HD static FARPOINT_ALWAYS_INLINE std::uint32_t leaves_of(std::uint32_t group,
                                                                    std::uint32_t leaves) noexcept {
    std::uint32_t const left = leaves - group * point_bvh_width;
    return left < point_bvh_width ? (1u << left) - 1 : 0xffu;
  }

  /// A node on the way to a leaf.
  struct near_node {
    Scalar nearest2;   ///< squared distance to its box
    Scalar farthest2;  ///< to the farthest corner
    std::uint32_t node;

    FARPOINT_HD bool is_nearer_than(near_node const& other) const noexcept {
      return nearest2 < other.nearest2 || (nearest2 == other.nearest2 && farthest2 < other.farthest2);
    }
  };

  /// Keeps the two nearest of those before and a group's.
  FARPOINT_HD FARPOINT_ALWAYS_INLINE void keep_nearest(int level, std::uint32_t group, point const& q, near_node& next,
                                                       near_node& after) const noexcept {
    point_boxes<Scalar> const& boxes = boxes_[level][group];
    Scalar nearest2[point_bvh_width];
    Scalar farthest2[point_bvh_width];
    for (int lane = 0; lane < point_bvh_width; ++lane) {
      nearest2[lane] = detail::box_distance2_of(boxes, lane, q);
      farthest2[lane] = detail::box_farthest2_of(boxes, lane, q);
    }
    FARPOINT_UNROLL
    for (int lane = 0; lane < point_bvh_width; ++lane) {
      near_node const node{nearest2[lane], farthest2[lane], group * point_bvh_width + static_cast<std::uint32_t>(lane)};
      if (node.is_nearer_than(next)) {
        after = next;
        next = node;
      } else if (node.is_nearer_than(after)) {
        after = node;
      }
    }
  }

  point_leaf<Scalar> const* leaves_ = nullptr;
  point_boxes<Scalar> const* boxes_[point_bvh_levels] = {};
  std::uint32_t size_ = 0;
  int levels_ = 0;
};

FARPOINT_END_NAMESPACE

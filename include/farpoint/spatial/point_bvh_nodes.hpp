/// @file
/// The nodes of a BVH over points, eight at a time, and their distances from a query.
#pragma once

#include <farpoint/container/topk.hpp>
#include <farpoint/core/ordered_bits.hpp>
#include <farpoint/geometry/axis_distance.hpp>
#include <farpoint/geometry/bounding_box.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Points of a leaf, and boxes of a group.
inline constexpr int point_bvh_width = 8;
/// Deprecated name of point_bvh_width, until 0.2.
[[deprecated("farpoint: use point_bvh_width")]] inline constexpr int point_index_width = point_bvh_width;

/// Levels of boxes, at most, from the leaves' up. The state of a search has a byte for each level above the lowest: a
/// 64-bit word.
inline constexpr int point_bvh_levels = 9;
/// Deprecated name of point_bvh_levels, until 0.2.
[[deprecated("farpoint: use point_bvh_levels")]] inline constexpr int point_index_levels = point_bvh_levels;

/// Points that follow one another in the order of the BVH, as separate arrays. Lanes without a point are at infinity
/// and have the index no_index.
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

  FARPOINT_HD FARPOINT_ALWAYS_INLINE bounding_box<Scalar> at(int lane) const noexcept {
    return {{{low[0][lane], low[1][lane], low[2][lane]}}, {{high[0][lane], high[1][lane], high[2][lane]}}};
  }
};

namespace detail {

/// Squared distances from a query to the points of a leaf; returns those not above `limit`, a bit each.
template <class Scalar>
FARPOINT_HD FARPOINT_ALWAYS_INLINE std::uint32_t leaf_distances(point_leaf<Scalar> const& leaf, vec<Scalar, 3> const& q,
                                                                Scalar limit,
                                                                Scalar (&distance)[point_bvh_width]) noexcept {
  lane_word<Scalar> hit = 0;
  FARPOINT_VECTOR_LOOP
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

/// Boxes of a group, a bit each, for which `hit(squared distance from a query, lowest index of a point)` holds.
template <class Scalar, class Hit>
FARPOINT_HD FARPOINT_ALWAYS_INLINE std::uint32_t boxes_where(point_boxes<Scalar> const& boxes, vec<Scalar, 3> const& q,
                                                             Hit const& hit) noexcept {
  lane_word<Scalar> bits = 0;
  FARPOINT_VECTOR_LOOP
  for (int lane = 0; lane < point_bvh_width; ++lane) {
    bool const is_hit = hit(box_distance2_of(boxes, lane, q), boxes.lowest[lane]);
    bits |= is_hit ? lane_word<Scalar>{1} << lane : lane_word<Scalar>{0};
  }
  return static_cast<std::uint32_t>(bits);
}

/// Boxes of a group, a bit each, that may hold a point that comes before (limit, index) in the order of neighbor_key.
///
/// The lowest index decides among boxes at the distance of the limit: without it a cloud whose points are all equal
/// would be gone through for each query.
template <class Scalar>
FARPOINT_HD FARPOINT_ALWAYS_INLINE std::uint32_t boxes_before(point_boxes<Scalar> const& boxes, vec<Scalar, 3> const& q,
                                                              Scalar limit, std::uint32_t index) noexcept {
  return boxes_where(boxes, q,
                     [=](Scalar d, std::uint32_t lowest) { return (d < limit) | ((d == limit) & (lowest < index)); });
}

/// Boxes of a group, a bit each, that may hold a point not farther than `limit` whose index is below this.
template <class Scalar>
FARPOINT_HD FARPOINT_ALWAYS_INLINE std::uint32_t boxes_within(point_boxes<Scalar> const& boxes, vec<Scalar, 3> const& q,
                                                              Scalar limit, std::uint32_t index) noexcept {
  return boxes_where(boxes, q, [=](Scalar d, std::uint32_t lowest) { return (d <= limit) & (lowest < index); });
}

}  // namespace detail
FARPOINT_END_NAMESPACE

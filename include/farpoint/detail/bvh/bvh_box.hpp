/// @file
/// What a node of a BVH says of the points below it.
#pragma once

#include <farpoint/spatial/point_bvh_nodes.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// The box around a node's points and their lowest index; at first, the box and index of an empty node.
template <class Scalar>
struct bvh_box {
  bounding_box<Scalar> box = bounding_box<Scalar>::empty();
  std::uint32_t lowest = no_index;

  /// Grows by a point.
  FARPOINT_HD FARPOINT_ALWAYS_INLINE void grow(vec<Scalar> const& point, std::uint32_t index) noexcept {
    box.grow(point);
    lowest = smaller(lowest, index);
  }
  /// Grows by another node.
  FARPOINT_HD FARPOINT_ALWAYS_INLINE void grow(bvh_box const& other) noexcept {
    box.grow(other.box);
    lowest = smaller(lowest, other.lowest);
  }

  /// The node of a lane of a group.
  FARPOINT_HD FARPOINT_ALWAYS_INLINE static bvh_box read(point_boxes<Scalar> const& group, int lane) noexcept {
    return {group.at(lane), group.lowest[lane]};
  }
  FARPOINT_HD FARPOINT_ALWAYS_INLINE void write(point_boxes<Scalar>& group, int lane) const noexcept {
    FARPOINT_UNROLL
    for (int axis = 0; axis < 3; ++axis) {
      group.low[axis][lane] = box.low[axis];
      group.high[axis][lane] = box.high[axis];
    }
    group.lowest[lane] = lowest;
  }
};

}  // namespace detail
FARPOINT_END_NAMESPACE

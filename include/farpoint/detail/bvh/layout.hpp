/// @file
/// Where the BVHs of a batch of clouds lie in one workspace, and what a node says of the points below it.
#pragma once

#include <farpoint/core/batch.hpp>
#include <farpoint/core/workspace.hpp>
#include <farpoint/spatial/point_bvh_arrays.hpp>
#include <farpoint/spatial/point_bvh_nodes.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Leaves of the clouds of a batch, at most.
constexpr index_t max_leaves(index_t points, index_t clouds) noexcept {
  return points / point_bvh_width + clouds;
}

/// Cuts the arrays for the BVHs of a batch.
template <class Scalar>
point_bvh_arrays<Scalar> cut_point_bvh(workspace_cutter& cutter, index_t points, index_t clouds,
                                       index_t largest) noexcept {
  using arrays = point_bvh_arrays<Scalar>;
  arrays a{};
  a.clouds = cutter.take<point_bvh_cloud>(clouds + 1);
  a.leaves = cutter.take<point_leaf<Scalar>>(max_leaves(points, clouds));
  for (int level = 0; level < point_bvh_levels; ++level) {
    // A single node of the level below needs no box.
    if (largest <= arrays::points_per_group(level) / point_bvh_width) break;
    a.boxes[level] = cutter.take<point_boxes<Scalar>>(points / arrays::points_per_group(level) + clouds);
  }
  return a;
}

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

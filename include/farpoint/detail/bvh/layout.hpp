/// @file
/// Where the BVHs of a batch of clouds lie in one workspace.
#pragma once

#include <farpoint/core/batch.hpp>
#include <farpoint/core/workspace.hpp>
#include <farpoint/spatial/point_bvh_arrays.hpp>

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

}  // namespace detail
FARPOINT_END_NAMESPACE

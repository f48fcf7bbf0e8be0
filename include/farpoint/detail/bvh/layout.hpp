/// @file
/// Where the BVHs of a batch of clouds lie in one workspace.
#pragma once

#include <farpoint/core/batch.hpp>
#include <farpoint/core/workspace.hpp>
#include <farpoint/spatial/point_bvh.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// A cloud's part of the batch: known to whoever has read the offsets and counted the finite points.
struct point_bvh_cloud {
  index_t begin;
  index_t size;  ///< finite points
};

/// The arrays of a batch's BVHs. Trivially copyable.
///
/// A cloud's groups begin at floor(begin / points per group) + its number. That leaves room for as many as it needs at
/// most, without a sum over the clouds before it.
template <class Scalar>
struct point_bvh_arrays {
  point_bvh_cloud* clouds;
  point_leaf<Scalar>* leaves;
  point_boxes<Scalar>* boxes[point_bvh_levels];  ///< null above the levels that the largest cloud has

  FARPOINT_HD static constexpr index_t points_per_group(int level) noexcept {
    return index_t{point_bvh_width} << 3 * (level + 1);
  }
  FARPOINT_HD point_leaf<Scalar>* leaves_of(index_t b, index_t begin) const noexcept {
    return leaves + begin / point_bvh_width + b;
  }
  FARPOINT_HD point_boxes<Scalar>* boxes_of(index_t b, index_t begin, int level) const noexcept {
    return boxes[level] == nullptr ? nullptr : boxes[level] + begin / points_per_group(level) + b;
  }
  FARPOINT_HD point_bvh_ref<Scalar> operator[](index_t b) const noexcept {
    point_bvh_cloud const cloud = clouds[b];
    point_boxes<Scalar> const* levels[point_bvh_levels];
    for (int level = 0; level < point_bvh_levels; ++level) levels[level] = boxes_of(b, cloud.begin, level);
    return {cloud.size, leaves_of(b, cloud.begin), levels};
  }
};

/// Leaves of the clouds of a batch, at most.
constexpr index_t most_leaves(index_t points, index_t clouds) noexcept {
  return points / point_bvh_width + clouds;
}

/// Cuts the arrays for the BVHs of a batch.
template <class Scalar>
point_bvh_arrays<Scalar> cut_point_bvh(workspace_cutter& cutter, index_t points, index_t clouds,
                                       index_t largest) noexcept {
  using arrays = point_bvh_arrays<Scalar>;
  arrays a{};
  a.clouds = cutter.take<point_bvh_cloud>(clouds);
  a.leaves = cutter.take<point_leaf<Scalar>>(most_leaves(points, clouds));
  for (int level = 0; level < point_bvh_levels; ++level) {
    // A single node of the level below needs no box.
    if (largest <= arrays::points_per_group(level) / point_bvh_width) break;
    a.boxes[level] = cutter.take<point_boxes<Scalar>>(points / arrays::points_per_group(level) + clouds);
  }
  return a;
}

}  // namespace detail
FARPOINT_END_NAMESPACE

/// @file
/// BVHs of a batch of clouds, in shared arrays.
#pragma once

#include <farpoint/spatial/point_bvh.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Position and size of a cloud in the batch, after offsets have been read and finite points counted.
struct point_bvh_cloud {
  index_t begin;
  index_t size;  ///< number of finite points
};

/// Faults in the points that a batch of BVHs was built from.
struct point_bvh_faults {
  unsigned bad_offsets;  ///< number of invalid offsets; if not 0, all BVHs are empty, and other faults are not counted
  unsigned long long non_finite_points;  ///< number of points that are in no BVH
};

/// Arrays of a batch's BVHs. Trivially copyable.
///
/// The groups of cloud b begin at floor(begin / points per group) + b. This leaves room for the maximum number of
/// groups of each cloud, without a sum over the clouds before it.
template <class Scalar>
struct point_bvh_arrays {
  point_bvh_cloud* clouds;  ///< `[clouds + 1]`: the last entry begins at the end of the last cloud
  point_leaf<Scalar>* leaves;
  point_boxes<Scalar>* boxes[point_bvh_levels];  ///< null above the levels of the largest cloud
  std::uint32_t* packets;  ///< single cloud only: order in which warps begin with 32 of its points each; may be null

  FARPOINT_HD static constexpr index_t points_per_group(int level) noexcept {
    return index_t{point_bvh_width} << 3 * (level + 1);
  }
  /// @param begin  first point of the cloud; not negative
  FARPOINT_HD point_leaf<Scalar>* leaves_of(index_t b, index_t begin) const noexcept {
    return leaves + (begin >> bits_of_width) + b;
  }
  FARPOINT_HD point_boxes<Scalar>* boxes_of(index_t b, index_t begin, int level) const noexcept {
    // A shift, since a GPU takes two hundred instructions for a division by an unknown divisor.
    index_t const group = (begin >> bits_of_width * (level + 2)) + b;
    return boxes[level] == nullptr ? nullptr : boxes[level] + group;
  }
  FARPOINT_HD point_bvh_ref<Scalar> operator[](index_t b) const noexcept {
    point_bvh_cloud const cloud = clouds[b];
    point_boxes<Scalar> const* levels[point_bvh_levels];
    for (int level = 0; level < point_bvh_levels; ++level) levels[level] = boxes_of(b, cloud.begin, level);
    return {cloud.size, leaves_of(b, cloud.begin), levels};
  }

 private:
  static constexpr int bits_of_width = 3;
  static_assert(1 << bits_of_width == point_bvh_width);
};

}  // namespace detail
FARPOINT_END_NAMESPACE

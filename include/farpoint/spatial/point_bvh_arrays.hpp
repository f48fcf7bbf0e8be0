/// @file
/// The BVHs of a batch of clouds, in the arrays that they share.
#pragma once

#include <farpoint/spatial/point_bvh.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// A cloud's part of the batch: known to whoever has read the offsets and counted the finite points.
struct point_bvh_cloud {
  index_t begin;
  index_t size;  ///< finite points
};

/// Faults of the points that a batch of BVHs was built of.
struct point_bvh_faults {
  unsigned bad_offsets;  ///< wrong offsets: if there are any, all BVHs are empty, and nothing else counts
  unsigned long long non_finite_points;  ///< points that are in no BVH
};

/// The arrays of a batch's BVHs. Trivially copyable.
///
/// A cloud's groups begin at floor(begin / points per group) + its number. That leaves room for as many as it needs at
/// most, without a sum over the clouds before it.
template <class Scalar>
struct point_bvh_arrays {
  point_bvh_cloud* clouds;  ///< `[clouds + 1]`: the last entry begins where the last cloud ends
  point_leaf<Scalar>* leaves;
  point_boxes<Scalar>* boxes[point_bvh_levels];  ///< null above the levels that the largest cloud has
  std::uint32_t* packets;  ///< of a single cloud: the order in which warps begin with 32 of its points; null: none

  FARPOINT_HD static constexpr index_t points_per_group(int level) noexcept {
    return index_t{point_bvh_width} << 3 * (level + 1);
  }
  /// @param begin  of the cloud's points; not negative
  FARPOINT_HD point_leaf<Scalar>* leaves_of(index_t b, index_t begin) const noexcept {
    return leaves + (begin >> bits_of_width) + b;
  }
  FARPOINT_HD point_boxes<Scalar>* boxes_of(index_t b, index_t begin, int level) const noexcept {
    // By a shift: a GPU divides by what it does not know in two hundred instructions.
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

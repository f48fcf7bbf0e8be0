/// @file
/// Draws the random subset of a voxel's points.
#pragma once

#include <farpoint/container/hash.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Priority of a point for voxel_points::random_subset, which keeps the points of lowest priority. One-to-one in
/// `index`, the point's index in its cloud, so that no two points of a cloud share one. The numbers of SplitMix64
/// (Steele, Lea and Flood 2014).
FARPOINT_HD constexpr std::uint64_t random_priority(std::uint64_t seed, index_t index) noexcept {
  return mix_bits(seed + 0x9e3779b97f4a7c15u * (static_cast<std::uint64_t>(index) + 1));
}

}  // namespace detail
FARPOINT_END_NAMESPACE

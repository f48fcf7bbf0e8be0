/// @file
#pragma once

#include <farpoint/container/hash.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Place of a point in the lottery of voxel_points::random_subset: the points of lowest ticket are kept. One-to-one in
/// `index`, the point's index in its cloud, so no two tickets of a cloud are equal. The numbers of SplitMix64 (Steele,
/// Lea and Flood 2014).
FARPOINT_HD constexpr std::uint64_t random_priority(std::uint64_t seed, index_t index) noexcept {
  return mix_bits(seed + 0x9e3779b97f4a7c15u * (static_cast<std::uint64_t>(index) + 1));
}

}  // namespace detail
FARPOINT_END_NAMESPACE

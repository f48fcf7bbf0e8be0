/// @file
#pragma once

#include <farpoint/core/types.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Place of a point in the lottery of voxel_points::random_subset: the points of lowest ticket are kept. One-to-one in
/// `index`, the point's index in its cloud, so no two tickets of a cloud are equal. The finaliser is that of SplitMix64
/// (Steele, Lea and Flood 2014).
FARPOINT_HD constexpr std::uint64_t voxel_ticket(std::uint64_t seed, index_t index) noexcept {
  std::uint64_t state = seed + 0x9e3779b97f4a7c15u * (static_cast<std::uint64_t>(index) + 1);
  state = (state ^ state >> 30) * 0xbf58476d1ce4e5b9u;
  state = (state ^ state >> 27) * 0x94d049bb133111ebu;
  return state ^ state >> 31;
}

}  // namespace detail
FARPOINT_END_NAMESPACE

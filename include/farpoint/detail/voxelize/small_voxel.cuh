/// @file
/// Voxel with few points, sorted into input order by eight lanes.
#pragma once

#include <farpoint/tuning/voxelize.hpp>
#include <farpoint/warp/cuda_warp.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Voxel of at most voxel_small points, two in each of eight lanes. Its steps are separate functions, so that the loads
/// of the next voxel overlap the sort of this one.
struct small_voxel {
  static_assert(voxel_small == 2 * voxel_group, "farpoint: a lane of a group holds two points");
  /// No point: above all points, and below 2^31 as points are.
  static constexpr std::uint32_t none = 0x7fffffffu;

  std::uint32_t voxel;
  std::uint32_t begin = 0;
  std::uint32_t count = 0;  ///< 0: no voxel, or a voxel with more points
  std::uint32_t low = none;
  std::uint32_t high = none;

  /// First step: finds the voxel's points in `members`.
  __device__ void find(std::uint32_t const* offsets, std::uint32_t voxels, std::uint32_t point_limit) noexcept {
    if (voxel >= voxels) return;
    begin = offsets[voxel];
    std::uint32_t const points = offsets[voxel + 1] - begin;
    count = points <= point_limit ? points : 0;
  }

  /// Second step: loads two points per lane.
  __device__ void load(std::uint32_t const* members) noexcept {
    std::uint32_t const lane = threadIdx.x % voxel_group;
    if (lane < count) low = members[begin + lane];
    if (lane + voxel_group < count) high = members[begin + lane + voxel_group];
  }

  /// Third step: each lane counts the points below its own. All lanes of a warp call it, for four voxels.
  /// @param sorted  shared memory of the eight lanes
  __device__ void sort(std::uint32_t* sorted) const noexcept {
    std::uint32_t low_place = 0;
    std::uint32_t high_place = 0;
    auto const is_below = [](std::uint32_t a, std::uint32_t b) { return (a - b) >> 31; };
#pragma unroll
    for (int i = 0; i < voxel_group; ++i) low_place += is_below(__shfl_sync(~0u, low, i, voxel_group), low);
    if (__any_sync(~0u, count > voxel_group)) {
#pragma unroll
      for (int i = 0; i < voxel_group; ++i) {
        std::uint32_t const other = __shfl_sync(~0u, high, i, voxel_group);
        low_place += is_below(other, low);
        high_place += is_below(other, high) + is_below(__shfl_sync(~0u, low, i, voxel_group), high);
      }
    }
    // All lanes have read the points of the previous voxel.
    __syncwarp();
    if (low != none) sorted[low_place] = low;
    if (high != none) sorted[high_place] = high;
    __syncwarp();
  }
};

}  // namespace detail
FARPOINT_END_NAMESPACE

/// @file
/// Arguments of the baselines of voxelize() on a GPU.
#pragma once

#include "voxelize/row.hpp"

#include <cstdint>

namespace farpoint_bench {

/// Device memory.
struct voxelize_args {
  float const* points;  ///< `[count, 5]`
  std::uint32_t count;
  farpoint::voxel_grid<float> grid;
  std::uint32_t max_voxels;
  std::uint32_t max_points;

  std::int32_t* coords;  ///< `[max_voxels, 3]`
  std::int32_t* counts;  ///< `[max_voxels]`
  float* means;          ///< `[max_voxels, 5]`

  /// The input of a row; outputs are null.
  static voxelize_args of(voxelize_row const& row, lidar_point const* points) {
    voxelize_args args{};
    args.points = reinterpret_cast<float const*>(points);
    args.count = static_cast<std::uint32_t>(row.points);
    args.grid = row.grid();
    args.max_voxels = static_cast<std::uint32_t>(row.max_voxels);
    args.max_points = static_cast<std::uint32_t>(row.max_points);
    return args;
  }
};

}  // namespace farpoint_bench

/// @file
/// What makes voxelize() fast on a GPU. Nothing here changes a result.
#pragma once

#include <farpoint/core/types.hpp>

FARPOINT_BEGIN_NAMESPACE

/// How the points of each voxel are brought together; see docs/voxelize.md.
enum class voxelize_algorithm {
  select,  ///< scattered to their voxel in any order, the kept ones selected by index; up to 32 points a voxel
  sort     ///< sorted by voxel; any number of points, and lists
};

/// What a choice goes by.
struct voxelize_case {
  index_t points;  ///< of all clouds
  index_t clouds;
  index_t max_points;  ///< a voxel keeps
  bool select_works;   ///< max_points is at most 32, and neither lists nor the order of the grid are asked for
  int multiprocessors;
};

/// The default choice. Derive a struct from it, hide what you want to change, and pass it as voxelize()'s first
/// template argument.
struct voxelize_selector {
  /// Threads of a block, in whole warps.
  static constexpr int block_size = 256;
  /// Blocks that a multiprocessor is given: what keeps enough loads in flight.
  static constexpr int blocks_per_multiprocessor = 8;

  static constexpr voxelize_algorithm choose(voxelize_case const& c) noexcept {
    return c.select_works ? voxelize_algorithm::select : voxelize_algorithm::sort;
  }
};

FARPOINT_END_NAMESPACE

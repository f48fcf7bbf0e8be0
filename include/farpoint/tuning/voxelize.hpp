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

/// How voxels are told apart; see docs/voxelize.md.
enum class voxelize_numbering {
  table,  ///< a hash table of voxels; the order of the grid is a sort then, and a report wants all voxels in the table
  bitmap  ///< a bit for each cell of the grid: numbers the voxels in the order of the grid, and counts those dropped
};

/// What a choice goes by.
struct voxelize_case {
  index_t points;  ///< of all clouds
  index_t clouds;
  index_t max_points;  ///< a voxel keeps
  bool select_works;   ///< max_points is at most 32, no lists are asked for, and nothing has to be sorted for the order
  int multiprocessors;
  bool bitmap_works = false;  ///< the call has a use for a bitmap, and its memory is within the bound of a workspace
};

/// The default choice. Derive a struct from it, hide what you want to change, and pass it as voxelize()'s first
/// template argument.
struct voxelize_selector {
  /// Threads of a block, in whole warps.
  static constexpr int block_size = 256;
  /// Blocks that a multiprocessor is given: what keeps enough loads in flight.
  static constexpr int blocks_per_multiprocessor = 8;

  /// A choice that does not work for a call is passed over: `sort` and `table` always do.
  static constexpr voxelize_algorithm choose(voxelize_case const& c) noexcept {
    return c.select_works ? voxelize_algorithm::select : voxelize_algorithm::sort;
  }
  static constexpr voxelize_numbering number(voxelize_case const& c) noexcept {
    return c.bitmap_works ? voxelize_numbering::bitmap : voxelize_numbering::table;
  }
  /// A bitmap is flat, two launches less, up to so many groups of 256 cells for each point of the view and altogether:
  /// more cost a small frame in a large view too much.
  static constexpr double flat_groups_per_point = 1.25;  // h200: 271,156 points 66 us, else 80; 10 M 331, else 707
  static constexpr index_t most_flat_groups = index_t{1} << 20;
};

FARPOINT_END_NAMESPACE

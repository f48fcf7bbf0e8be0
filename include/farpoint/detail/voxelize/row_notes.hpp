/// @file
/// Facts about the voxels of one cloud that callers inside the library need in addition to the outputs.
#pragma once

#include <farpoint/core/types.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Arrays by row, with voxels in the order of first occurrence. Each may be null.
struct voxelize_row_notes {
  std::uint32_t* first_points = nullptr;  ///< lowest point of the voxel; ascending
  std::uint32_t* points = nullptr;        ///< number of points of the voxel, surplus points included
};

}  // namespace detail
FARPOINT_END_NAMESPACE

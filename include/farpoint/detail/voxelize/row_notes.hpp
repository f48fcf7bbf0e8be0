/// @file
/// What callers inside the library are told of the voxels of one cloud, besides the outputs.
#pragma once

#include <farpoint/core/types.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Arrays by row, of voxels by first occurrence. Either may be left out.
struct voxelize_row_notes {
  std::uint32_t* first_points = nullptr;  ///< lowest point of the voxel: they ascend
  std::uint32_t* points = nullptr;        ///< points of the voxel, surplus points too
};

}  // namespace detail
FARPOINT_END_NAMESPACE

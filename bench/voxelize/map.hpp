/// @file
/// Rows of voxel maps.
#pragma once

namespace farpoint_bench {

/// Registers the rows `voxel_map/...`.
/// @param flush_l2  the L2 cache is flushed before each call
void register_voxel_map_rows(bool flush_l2);

}  // namespace farpoint_bench

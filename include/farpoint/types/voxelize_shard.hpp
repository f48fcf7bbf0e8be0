/// @file
/// Outputs of voxelize_shard().
#pragma once

#include <farpoint/types/voxelize.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Outputs of voxelize_shard(): the voxels that the rank owns.
template <class Scalar = float>
struct voxelize_shard_output {
  /// Rows of the rank's own voxels, by ascending number. Lists, offsets and parts by point must be empty. The report is
  /// for the whole cloud, the same on every rank.
  voxelize_output<Scalar> rows = {};
  /// `[rows.capacity]`: row of each voxel in one call for the whole cloud. If a rank drops voxels beyond rows.capacity,
  /// numbers skip these.
  span<index_t> numbers = {};
  index_t received_capacity = 0;  ///< room for points of all ranks in the rank's own voxels
  index_t* received = nullptr;    ///< number of such points, even if above capacity; optional
};

FARPOINT_END_NAMESPACE

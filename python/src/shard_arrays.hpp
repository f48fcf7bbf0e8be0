/// @file
/// Parts of a cloud and rows of voxels, as calls on ranks take them.
#pragma once

#include "voxel_outputs.hpp"

#include <farpoint/scale/communicator.hpp>
#include <farpoint/scale/stream/voxelize/shard_layout.hpp>

#include <utility>

namespace farpoint_python {

/// The part of a cloud that a rank has.
struct part_of_cloud {
  input points;
  index_t first_index = 0;

  template <class Scalar>
  farpoint::shard<farpoint::point_view<Scalar>> as() const {
    return {points_of<Scalar>(points, false), first_index};
  }
};

/// Whether there was room, and how much the rank needs.
using room_outcome = std::pair<bool, index_t>;

/// Rows of a rank's voxels with their numbers, or rows of all voxels.
struct voxel_rows {
  voxelize_arrays arrays;
  optional_output numbers{};
  index_t received_capacity = 0;

  template <class Scalar>
  farpoint::voxelize_shard_output<Scalar> of_rank() const {
    farpoint::voxelize_shard_output<Scalar> out;
    out.rows = arrays.outputs<Scalar>();
    out.numbers = values_of<index_t>(numbers);
    out.received_capacity = received_capacity;
    return out;
  }
};

}  // namespace farpoint_python

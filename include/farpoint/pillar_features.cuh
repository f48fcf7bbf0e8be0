/// @file
/// The features of pillars, from the voxels of voxelize(), on a CUDA stream. See pillar_features.hpp.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/core/check_pointers.cuh>
#include <farpoint/core/profile_range.cuh>
#include <farpoint/detail/voxelize/pillar_rows.hpp>
#include <farpoint/grid/for_each_index.cuh>

FARPOINT_BEGIN_NAMESPACE

/// pillar_features(), enqueued on a stream: equal to the host overload's answer to the bit.
///
/// Only enqueues: no synchronization, no allocation; may be captured in a graph. The parts of `voxels` and `output` are
/// device memory that must stay valid until the stream has passed the call.
///
/// @return ok | bad_argument | cuda_failure. Never clears or returns a pending error of other work.
/// Complexity: one launch with a thread for each value of the capacity. Thread-safe.
template <class = void>  // another symbol than the compiled library's function has, which calls it
result pillar_features(cuda_exec exec, voxelize_params<float> const& params, voxelize_output<float> const& voxels,
                       pillar_centers centers, feature_span output) noexcept {
  detail::profile_range const range{"farpoint::pillar_features"};
  detail::pillar_rows const rows{params, voxels, centers, output};
  if (result const checked = detail::check_pillar_features(params, voxels, rows); !checked) return checked;
  result const checked = detail::check_pointers(exec, voxels.gathered, voxels.centroid, voxels.coords,
                                                voxels.points_per_voxel, voxels.voxel_count, output);
  if (!checked) return checked;
  return for_each_index(exec, rows.size(), rows);
}

FARPOINT_END_NAMESPACE

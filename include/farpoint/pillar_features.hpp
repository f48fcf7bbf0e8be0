/// @file
/// The features of pillars, from the voxels of voxelize(): host backend. pillar_features.cuh adds cuda_exec.
#pragma once

#include <farpoint/detail/voxelize/pillar_rows.hpp>
#include <farpoint/host/for_each_index.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Adds to the features of each kept point of a voxel its offsets to their mean and to the voxel's center, as
/// PointPillars (Lang et al. 2019) and CenterPoint take them.
///
/// A row of the output is a point's features, of which the first three are x, y and z; then these less
/// `voxels.centroid`; then x and y, or all three, less the center of the voxel, rn(rn(cell * size) + first), where
/// first = rn(rn(size / 2) + origin) is the center of cell 0. Each operation is rounded once: the same bits on every
/// backend. Slots without a point are zeros. Rows past the number of voxels are not written.
///
/// @param exec     threads to use; blocks until done
/// @param params   parameters of the call that made the voxels: `grid`, `mode`, which is hard{}, and `features`, of
///                 which only the number is read
/// @param voxels   the voxels. Has gathered, centroid, coords with any columns, points_per_voxel and voxel_count
/// @param centers  axes of the offset to the center
/// @param output   `[capacity, max_points, features + pillar_columns(centers)]`, float or float16
/// @return ok | bad_argument; nothing is written on failure
/// Complexity: O(capacity * max_points * columns). Thread-safe.
inline result pillar_features(host_exec exec, voxelize_params<float> const& params,
                              voxelize_output<float> const& voxels, pillar_centers centers,
                              feature_span output) noexcept {
  detail::pillar_rows const rows{params, voxels, centers, output};
  if (result const checked = detail::check_threads(exec); !checked) return checked;
  if (result const checked = detail::check_pillar_features(params, voxels, rows); !checked) return checked;
  return for_each_index(exec, rows.size(), rows);
}

FARPOINT_END_NAMESPACE

/// @file
/// Checks of the arguments of calls on a voxel map.
#pragma once

#include <farpoint/detail/voxelize/check.hpp>
#include <farpoint/detail/voxelize/map_layout.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

template <class Scalar>
result check_voxel_map_params(voxel_map_params<Scalar> const& params) noexcept {
  if (result const checked = check_voxel_grid(params.grid, 1); !checked) return checked;
  if (params.mode.max_voxels < 0) return reject("voxel_map: max_voxels is negative");
  if (params.mode.max_points < 1) return reject("voxel_map: max_points is not positive");
  if (params.capacity < 0 || params.capacity > voxel_map_most_voxels) {
    return reject("voxel_map: the capacity is negative, or above 2^30");
  }
  if (params.features < 0 || params.features > feature_view::max_count) {
    return reject("voxel_map: a point has 0 to 64 features");
  }
  return {};
}

template <class Scalar>
result check_voxel_map(voxel_map<Scalar> const& map) noexcept {
  if (result const checked = check_voxel_map_params(map.params); !checked) return checked;
  std::size_t const needed = voxel_map_arrays<Scalar>{map.params, nullptr}.bytes;
  if (map.memory.size() < needed) {
    return too_small(FARPOINT_TOO_SMALL("voxel_map", "memory", "voxel_map_bytes"), needed, map.memory.size());
  }
  if (!is_workspace_aligned(map.memory)) return reject("voxel_map: the memory is not aligned to 256 bytes");
  return {};
}

template <class Points>
result check_voxel_map_tile(voxel_map_params<typename Points::scalar> const& params,
                            voxel_map_tile<Points> const& tile) noexcept {
  static_assert(Points::dim == 3, "farpoint: a voxel map takes points of three coordinates");
  index_t const points = tile.points.size();
  if (points < 0 || points > voxelize_most_points) {
    return reject("voxel_map: the points of a tile are a negative number, or more than 2^30");
  }
  if (points > 0 && tile.points.base() == nullptr) return reject("voxel_map: the points are a null pointer");
  if (!fits_or_absent(tile.point_voxel.size(), points, 1)) {
    return reject("voxel_map: point_voxel has fewer entries than points");
  }
  bool const reads_features = params.parts.mean || params.parts.max || params.parts.first;
  if (points == 0 || params.features == 0 || !reads_features) return {};
  if (tile.features.count() != params.features) return reject("voxel_map: a tile with another number of features");
  if (tile.features.size() < points) return reject("voxel_map: the features have fewer records than points");
  if (tile.features.base() == nullptr) return reject("voxel_map: the features are a null pointer");
  return {};
}

template <class Scalar>
result check_voxel_map_output(voxel_map_params<Scalar> const& params, voxel_map_output<Scalar> const& output) noexcept {
  index_t const rows = output.capacity;
  if (rows < 0 || output.begin < 0) return reject("voxel_map: output.capacity or output.begin is negative");
  if (!fits_or_absent(static_cast<index_t>(output.coords.size()), rows, column_count(output.columns))) {
    return reject("voxel_map: output.coords is smaller than capacity x columns");
  }
  if (!fits_or_absent(output.points_per_voxel.size(), rows, 1) ||
      !fits_or_absent(static_cast<index_t>(output.first_point.size()), rows, 1)) {
    return reject("voxel_map: output.points_per_voxel or output.first_point is smaller than capacity");
  }
  if (!fits_or_absent(static_cast<index_t>(output.centroid.size()), rows, 3)) {
    return reject("voxel_map: output.centroid is smaller than capacity x 3");
  }
  for (feature_span const* part : {&output.mean, &output.max, &output.first}) {
    if (!part->empty() && params.features == 0)
      return reject("voxel_map: an output needs features, which the map has none of");
    if (!fits_or_absent(part->size(), rows, params.features)) {
      return reject("voxel_map: output.mean, output.max or output.first is smaller than capacity x features");
    }
  }
  auto const& parts = params.parts;
  if ((!output.centroid.empty() && !parts.centroid) || (!output.mean.empty() && !parts.mean) ||
      (!output.max.empty() && !parts.max) || (!output.first.empty() && !parts.first)) {
    return reject("voxel_map: an output that the map does not keep, see voxel_map_parts");
  }
  return {};
}

}  // namespace detail
FARPOINT_END_NAMESPACE

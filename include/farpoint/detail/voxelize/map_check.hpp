/// @file
/// Checks of the arguments of calls on a voxel map.
#pragma once

#include <farpoint/detail/voxelize/check.hpp>
#include <farpoint/detail/voxelize/map_layout.hpp>

#include <cstring>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

template <class Scalar>
result check_voxel_map_params(voxel_map_params<Scalar> const& params) noexcept {
  if (result const checked = check_voxel_grid(params.grid, 1); !checked) return checked;
  if (params.mode.max_voxels < 0) return reject("voxel_map: max_voxels is negative");
  if (params.mode.max_points < 1) return reject("voxel_map: max_points is not positive");
  if (params.capacity < 0 || params.capacity > voxel_map_max_voxels) {
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
  if (points < 0 || points > voxelize_max_points) {
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

template <class Scalar>
result check_voxel_map_keep(voxel_map_params<Scalar> const& params, voxel_map_keep_params<Scalar> const& keep,
                            voxel_map_keep_output const& output) noexcept {
  for (int axis = 0; axis < 3; ++axis) {
    if (is_nan(keep.box.low[axis]) || is_nan(keep.box.high[axis]))
      return reject("voxel_map: a bound of the box is NaN");
  }
  if (!is_finite(keep.center)) return reject("voxel_map: the center of the ball is not finite");
  if (!(keep.radius >= 0)) return reject("voxel_map: the radius of the ball is negative or NaN");
  if (!keep.origin.empty() && keep.origin.size() < 3)
    return reject("voxel_map: the origin has fewer than 3 coordinates");
  if (keep.max_age < 0) return reject("voxel_map: max_age is negative");
  if (keep.max_voxels < 0) return reject("voxel_map: max_voxels is negative");
  bool const reads_age = keep.max_age != keep.unlimited || keep.max_voxels != keep.unlimited;
  if (reads_age && !params.parts.last_tile) {
    return reject("voxel_map: max_age and max_voxels need a map that keeps the last tile, see voxel_map_parts");
  }
  if (!fits_or_absent(output.new_numbers.size(), params.capacity, 1)) {
    return reject("voxel_map: new_numbers has fewer entries than the capacity");
  }
  return {};
}

/// Checks that a saved map is a map of these parameters, and that there is room for it.
template <class Scalar>
result check_voxel_map_header(voxel_map_params<Scalar> const& params, voxel_map_header const& header) noexcept {
  voxel_map_header const own = voxel_map_header::of(params, header.report);
  if (std::memcmp(header.magic, own.magic, sizeof own.magic) != 0)
    return reject("voxel_map: not the header of a saved map");
  if (header.version != own.version) return reject("voxel_map: a saved map of another version");
  bool equal_grids = header.scalar_size == own.scalar_size;
  for (int axis = 0; axis < 3; ++axis) {
    equal_grids = equal_grids && header.origin[axis] == own.origin[axis] && header.size[axis] == own.size[axis] &&
                  header.dims[axis] == own.dims[axis];
  }
  if (!equal_grids) return reject("voxel_map: a saved map of another grid");
  if (header.features != own.features || header.parts != own.parts) {
    return reject("voxel_map: a saved map with other parts or features");
  }
  if (header.max_voxels != own.max_voxels || header.max_points != own.max_points ||
      header.first_index != own.first_index) {
    return reject("voxel_map: a saved map with another mode or first_index");
  }
  if (header.report.voxels > static_cast<std::uint64_t>(params.capacity)) {
    return reject("voxel_map: the saved map has more voxels than the capacity");
  }
  if (header.report.voxels > static_cast<std::uint64_t>(params.mode.max_voxels)) {
    return reject("voxel_map: the saved map has more voxels than its max_voxels");
  }
  if (header.report.points > std::uint64_t{1} << 62) return reject("voxel_map: a saved map of more than 2^62 points");
  return {};
}

}  // namespace detail
FARPOINT_END_NAMESPACE

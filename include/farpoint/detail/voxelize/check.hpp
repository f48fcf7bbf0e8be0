/// @file
/// Checks of the arguments of voxelize(), for all backends.
#pragma once

#include <farpoint/core/check.hpp>
#include <farpoint/detail/voxelize/process_seed.hpp>
#include <farpoint/types/voxelize.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// The most points of a call on a GPU, and of a tile of a voxel map: slots are numbered with 32 bits.
inline constexpr index_t voxelize_max_points = index_t{1} << 30;

/// True if an output is left out or has at least `rows * each` elements.
constexpr bool fits_or_absent(index_t size, index_t rows, index_t each) noexcept {
  return size == 0 || holds(size, rows, each);
}

/// True if any output needs features.
template <class Scalar>
constexpr bool needs_features(voxelize_output<Scalar> const& output) noexcept {
  return !output.gathered.empty() || !output.mean.empty() || !output.max.empty() || !output.first.empty();
}

/// True if an output of features is of doubles.
template <class Scalar>
constexpr bool has_wide_features(voxelize_output<Scalar> const& output) noexcept {
  return output.gathered.is_float64() || output.mean.is_float64() || output.max.is_float64() ||
         output.first.is_float64();
}

/// The seed of the table's hash.
template <class Scalar>
std::uint64_t hash_seed_of(voxelize_params<Scalar> const& params) noexcept {
  return params.hash_seed != 0 ? params.hash_seed : process_seed();
}

/// Checks the grid, and that 63 bits can number the voxels of all clouds.
template <class Scalar>
result check_voxel_grid(voxel_grid<Scalar> const& grid, index_t clouds) noexcept {
  if (!is_finite(grid.origin)) return reject("voxelize: the grid's origin is not finite");
  for (int axis = 0; axis < 3; ++axis) {
    if (!(grid.size[axis] > 0) || !is_finite(grid.size)) {
      return reject("voxelize: the grid's voxel size is not positive and finite");
    }
    if (grid.dims[axis] < 1) return reject("voxelize: the grid has no voxels along an axis");
  }
  std::uint64_t const cells = grid.cells();
  if (cells == 0 || static_cast<std::uint64_t>(clouds) > (std::uint64_t{1} << 62) / cells) {
    return reject("voxelize: clouds x voxels of the grid exceeds 2^62");
  }
  return {};
}

/// Checks the outputs that need features.
template <class Scalar>
result check_voxel_features(index_t points, voxelize_params<Scalar> const& params,
                            voxelize_output<Scalar> const& output) noexcept {
  feature_view const& features = params.features;
  if (features.count() < 0 || features.count() > feature_view::max_count) {
    return reject("voxelize: params.features must have 0 to 64 features");
  }
  if (!needs_features(output)) return {};
  if (features.count() == 0) return reject("voxelize: an output needs features, but params.features has none");
  if (features.size() < points) return reject("voxelize: params.features has fewer records than points");
  if (points > 0 && features.base() == nullptr) return reject("voxelize: params.features is a null pointer");
  if (!fits_or_absent(output.mean.size(), output.capacity, features.count())) {
    return reject("voxelize: output.mean is smaller than capacity x features");
  }
  if (!fits_or_absent(output.max.size(), output.capacity, features.count())) {
    return reject("voxelize: output.max is smaller than capacity x features");
  }
  if (!fits_or_absent(output.first.size(), output.capacity, features.count())) {
    return reject("voxelize: output.first is smaller than capacity x features");
  }
  if (output.gathered.empty()) return {};
  if (params.mode.is_dynamic()) return reject("voxelize: output.gathered needs hard{}, as dynamic{} has no max_points");
  if (output.gathered.size() / features.count() / params.mode.max_points < output.capacity) {
    return reject("voxelize: output.gathered is smaller than capacity x max_points x features");
  }
  return {};
}

/// Checks the outputs by row, by point and by cloud.
template <class Scalar>
result check_voxel_rows(index_t points, index_t clouds, voxelize_output<Scalar> const& output) noexcept {
  index_t const rows = output.capacity;
  if (rows < 0) return reject("voxelize: output.capacity is negative");
  if (!fits_or_absent(static_cast<index_t>(output.coords.size()), rows, column_count(output.columns))) {
    return reject("voxelize: output.coords is smaller than capacity x columns");
  }
  if (!fits_or_absent(output.points_per_voxel.size(), rows, 1)) {
    return reject("voxelize: output.points_per_voxel is smaller than capacity");
  }
  if (!fits_or_absent(static_cast<index_t>(output.centroid.size()), rows, 3)) {
    return reject("voxelize: output.centroid is smaller than capacity x 3");
  }
  if (output.list_offsets.empty() != output.list_points.empty() && points > 0) {
    return reject("voxelize: output.list_offsets and output.list_points must be given together");
  }
  if (!output.list_offsets.empty() && output.list_offsets.size() <= rows) {
    return reject("voxelize: output.list_offsets is smaller than capacity + 1");
  }
  if (!fits_or_absent(output.list_points.size(), points, 1)) {
    return reject("voxelize: output.list_points has fewer entries than points");
  }
  if (!fits_or_absent(output.point_voxel.size(), points, 1)) {
    return reject("voxelize: output.point_voxel has fewer entries than points");
  }
  if (!output.voxel_offsets.empty() && output.voxel_offsets.size() <= clouds) {
    return reject("voxelize: output.voxel_offsets has fewer entries than clouds + 1");
  }
  return {};
}

/// Checks what can be checked without reading the arrays, which may be in device memory.
template <class Points>
result check_voxelize(batch<Points> const& clouds, voxelize_params<typename Points::scalar> const& params,
                      voxelize_output<typename Points::scalar> const& output) noexcept {
  static_assert(Points::dim == 3, "farpoint: voxelize() takes points of three coordinates");
  index_t const count = clouds.size();
  index_t const total = clouds.points().size();
  constexpr batch_reasons reasons{"voxelize: the number of clouds is negative",
                                  "voxelize: the number of points is negative",
                                  "voxelize: the points are a null pointer",
                                  "voxelize: the points of a regular batch cannot be divided evenly among its clouds",
                                  "voxelize: more than 2^31 - 1 clouds, or 2^48 points"};
  if (result const checked = check_batch(clouds, reasons); !checked) return checked;
  if (params.mode.max_voxels < 0) return reject("voxelize: max_voxels is negative");
  if (params.mode.max_points < 1) return reject("voxelize: max_points is not positive");
  if (result const checked = check_voxel_grid(params.grid, count); !checked) return checked;
  if (result const checked = check_voxel_rows(total, count, output); !checked) return checked;
  if (result const checked = check_voxel_features(total, params, output); !checked) return checked;
  bool const narrow = (!output.list_points.empty() && !output.list_points.wide()) ||
                      (!output.list_offsets.empty() && !output.list_offsets.wide()) ||
                      (!output.point_voxel.empty() && !output.point_voxel.wide()) ||
                      (!output.points_per_voxel.empty() && !output.points_per_voxel.wide());
  if (narrow && total > max_narrow_points) {
    return reject("voxelize: more than 2^31 - 1 points need 64-bit outputs");
  }
  return {};
}

}  // namespace detail
FARPOINT_END_NAMESPACE

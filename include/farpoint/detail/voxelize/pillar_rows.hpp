/// @file
/// The rows of pillar_features(), for every backend.
#pragma once

#include <farpoint/core/check.hpp>
#include <farpoint/types/pillar_features.hpp>
#include <farpoint/types/voxelize.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Writes a value of the output.
struct pillar_rows {
  voxel_grid<float> grid;
  index_t max_points;
  index_t features;
  index_t columns;  ///< of the output
  voxelize_output<float> voxels;
  feature_span output;

  pillar_rows(voxelize_params<float> const& params, voxelize_output<float> const& from, pillar_centers centers,
              feature_span to) noexcept
      : grid{params.grid},
        max_points{params.mode.max_points},
        features{params.features.count()},
        columns{features + pillar_columns(centers)},
        voxels{from},
        output{to} {}

  /// Values of the output.
  index_t size() const noexcept { return voxels.capacity * max_points * columns; }

  template <class Number>
  FARPOINT_HD void operator()(Number i) const noexcept {
    Number const place = i / static_cast<Number>(columns);
    auto const column = static_cast<index_t>(i - place * static_cast<Number>(columns));
    Number const number = place / static_cast<Number>(max_points);
    auto const row = static_cast<index_t>(number);
    if (row >= voxels.voxel_count.get(0)) return;
    bool const is_kept =
        static_cast<index_t>(place - number * static_cast<Number>(max_points)) < voxels.points_per_voxel.get(row);
    output.set(static_cast<index_t>(i), is_kept ? value(row, static_cast<index_t>(place), column) : 0.0f);
  }

 private:
  FARPOINT_HD float value(index_t row, index_t place, index_t column) const noexcept {
    index_t const added = column - features;
    int const axis = static_cast<int>(added < 3 ? added : added - 3);
    float const feature = voxels.gathered.get(place * features + (added < 0 ? column : axis));
    if (added < 0) return feature;
    return sub_rn(feature, added < 3 ? voxels.centroid[static_cast<std::size_t>(row * 3 + axis)] : center(row, axis));
  }
  FARPOINT_HD float center(index_t row, int axis) const noexcept {
    int const columns_of_coords = column_count(voxels.columns);
    int column = 0;
    while (axis_of_column(voxels.columns, column) != axis) ++column;
    auto const cell = voxels.coords[static_cast<std::size_t>(row * columns_of_coords + column)];
    float const first = add_rn(mul_rn(0.5f, grid.size[axis]), grid.origin[axis]);
    return add_rn(mul_rn(static_cast<float>(cell), grid.size[axis]), first);
  }
};

inline result check_pillar_features(voxelize_params<float> const& params, voxelize_output<float> const& voxels,
                                    pillar_rows const& rows) noexcept {
  if (params.mode.is_dynamic() || rows.max_points < 1) return reject("pillar_features: params.mode is not hard{}");
  if (voxels.capacity < 0) return reject("pillar_features: voxels.capacity is negative");
  if (rows.features < 3 || rows.features > feature_view::max_count) {
    return reject("pillar_features: params.features must have 3 to 64 features");
  }
  index_t const places = rows.max_points * rows.columns;
  if (rows.max_points > max_narrow_points || !holds(rows.output.size(), voxels.capacity, places)) {
    return reject("pillar_features: output is smaller than capacity x max_points x columns");
  }
  if (voxels.capacity == 0) return {};
  if (!holds(voxels.gathered.size(), voxels.capacity, rows.max_points * rows.features)) {
    return reject("pillar_features: voxels.gathered is smaller than capacity x max_points x features");
  }
  if (!holds(static_cast<index_t>(voxels.centroid.size()), voxels.capacity, 3)) {
    return reject("pillar_features: voxels.centroid is smaller than capacity x 3");
  }
  if (!holds(static_cast<index_t>(voxels.coords.size()), voxels.capacity, column_count(voxels.columns))) {
    return reject("pillar_features: voxels.coords is smaller than capacity x columns");
  }
  if (voxels.points_per_voxel.size() < voxels.capacity || voxels.voxel_count.empty()) {
    return reject("pillar_features: voxels.points_per_voxel or voxels.voxel_count is missing");
  }
  return {};
}

}  // namespace detail
FARPOINT_END_NAMESPACE

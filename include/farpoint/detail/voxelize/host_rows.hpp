/// @file
/// The rows of the outputs of voxelize() on the host.
#pragma once

#include <farpoint/detail/voxelize/check.hpp>
#include <farpoint/detail/voxelize/feature_parts.hpp>
#include <farpoint/detail/voxelize/host_voxel_table.hpp>
#include <farpoint/detail/voxelize/voxel_mean.hpp>

#include <algorithm>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Fills the rows of a voxelize_output. Calls for different rows may run at the same time.
template <class Points>
class host_voxel_rows {
 public:
  using scalar = typename Points::scalar;

  host_voxel_rows(batch<Points> const& clouds, voxelize_params<scalar> const& params,
                  voxelize_output<scalar> const& output) noexcept
      : clouds_{clouds},
        params_{params},
        output_{output},
        cells_{params.grid.cells()},
        features_{needs_features(output) ? params.features.count() : 0} {}

  /// True when rows are made of the points of their voxels.
  bool needs_lists() const noexcept {
    return features_ > 0 || !output_.centroid.empty() || !output_.list_points.empty();
  }

  /// @param points  of the voxel, in input order; may be put in another order. Not read unless needs_lists().
  void write(index_t row, host_voxel const& voxel, std::uint32_t* points) const noexcept {
    if (!output_.coords.empty()) write_coords(row, voxel);
    index_t const count = std::min<index_t>(voxel.count, params_.mode.max_points);
    if (!output_.points_per_voxel.empty()) output_.points_per_voxel.set(row, count);
    if (!needs_lists()) return;
    if (count < voxel.count && params_.points == voxel_points::random_subset) draw(voxel, points, count);
    if (features_ > 0) write_features_as<float>(row, points, count);
    if constexpr (std::is_same_v<scalar, double>) {
      if (features_ > 0) write_features_as<double>(row, points, count);
    }
    if (!output_.centroid.empty()) write_centroid(row, points, count);
  }

 private:
  index_t cloud_of(host_voxel const& voxel) const noexcept {
    return clouds_.size() == 1 ? 0 : static_cast<index_t>(voxel.key / cells_);
  }

  void write_coords(index_t row, host_voxel const& voxel) const noexcept {
    // Computed from a point: splitting the key would need 64-bit divisions.
    vec<std::int32_t> at{};
    voxel_of(params_.grid, clouds_.points()[voxel.first], at);
    int const columns = column_count(output_.columns);
    for (int i = 0; i < columns; ++i) {
      int const axis = axis_of_column(output_.columns, i);
      output_.coords[static_cast<std::size_t>(row * columns + i)] =
          axis < 0 ? static_cast<std::int32_t>(cloud_of(voxel)) : at[axis];
    }
  }

  /// Moves the points of lowest priority to the front, in input order.
  void draw(host_voxel const& voxel, std::uint32_t* points, index_t count) const noexcept {
    index_t const begin = clouds_.begin_of(cloud_of(voxel));
    auto const priority = [&](std::uint32_t point) { return random_priority(params_.seed, index_t{point} - begin); };
    std::nth_element(points, points + count, points + voxel.count,
                     [&priority](std::uint32_t a, std::uint32_t b) { return priority(a) < priority(b); });
    std::sort(points, points + count);
  }

  /// Writes the outputs whose values are computed as `Working`.
  template <class Working>
  void write_features_as(index_t row, std::uint32_t const* points, index_t count) const noexcept {
    voxel_feature_parts<Working, scalar> const parts{output_};
    if (parts.empty()) return;
    if (features_ > 8) write_features<feature_view::max_count, Working>(parts, row, points, count);
    if (features_ > 4 && features_ <= 8) write_features<8, Working>(parts, row, points, count);
    if (features_ <= 4) write_features<4, Working>(parts, row, points, count);
  }

  /// Works on `Width` features, of which there may be fewer: loops of a fixed length are vectorized.
  template <int Width, class Working, class Parts>
  void write_features(Parts const& parts, index_t row, std::uint32_t const* points, index_t count) const noexcept {
    Working values[std::size_t{Width}] = {};
    Working sums[std::size_t{Width}] = {};
    Working largest[std::size_t{Width}] = {};
    index_t const start = row * features_;
    index_t const gathered = start * (parts.gathered.empty() ? 0 : params_.mode.max_points);
    for (index_t k = 0; k < count; ++k) {
      params_.features.read(points[k], values);
      for (int f = 0; f < Width; ++f) sums[f] += values[f];
      if (k == 0 && !parts.first.empty()) parts.first.write(start, values, features_);
      if (!parts.gathered.empty()) parts.gathered.write(gathered + k * features_, values, features_);
      if (parts.max.empty()) continue;
      for (int f = 0; f < Width; ++f) {
        if (k == 0 || values[f] > largest[f] || largest[f] != largest[f]) largest[f] = values[f];
      }
    }
    if (!parts.max.empty()) parts.max.write(start, largest, features_);
    if (!parts.mean.empty()) {
      for (int f = 0; f < Width; ++f) sums[f] = voxel_mean(sums[f], static_cast<std::uint32_t>(count));
      parts.mean.write(start, sums, features_);
    }
    if (parts.gathered.empty()) return;
    for (int f = 0; f < Width; ++f) values[f] = 0;
    for (index_t k = count; k < params_.mode.max_points; ++k) {
      parts.gathered.write(gathered + k * features_, values, features_);
    }
  }

  void write_centroid(index_t row, std::uint32_t const* points, index_t count) const noexcept {
    vec<scalar> sum{};
    for (index_t k = 0; k < count; ++k) {
      auto const point = clouds_.points()[points[k]];
      for (int axis = 0; axis < 3; ++axis) sum[axis] += point[axis];
    }
    for (int axis = 0; axis < 3; ++axis) {
      output_.centroid[static_cast<std::size_t>(row * 3 + axis)] =
          voxel_mean(sum[axis], static_cast<std::uint32_t>(count));
    }
  }

  batch<Points> const& clouds_;
  voxelize_params<scalar> const& params_;
  voxelize_output<scalar> const& output_;
  std::uint64_t cells_;
  int features_;
};

}  // namespace detail
FARPOINT_END_NAMESPACE

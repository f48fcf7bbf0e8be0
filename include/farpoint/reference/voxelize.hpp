/// @file
/// Voxelization in five plain loops: the definition of voxelize(), and the oracle of its tests.
#pragma once

#include <farpoint/detail/voxelize/check.hpp>
#include <farpoint/detail/voxelize/random_priority.hpp>

#include <algorithm>
#include <map>
#include <vector>

FARPOINT_BEGIN_NAMESPACE
namespace reference {
namespace detail {

/// A voxel with at least one point.
struct voxel {
  index_t cloud = 0;
  vec<std::int32_t> at{};
  std::uint64_t cell = 0;
  std::vector<index_t> points;  ///< of the cloud, in input order
};

/// Filter, key, insert: finds the voxels of one cloud, by first occurrence.
template <class Points, class Scalar>
std::vector<voxel> voxels_of(Points const& cloud, index_t number, voxel_grid<Scalar> const& grid,
                             voxelize_report& report) {
  std::vector<voxel> voxels;
  std::map<std::uint64_t, std::size_t> place_of;
  for (index_t i = 0; i < cloud.size(); ++i) {
    vec<std::int32_t> at{};
    if (!is_finite(cloud[i])) {
      ++report.non_finite;
    } else if (!voxel_of(grid, cloud[i], at)) {
      ++report.outside;
    } else {
      std::uint64_t const cell = cell_of(grid, at);
      auto const place = place_of.emplace(cell, voxels.size());
      if (place.second) voxels.push_back({number, at, cell, {}});
      voxels[place.first->second].points.push_back(i);
    }
  }
  return voxels;
}

/// The points that a voxel keeps, in input order.
template <class Scalar>
std::vector<index_t> kept_points(std::vector<index_t> points, voxelize_params<Scalar> const& params) {
  auto const most = params.mode.max_points;
  if (static_cast<index_t>(points.size()) <= most) return points;
  if (params.points == voxel_points::random_subset) {
    std::sort(points.begin(), points.end(), [&params](index_t a, index_t b) {
      return farpoint::detail::random_priority(params.seed, a) < farpoint::detail::random_priority(params.seed, b);
    });
  }
  points.resize(static_cast<std::size_t>(most));
  std::sort(points.begin(), points.end());
  return points;
}

/// sum / count; every NaN has the same bits.
template <class Scalar>
Scalar mean_of(Scalar sum, std::size_t count) {
  Scalar const mean = sum / static_cast<Scalar>(count);
  return farpoint::detail::is_nan(mean) ? std::numeric_limits<Scalar>::quiet_NaN() : mean;
}

/// The outputs of a voxel's features that are computed as `Working`.
template <class Working, class Scalar>
void write_features(index_t row, std::vector<index_t> const& kept, voxelize_params<Scalar> const& params,
                    voxelize_output<Scalar> const& output) {
  auto const mean = output.mean.template computed_as<Working>();
  auto const max = output.max.template computed_as<Working>();
  auto const first = output.first.template computed_as<Working>();
  auto const gathered = output.gathered.template computed_as<Working>();
  index_t const count = params.features.count();
  // Features that no output is made of may be a null pointer.
  bool const wanted = !mean.empty() || !max.empty() || !first.empty() || !gathered.empty();
  for (int f = 0; wanted && f < count; ++f) {
    auto const feature = [&](index_t i) { return params.features.column(f).template get<Working>(i); };
    Working sum = 0;
    Working largest = feature(kept[0]);
    for (index_t const i : kept) {
      Working const value = feature(i);
      sum += value;
      if (value > largest || largest != largest) largest = value;
    }
    index_t const at = row * count + f;
    if (!mean.empty()) mean.set(at, mean_of(sum, kept.size()));
    if (!max.empty()) max.set(at, largest);
    if (!first.empty()) first.set(at, feature(kept[0]));
    for (index_t k = 0; !gathered.empty() && k < params.mode.max_points; ++k) {
      Working const value = k < static_cast<index_t>(kept.size()) ? feature(kept[static_cast<std::size_t>(k)]) : 0;
      gathered.set((row * params.mode.max_points + k) * count + f, value);
    }
  }
}

/// Scatter and mean: writes the row of a voxel. `kept` are indices into clouds.points().
template <class Points>
void write_row(index_t row, voxel const& from, std::vector<index_t> const& kept, Points const& points,
               voxelize_params<typename Points::scalar> const& params,
               voxelize_output<typename Points::scalar> const& output) {
  using scalar = typename Points::scalar;
  if (!output.coords.empty()) {
    std::vector<std::int32_t> columns{from.at[0], from.at[1], from.at[2]};
    bool const backwards = output.columns == voxel_columns::zyx || output.columns == voxel_columns::batch_zyx;
    bool const numbered = output.columns == voxel_columns::batch_xyz || output.columns == voxel_columns::batch_zyx;
    if (backwards) std::reverse(columns.begin(), columns.end());
    if (numbered) columns.insert(columns.begin(), static_cast<std::int32_t>(from.cloud));
    auto const size = static_cast<index_t>(columns.size());
    std::copy(columns.begin(), columns.end(), output.coords.data() + row * size);
  }
  if (!output.points_per_voxel.empty()) output.points_per_voxel.set(row, static_cast<index_t>(kept.size()));

  write_features<float>(row, kept, params, output);
  if constexpr (std::is_same_v<scalar, double>) write_features<double>(row, kept, params, output);
  for (int axis = 0; axis < 3 && !output.centroid.empty(); ++axis) {
    scalar sum = 0;
    for (index_t const i : kept) sum += points[i][axis];
    output.centroid[static_cast<std::size_t>(row * 3 + axis)] = mean_of(sum, kept.size());
  }
}

}  // namespace detail

/// Does what farpoint::voxelize() does, by its definition: same rules, same outputs. One thread, host memory;
/// allocates.
/// @throws std::bad_alloc
template <class Points>
result voxelize(batch<Points> const& clouds, voxelize_params<typename Points::scalar> const& params,
                voxelize_output<typename Points::scalar> const& output) {
  if (result const checked = farpoint::detail::check_voxelize(clouds, params, output); !checked) return checked;

  voxelize_report report;
  report.bad_offsets = static_cast<unsigned long long>(farpoint::detail::count_bad_offsets(clouds));
  index_t rows = 0;
  index_t listed = 0;
  for (index_t i = 0; !output.point_voxel.empty() && i < clouds.points().size(); ++i) output.point_voxel.set(i, -1);
  if (!output.list_offsets.empty()) output.list_offsets.set(0, 0);
  for (index_t b = 0; b < clouds.size(); ++b) {
    if (!output.voxel_offsets.empty()) output.voxel_offsets.set(b, rows);
    if (report.bad_offsets > 0) continue;
    auto voxels = detail::voxels_of(clouds[b], b, params.grid, report);
    if (params.order == voxel_order::grid) {
      std::sort(voxels.begin(), voxels.end(),
                [](detail::voxel const& a, detail::voxel const& c) { return a.cell < c.cell; });
    }
    index_t taken = 0;
    for (detail::voxel const& voxel : voxels) {
      bool const allowed = taken < params.mode.max_voxels;
      if (!allowed || rows >= output.capacity) {
        ++report.dropped_voxels;
        report.over_capacity += allowed ? 1 : 0;
        report.dropped_points += voxel.points.size();
        ++taken;
        continue;
      }
      auto kept = detail::kept_points(voxel.points, params);
      report.surplus_points += voxel.points.size() - kept.size();
      index_t const begin = clouds.begin_of(b);
      for (index_t& i : kept) i += begin;
      detail::write_row(rows, voxel, kept, clouds.points(), params, output);
      for (index_t const i : voxel.points) {
        if (!output.point_voxel.empty()) output.point_voxel.set(begin + i, rows);
        if (!output.list_points.empty()) output.list_points.set(listed, begin + i);
        ++listed;
      }
      ++rows;
      ++taken;
      if (!output.list_offsets.empty()) output.list_offsets.set(rows, listed);
    }
  }
  report.voxels = static_cast<unsigned long long>(rows);
  if (!output.voxel_offsets.empty()) output.voxel_offsets.set(clouds.size(), rows);
  if (!output.voxel_count.empty()) output.voxel_count.set(0, rows);
  if (output.report != nullptr) *output.report = report;
  return {};
}

}  // namespace reference

FARPOINT_END_NAMESPACE

// The cloud as voxels: grid, request and result.
#pragma once

#include <farpoint/core/batch.hpp>
#include <farpoint/core/status.hpp>
#include <farpoint/types/voxelize.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "view.hpp"

namespace farpoint_tools {

struct voxel_cloud {
  farpoint::voxel_grid<float> grid;
  std::vector<std::int32_t> coords;       ///< `[voxels, 3]`
  std::vector<std::int32_t> kept_points;  ///< `[voxels]`
  std::vector<float> centroids;           ///< `[voxels, 3]`: means of the kept points (m)
  farpoint::voxelize_report report;

  std::size_t size() const { return kept_points.size(); }
  /// Mean number of points per voxel, including points that were not kept.
  double mean_points(std::size_t points_of_cloud) const;
};

/// A round length (m), about a hundredth of the cloud's longest side: voxels large enough to see.
float choose_voxel_size(std::vector<point3> const& points);

/// Cubes of `size` meters (> 0) around all finite points, with corners at multiples of `size`; a million along an axis
/// at most, around most points, so that a stray does not count.
farpoint::voxel_grid<float> grid_around(std::vector<point3> const& points, float size);

/// True if both have the same voxels in the same order, with the same numbers of points and the same centroids to the
/// bit, and have counted the same.
bool equal_bits(voxel_cloud const& a, voxel_cloud const& b);

/// Calls `voxelize(clouds, params, output)` for one cloud, and trims the output to its size.
template <class Voxelize>
voxel_cloud collect_voxels(std::vector<point3> const& points, farpoint::voxel_grid<float> const& grid,
                           farpoint::hard limits, Voxelize const& voxelize) {
  auto const rows = static_cast<std::size_t>(std::min(limits.max_voxels, static_cast<std::int64_t>(points.size())));
  voxel_cloud voxels{
      grid, std::vector<std::int32_t>(3 * rows), std::vector<std::int32_t>(rows), std::vector<float>(3 * rows), {}};
  std::array<std::int32_t, 1> count{};
  farpoint::voxelize_params<float> params;
  params.grid = grid;
  params.mode = limits;
  farpoint::voxelize_output<float> output;
  output.capacity = static_cast<std::int64_t>(rows);
  output.coords = {voxels.coords.data(), voxels.coords.size()};
  output.points_per_voxel = voxels.kept_points;
  output.centroid = {voxels.centroids.data(), voxels.centroids.size()};
  output.voxel_count = count;
  output.report = &voxels.report;
  if (auto const outcome = voxelize(farpoint::batch{farpoint::view_points(points)}, params, output); !outcome) {
    throw std::runtime_error{std::string{outcome.reason} + " (" + to_string(outcome.code) + ")"};
  }
  auto const found = static_cast<std::size_t>(count[0]);
  voxels.coords.resize(3 * found);
  voxels.kept_points.resize(found);
  voxels.centroids.resize(3 * found);
  return voxels;
}

}  // namespace farpoint_tools

#include "voxels.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <tuple>

namespace farpoint_tools {

namespace {

// Coordinates of the finite points along an axis.
std::vector<double> values_along(std::vector<point3> const& points, std::size_t axis) {
  std::vector<double> values;
  for (auto const& point : points) {
    if (is_finite(point)) values.push_back(point[axis]);
  }
  return values;
}

auto counters(farpoint::voxelize_report const& r) {
  return std::make_tuple(r.voxels, r.non_finite, r.outside, r.dropped_voxels, r.dropped_points, r.surplus_points,
                         r.over_capacity, r.bad_offsets);
}

}  // namespace

double voxel_cloud::mean_points(std::size_t points_of_cloud) const {
  auto const elsewhere = report.non_finite + report.outside + report.dropped_points;
  return size() == 0 ? 0 : static_cast<double>(points_of_cloud - elsewhere) / static_cast<double>(size());
}

float choose_voxel_size(std::vector<point3> const& points) {
  double longest = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    auto values = values_along(points, axis);
    longest = std::max(longest, robust_extent(values, 0.01).size());
  }
  // A cloud whose points coincide has no size, and floats far from the origin cannot resolve millimeters.
  return static_cast<float>(longest > 1e-30 ? std::clamp(round_length(longest / 100), 1e-30, 1e30) : 0.1);
}

farpoint::voxel_grid<float> grid_around(std::vector<point3> const& points, float size) {
  constexpr double most = 1 << 20;
  farpoint::voxel_grid<float> grid;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    auto values = values_along(points, axis);
    if (values.empty()) values.push_back(0);
    auto const [least, largest] = std::minmax_element(values.begin(), values.end());
    extent all{*least, *largest};
    if (all.size() / size > most - 2) {
      double const middle = robust_extent(values, 0.01).middle();
      all = {middle - size * (most / 2 - 1), middle + size * (most / 2 - 1)};
    }
    double const first = std::floor(all.low / size);
    int const at = static_cast<int>(axis);
    grid.origin[at] = static_cast<float>(std::max<double>(first * size, std::numeric_limits<float>::lowest()));
    grid.size[at] = size;
    // One more than needed: the origin was rounded.
    grid.dims[at] = static_cast<std::int32_t>(std::floor(all.high / size) - first) + 2;
  }
  return grid;
}

bool equal_bits(voxel_cloud const& a, voxel_cloud const& b) {
  return a.coords == b.coords && a.kept_points == b.kept_points && a.centroids.size() == b.centroids.size() &&
         (a.centroids.empty() ||
          std::memcmp(a.centroids.data(), b.centroids.data(), a.centroids.size() * sizeof(float)) == 0) &&
         counters(a.report) == counters(b.report);
}

}  // namespace farpoint_tools

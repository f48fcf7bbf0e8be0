/// @file
/// One case of the voxelize suites: which points, which voxels, how often.
#pragma once

#include "support/clouds.hpp"
#include "support/counters.hpp"

#include <farpoint/types/voxelize.hpp>

#include <array>
#include <string>
#include <utility>
#include <vector>

namespace farpoint_bench {

/// A point with its five features: x, y, z (m), intensity, and the age of its sweep (s), as nuScenes has them.
using lidar_point = std::array<float, 5>;

/// How the points of a row are spread.
enum class spread {
  uniform,    ///< uniform over the detector's range
  sweep,      ///< one simulated sweep of a LiDAR
  sweeps,     ///< ten sweeps, one behind another
  street,     ///< a sweep between near walls: voxels of many points
  one_voxel,  ///< all in one voxel
  voxels_64,  ///< over 64 voxels
  scan        ///< a file of --cloud
};

inline char const* to_string(spread kind) {
  switch (kind) {
    case spread::uniform: return "uniform";
    case spread::sweep: return "sweep";
    case spread::sweeps: return "sweeps";
    case spread::street: return "street";
    case spread::one_voxel: return "one_voxel";
    case spread::voxels_64: return "64_voxels";
    case spread::scan: break;
  }
  return "scan";
}

/// The range that the detectors of nuScenes are configured for (m).
inline constexpr farpoint::vec<float> range_lower{{-54, -54, -5}};
inline constexpr farpoint::vec<float> range_upper{{54, 54, 3}};

struct voxelize_row {
  farpoint::index_t points;
  spread kind;
  int calls;  ///< timed calls of each contender

  farpoint::vec<float> voxel_size{{0.075f, 0.075f, 0.2f}};  ///< (m)
  farpoint::index_t max_voxels = 160'000;
  farpoint::index_t max_points = 10;

  farpoint::index_t room = 0;       ///< points of the view of a ragged batch with one cloud; 0: regular
  char const* axis = nullptr;       ///< name of the parameter that a series varies, part of the row's name
  char const* scan_name = nullptr;  ///< file name of spread::scan

  bool ragged() const { return room > 0; }
  /// Points of the view, of which `points` are the cloud's.
  farpoint::index_t view_points() const { return ragged() ? room : points; }

  farpoint::voxel_grid<float> grid() const {
    return farpoint::voxel_grid<float>::from_range(range_lower, range_upper, voxel_size);
  }

  /// "271156/sweeps", "1000_room_1000000/uniform", "271156_most_32/sweeps": no character that a shell or a regular
  /// expression minds.
  std::string name() const {
    std::string name = std::to_string(points);
    if (axis != nullptr) name += std::string{"_"} + axis;
    return name + "/" + (kind == spread::scan && scan_name != nullptr ? scan_name : to_string(kind));
  }

  /// A record is read once; coords, number of points and five means of a voxel are written once.
  workload work(farpoint::index_t voxels) const {
    auto const in = static_cast<double>(points) * sizeof(lidar_point);
    auto const out = static_cast<double>(voxels) * (3 + 1 + 5) * 4;
    return {static_cast<double>(points), 0, in + out};
  }

  /// `[points]`. `scan`: `[points, 3]`, the points of a scan.
  std::vector<lidar_point> make(std::vector<float> const& scan) const;
};

namespace detail {

/// Adds an intensity to each point.
inline void append(std::vector<lidar_point>& points, std::vector<float> const& xyz, float ahead, float age,
                   random_numbers& random) {
  for (std::size_t i = 0; i + 2 < xyz.size(); i += 3) {
    points.push_back({xyz[i] + ahead, xyz[i + 1], xyz[i + 2], random.unit(), age});
  }
}

inline std::vector<lidar_point> one_sweep(std::size_t count, lidar_scene const& scene) {
  random_numbers random{2};
  std::vector<lidar_point> points;
  append(points, lidar_rings(count, 1, scene), 0, 0, random);
  return points;
}

/// A car at 9 m/s whose LiDAR has 32 rings and turns 20 times a second: ten sweeps in the frame of the last.
inline std::vector<lidar_point> ten_sweeps(std::size_t count) {
  constexpr std::size_t sweeps = 10;
  lidar_scene scene;
  scene.rings = 32;
  scene.lowest = -30;
  scene.opening = 40;
  scene.half_street = 11.4f;
  random_numbers random{2};
  std::vector<lidar_point> points;
  for (std::size_t s = 0; s < sweeps; ++s) {
    std::size_t const begin = count * s / sweeps;
    std::size_t const end = count * (s + 1) / sweeps;
    auto const back = static_cast<float>(s);
    append(points, lidar_rings(end - begin, 1 + s, scene), -0.45f * back, 0.05f * back, random);
  }
  return points;
}

/// Uniform over the voxels `[0, across)` along x, from the middle of the range on.
inline std::vector<lidar_point> in_voxels(std::size_t count, int across, farpoint::vec<float> const& size) {
  random_numbers random{1};
  std::vector<lidar_point> points(count);
  for (lidar_point& point : points) {
    // Half a voxel away from all borders where there is one voxel: rounding must not make two of it.
    float const x = across == 1 ? 0.25f + 0.5f * random.unit() : static_cast<float>(across) * random.unit();
    point = {size[0] * x, size[1] * (0.25f + 0.5f * random.unit()), size[2] * (0.25f + 0.5f * random.unit()),
             random.unit(), 0};
  }
  return points;
}

inline std::vector<lidar_point> in_range(std::size_t count) {
  random_numbers random{1};
  std::vector<lidar_point> points(count);
  for (lidar_point& point : points) {
    for (int axis = 0; axis < 3; ++axis) {
      float const extent = range_upper[axis] - range_lower[axis];
      point[static_cast<std::size_t>(axis)] = range_lower[axis] + extent * random.unit();
    }
    point[3] = random.unit();
    point[4] = 0;
  }
  return points;
}

}  // namespace detail

inline std::vector<lidar_point> voxelize_row::make(std::vector<float> const& scan) const {
  auto const count = static_cast<std::size_t>(points);
  switch (kind) {
    case spread::uniform: return detail::in_range(count);
    case spread::sweep: {
      lidar_scene scene;
      scene.half_street = 8.2f;
      return detail::one_sweep(count, scene);
    }
    case spread::sweeps: return detail::ten_sweeps(count);
    case spread::street: {
      lidar_scene scene;
      scene.half_street = 5.3f;
      return detail::one_sweep(count, scene);
    }
    case spread::one_voxel: return detail::in_voxels(count, 1, voxel_size);
    case spread::voxels_64: return detail::in_voxels(count, 64, voxel_size);
    case spread::scan: break;
  }
  random_numbers random{2};
  std::vector<lidar_point> records;
  detail::append(records, scan, 0, 0, random);
  return records;
}

}  // namespace farpoint_bench

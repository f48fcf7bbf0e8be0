// Clouds for tests: usual shapes, hostile shapes, and real scans if FARPOINT_DATA_DIR names a folder with scans.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "random.hpp"
#include "test_scale.hpp"

namespace farpoint_tests {

using xyz = std::array<double, 3>;
using xyz_cloud = std::vector<xyz>;

enum class shape {
  cube,
  lattice,
  all_equal,
  collinear,
  coplanar,
  duplicates,
  clusters,
  non_finite,
  millimeters,
  utm,
  tiny,
  huge,
  fine_lattice,
  oblique_plane,
  far_clusters,
  outlier,
  street_in_millimeters,
  overflowing,
  subnormal,
  rings
};

#if defined(FARPOINT_TESTS_FOR_RACES)
// Even and uneven shapes, with and without ties, and one with non-finite points.
inline constexpr shape all_shapes[] = {shape::cube, shape::lattice, shape::duplicates, shape::clusters,
                                       shape::non_finite};
#else
inline constexpr shape all_shapes[] = {shape::cube,
                                       shape::lattice,
                                       shape::all_equal,
                                       shape::collinear,
                                       shape::coplanar,
                                       shape::duplicates,
                                       shape::clusters,
                                       shape::non_finite,
                                       shape::millimeters,
                                       shape::utm,
                                       shape::tiny,
                                       shape::huge,
                                       shape::fine_lattice,
                                       shape::oblique_plane,
                                       shape::far_clusters,
                                       shape::outlier,
                                       shape::street_in_millimeters,
                                       shape::overflowing,
                                       shape::subnormal,
                                       shape::rings};
#endif

/// Rounds to float. The variable is volatile because g++ 12 at -O2 vectorizes a loop of plain conversions and drops the
/// rounding.
inline double rounded_to_float(double value) {
  float volatile const rounded = static_cast<float>(value);
  return static_cast<double>(rounded);
}

/// Point i of n of a LiDAR sweep: 64 rings on the ground around a sensor 1.7 m above it, cut off by walls 12 m to both
/// sides (m). No sine and no product in a sum: the circle is (1 - t^2, 2 t) / (1 + t^2), t a multiple of 2^-12, so that
/// every compiler makes the same cloud.
inline xyz ring_point(std::size_t i, std::size_t n, double noise) {
  constexpr std::size_t quarter = 4096;
  std::size_t const step = i / 64 * 4 * quarter / (n / 64 + 1);
  double const t = static_cast<double>(step % quarter) / static_cast<double>(quarter);
  double const slope = static_cast<double>(i % 64 + 3) / 64;
  double const range = 1.7 / slope * (1 + noise / 128);
  double const along = (1 - t * t) / (1 + t * t);
  double const across = 2 * t / (1 + t * t);
  xyz p{range * along, range * across, -1.7};
  if (step / quarter >= 2) p = {-p[0], -p[1], p[2]};
  if (step / quarter % 2 == 1) p = {-p[1], p[0], p[2]};
  if (std::fabs(p[1]) > 12) {
    double const part = 12 / std::fabs(p[1]);
    for (auto& c : p) c = c * part;
  }
  return p;
}

/// Every product that goes into a sum here is exact in double, so that a compiler that fuses it with a sum makes the
/// same cloud. Float-valued coordinates, so that float and double clouds start from the same numbers.
inline xyz_cloud make_cloud(shape which, std::size_t n, std::uint64_t seed) {
  random_source random{seed};
  auto const unit = [&random] { return static_cast<double>(random.uniform()); };
  xyz_cloud points(n);
  for (std::size_t i = 0; i < n; ++i) {
    xyz p{unit(), unit(), unit()};
    switch (which) {
      case shape::cube: break;
      case shape::lattice:
        for (auto& c : p) c = std::floor(c * 6);
        break;
      case shape::all_equal: p = {1.5, -2.25, 3}; break;
      case shape::collinear: p = {p[0], 2 * p[0], -p[0]}; break;
      case shape::coplanar: p[2] = 0.5; break;
      case shape::duplicates:
        if (i > 0 && random.below(4) != 0)
          p = points[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(i)))];
        break;
      case shape::clusters: {
        double const center = static_cast<double>(random.below(5)) * 100;
        for (auto& c : p) c = center + c / 128;
        break;
      }
      case shape::non_finite:
        if (random.below(7) == 0) {
          double const bad[] = {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
                                -std::numeric_limits<double>::infinity()};
          p[static_cast<std::size_t>(random.below(3))] = bad[random.below(3)];
        }
        break;
      case shape::millimeters:
        for (auto& c : p) c = std::floor((c - 0.5) * 2e8);
        break;
      case shape::utm: p = {4.5e5 + p[0] * 100, 5.4e6 + p[1] * 100, 300 + p[2]}; break;
      case shape::tiny:
        for (auto& c : p) c = (c - 0.5) * 1e-22;  // squares are subnormal floats
        break;
      case shape::huge:
        for (auto& c : p) c = (c - 0.5) * 6e38;  // squares and some differences overflow to +inf
        break;
      case shape::fine_lattice:
        for (auto& c : p) c = std::floor(c * 32);
        break;
      case shape::oblique_plane: p[2] = 2 * p[0] - p[1]; break;
      case shape::far_clusters: {
        double const center = static_cast<double>(random.below(3)) * 4096;
        for (auto& c : p) c = center + c / 1024;
        break;
      }
      case shape::outlier:
        if (i == n / 2) p = {-1e6, 3e6, 2e6};
        break;
      case shape::street_in_millimeters:
        p = {std::floor(p[0] * 1e5), std::floor(p[1] * 2e4), std::floor(p[2] * 3e3)};
        break;
      case shape::overflowing:
        for (auto& c : p) c = std::floor(c * 4) * 1e30;  // differences are finite, squares are 0 or +inf
        break;
      case shape::subnormal:
        for (auto& c : p) c = (c - 0.5) * 1e-40;  // as floats; squares are 0
        break;
      case shape::rings: p = ring_point(i, n, p[0]); break;
    }
    for (auto& c : p) c = rounded_to_float(c);
    points[i] = p;
  }
  return points;
}

/// Makes points of another dimension. Their axes come from 3-D clouds of that shape, three axes from each.
template <std::size_t Dim>
std::vector<std::array<double, Dim>> make_points(shape which, std::size_t n, std::uint64_t seed) {
  std::vector<std::array<double, Dim>> points(n);
  for (std::size_t axis = 0; axis < Dim; ++axis) {
    // Duplicates and outliers are such only if all axes agree on them.
    bool const repeat = which == shape::duplicates || which == shape::collinear;
    auto const cloud = make_cloud(which, n, repeat ? seed : seed + axis / 3);
    for (std::size_t i = 0; i < n; ++i) points[i][axis] = cloud[i][axis % 3];
  }
  return points;
}

struct scan {
  std::string name;
  xyz_cloud points;
};

/// Reads each raw float32 file of FARPOINT_DATA_DIR (`.xyz.bin`, `.xyzi.bin`); returns none if the variable is not set.
inline std::vector<scan> real_scans() {
  std::vector<scan> scans;
  char const* const folder = std::getenv("FARPOINT_DATA_DIR");
  if (folder == nullptr || !std::filesystem::is_directory(folder)) return scans;
  for (auto const& entry : std::filesystem::directory_iterator{folder}) {
    std::string const name = entry.path().filename().string();
    auto const ends_with = [&name](std::string const& tail) {
      return name.size() > tail.size() && name.compare(name.size() - tail.size(), tail.size(), tail) == 0;
    };
    if (!ends_with(".bin")) continue;
    std::size_t const width = ends_with(".xyzi.bin") ? 4 : 3;
    std::ifstream file{entry.path(), std::ios::binary};
    std::vector<float> values(static_cast<std::size_t>(entry.file_size()) / sizeof(float));
    file.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(float)));
    scan cloud{name, xyz_cloud(values.size() / width)};
    for (std::size_t i = 0; i < cloud.points.size(); ++i) {
      for (std::size_t axis = 0; axis < 3; ++axis)
        cloud.points[i][axis] = static_cast<double>(values[i * width + axis]);
    }
    scans.push_back(std::move(cloud));
  }
  std::sort(scans.begin(), scans.end(), [](scan const& a, scan const& b) { return a.name < b.name; });
  return scans;
}

}  // namespace farpoint_tests

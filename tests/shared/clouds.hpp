// Clouds for tests: the usual, the hostile, and real scans when FARPOINT_DATA_DIR names a folder of them.
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
  millimetres,
  utm,
  tiny,
  huge
};

inline constexpr shape all_shapes[] = {shape::cube,        shape::lattice,    shape::all_equal, shape::collinear,
                                       shape::coplanar,    shape::duplicates, shape::clusters,  shape::non_finite,
                                       shape::millimetres, shape::utm,        shape::tiny,      shape::huge};

/// Volatile: g++ 12 vectorises a loop of plain conversions to float and back at -O2, and loses them.
inline double rounded_to_float(double value) {
  float volatile const rounded = static_cast<float>(value);
  return static_cast<double>(rounded);
}

/// Every product here is exact in double, so that a compiler that fuses it with a sum makes the same cloud.
/// Float-valued coordinates, so that float and double clouds start from the same numbers.
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
      case shape::millimetres:
        for (auto& c : p) c = std::floor((c - 0.5) * 2e8);
        break;
      case shape::utm: p = {4.5e5 + p[0] * 100, 5.4e6 + p[1] * 100, 300 + p[2]}; break;
      case shape::tiny:
        for (auto& c : p) c = (c - 0.5) * 1e-22;  // squares are subnormal floats
        break;
      case shape::huge:
        for (auto& c : p) c = (c - 0.5) * 6e38;  // squares and some differences overflow to +inf
        break;
    }
    for (auto& c : p) c = rounded_to_float(c);
    points[i] = p;
  }
  return points;
}

struct scan {
  std::string name;
  xyz_cloud points;
};

/// Every raw float32 file of FARPOINT_DATA_DIR (`.xyz.bin`, `.xyzi.bin`), or none when the variable is not set.
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

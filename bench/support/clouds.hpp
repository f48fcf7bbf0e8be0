/// @file
/// The clouds that are measured: made up, the same on every run, or read from a file.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

namespace farpoint_bench {

/// SplitMix64 (Steele, Lea and Flood 2014). The standard library's distributions differ from one library to the next.
class random_numbers {
 public:
  explicit random_numbers(std::uint64_t seed) noexcept : state_{seed} {}

  /// In [0, 1), a multiple of 2^-24.
  float unit() noexcept {
    state_ += 0x9e3779b97f4a7c15u;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return static_cast<float>(z >> 40) * 0x1p-24f;
  }

 private:
  std::uint64_t state_;
};

/// `[points, 3]`: uniform in the unit cube (m).
inline std::vector<float> uniform_cube(std::size_t points, std::uint64_t seed) {
  random_numbers random{seed};
  std::vector<float> xyz(3 * points);
  for (float& coordinate : xyz) coordinate = random.unit();
  return xyz;
}

/// A spinning LiDAR in a street with walls on both sides. The default has what matters for fps(): rings that crowd near
/// the sensor, and a sparse far end.
struct lidar_scene {
  int rings = 64;
  float lowest = -24.8f;  ///< elevation of the rings (degrees)
  float opening = 26.8f;  ///< from the lowest to the highest ring (degrees)
  float height = 1.7f;    ///< of the sensor above the road (m)
  float half_street = 12.0f;
  float farthest = 80.0f;
  float noise = 0.04f;  ///< of the range, from end to end (m)
};

/// `[points, 3]`: one sweep (m), column by column as the sensor fires.
inline std::vector<float> lidar_rings(std::size_t points, std::uint64_t seed, lidar_scene const& scene = {}) {
  constexpr float pi = 3.14159265f;
  auto const rings = static_cast<std::size_t>(scene.rings);
  std::size_t const columns = (points + rings - 1) / rings;

  random_numbers random{seed};
  std::vector<float> xyz;
  xyz.reserve(3 * points);
  for (std::size_t i = 0; i < points; ++i) {
    auto const ring = static_cast<float>(i % rings);
    float const elevation = (scene.lowest + scene.opening * ring / static_cast<float>(rings - 1)) * (pi / 180);
    float const azimuth = 2 * pi * static_cast<float>(i / rings) / static_cast<float>(columns);
    float const along = std::cos(elevation) * std::cos(azimuth);
    float const across = std::cos(elevation) * std::sin(azimuth);
    float const up = std::sin(elevation);
    float range = scene.farthest * (0.9f + 0.1f * random.unit());
    if (up < 0) range = std::fmin(range, scene.height / -up);
    if (across != 0) range = std::fmin(range, scene.half_street / std::fabs(across));
    range += scene.noise * (random.unit() - 0.5f);
    xyz.insert(xyz.end(), {range * along, range * across, range * up});
  }
  return xyz;
}

/// Last part of a path: a result names its cloud, not a place on somebody's machine.
inline std::string file_name(std::string const& path) {
  return path.substr(path.find_last_of('/') + 1);
}

/// `[points, 3]`: a raw little-endian float32 file: x y z (.xyz.bin), nuScenes' x y z intensity ring (.pcd.bin), or
/// x y z intensity (.xyzi.bin, and every other .bin, as KITTI has them). Points that are not finite are left out: the
/// textbook kernel has no rule for them.
inline std::vector<float> read_cloud(std::string const& path) {
  auto const ends_with = [&path](std::string const& end) {
    return path.size() >= end.size() && path.compare(path.size() - end.size(), end.size(), end) == 0;
  };
  std::size_t const floats = ends_with(".xyz.bin") ? 3 : ends_with(".pcd.bin") ? 5 : ends_with(".bin") ? 4 : 0;
  if (floats == 0) throw std::runtime_error{path + ": expected a name that ends in .bin"};

  std::ifstream file{path, std::ios::binary};
  if (!file) throw std::runtime_error{path + ": cannot be opened"};
  std::vector<char> const raw{std::istreambuf_iterator<char>{file}, std::istreambuf_iterator<char>{}};
  std::size_t const record = floats * sizeof(float);
  if (raw.empty() || raw.size() % record != 0) {
    throw std::runtime_error{path + ": expected records of " + std::to_string(record) + " bytes, found " +
                             std::to_string(raw.size()) + " bytes"};
  }

  std::vector<float> xyz;
  for (std::size_t at = 0; at < raw.size(); at += record) {
    float point[3];
    std::memcpy(point, raw.data() + at, sizeof point);
    if (std::isfinite(point[0]) && std::isfinite(point[1]) && std::isfinite(point[2])) {
      xyz.insert(xyz.end(), std::begin(point), std::end(point));
    }
  }
  if (xyz.empty()) throw std::runtime_error{path + ": no finite point in it"};
  return xyz;
}

/// A scan with the name that its rows go by.
struct named_scan {
  std::string name;
  std::vector<float> xyz;
};

/// Reads all; named after the files, up to the first dot, with nothing in a name that separates the parts of a row's.
inline std::vector<named_scan> read_scans(std::vector<std::string> const& paths) {
  std::vector<named_scan> scans;
  for (std::string const& path : paths) {
    std::string name = file_name(path);
    name = name.substr(0, name.find('.'));
    for (char& c : name) {
      if (c == '/' || c == ':' || c == ' ') c = '_';
    }
    for (named_scan const& other : scans) {
      if (other.name == name) throw std::runtime_error{path + ": another scan has the same name"};
    }
    scans.push_back({name, read_cloud(path)});
  }
  return scans;
}

/// The points of the scan of that name.
inline std::vector<float> const& find_scan(std::vector<named_scan> const& scans, std::string const& name) {
  for (named_scan const& scan : scans) {
    if (scan.name == name) return scan.xyz;
  }
  throw std::logic_error{"a row without its scan"};
}

}  // namespace farpoint_bench

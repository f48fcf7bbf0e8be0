/// @file
/// One case of the knn_screen suite: a cloud, a camera, and k.
#pragma once

#include "support/clouds.hpp"
#include "support/counters.hpp"

#include <farpoint/geometry/camera.hpp>

#include <cmath>
#include <string>
#include <vector>

namespace farpoint_bench {

struct knn_screen_row {
  farpoint::index_t points;
  int width;
  int height;
  int k;
  int calls;                        ///< timed
  char const* scan_name = nullptr;  ///< null: a synthetic cloud

  /// "1024x1024/182000/k8".
  std::string name() const {
    return std::to_string(width) + "x" + std::to_string(height) + "/" +
           (scan_name != nullptr ? scan_name : std::to_string(points)) + "/k" + std::to_string(k);
  }

  /// `[points, 3]`: the scan; else on a sphere that is folded into waves (m), as dense everywhere as random points are.
  std::vector<float> make(std::vector<float> const& scan) const {
    if (scan_name != nullptr) return scan;
    random_numbers random{1};
    std::vector<float> xyz;
    xyz.reserve(static_cast<std::size_t>(3 * points));
    for (farpoint::index_t i = 0; i < points; ++i) {
      float const up = 2 * random.unit() - 1;
      float const turn = 6.2831853f * random.unit();
      float const level = std::sqrt(1 - up * up);
      float const radius = 1 + 0.06f * std::sin(9 * turn) * level + 0.05f * std::sin(14 * up);
      xyz.insert(xyz.end(), {radius * level * std::cos(turn), radius * level * std::sin(turn), radius * up});
    }
    return xyz;
  }

  /// Camera that looks along z at the bounding box of the points, at a distance from which all are visible.
  farpoint::pinhole_camera<float> camera(std::vector<float> const& xyz) const {
    float low[3] = {1e30f, 1e30f, 1e30f};
    float high[3] = {-1e30f, -1e30f, -1e30f};
    for (std::size_t i = 0; i < xyz.size(); ++i) {
      low[i % 3] = std::fmin(low[i % 3], xyz[i]);
      high[i % 3] = std::fmax(high[i % 3], xyz[i]);
    }
    float reach = 0;
    for (int axis = 0; axis < 3; ++axis) reach = std::fmax(reach, (high[axis] - low[axis]) / 2);
    farpoint::pinhole_camera<float> camera;
    camera.width = width;
    camera.height = height;
    camera.focal = {{0.75f * static_cast<float>(height), 0.75f * static_cast<float>(height)}};
    camera.center = {{static_cast<float>(width) / 2, static_cast<float>(height) / 2}};
    for (int axis = 0; axis < 3; ++axis) camera.translation[axis] = -(low[axis] + high[axis]) / 2;
    camera.translation[2] += 1.9f * reach;
    return camera;
  }

  /// Input: float32 x, y, z. Output: an int32 index and a float32 squared distance for each neighbor.
  workload work(farpoint::index_t visible) const {
    auto const all = static_cast<double>(points);
    return {all, 0, 12 * all + 8.0 * static_cast<double>(visible) * k};
  }
};

}  // namespace farpoint_bench

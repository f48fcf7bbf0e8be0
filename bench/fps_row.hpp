/// @file
/// One line of the table: which clouds, how many samples, how often.
#pragma once

#include "support/clouds.hpp"
#include "support/counters.hpp"

#include <farpoint/core/types.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace farpoint_bench {

/// Where the points of a row come from.
enum class cloud_kind {
  uniform,  ///< unit cube
  lidar     ///< simulated sweep, or the file of --cloud
};

struct fps_row {
  farpoint::index_t clouds;
  farpoint::index_t points;  ///< per cloud
  farpoint::index_t samples;
  cloud_kind kind;
  int baseline_calls;  ///< timed calls of the baseline: few where one takes long
  int calls;           ///< timed calls of farpoint

  /// "16x1024_to_512/uniform": no character that a shell or a regular expression minds.
  std::string name() const {
    return std::to_string(clouds) + "x" + std::to_string(points) + "_to_" + std::to_string(samples) +
           (kind == cloud_kind::lidar ? "/lidar" : "/uniform");
  }

  /// Input: float32 x, y, z. Output: an int32 index and a float32 squared distance for each sample.
  workload work() const {
    auto const all = static_cast<double>(clouds * points);
    auto const out = static_cast<double>(clouds * samples);
    return {all, all * static_cast<double>(samples), 12 * all + 8 * out};
  }

  /// `[clouds, points, 3]`. `scan`: what stands in for the simulated sweep, where not empty.
  std::vector<float> make(std::vector<float> const& scan) const {
    auto const each = static_cast<std::size_t>(points);
    if (kind == cloud_kind::lidar) return scan.empty() ? lidar_rings(each, 1) : scan;
    return uniform_cube(static_cast<std::size_t>(clouds) * each, 1);
  }
};

/// The row with the size of the scan, if it is a LiDAR row and there is a scan.
inline fps_row fitted(fps_row row, std::vector<float> const& scan) {
  if (row.kind == cloud_kind::uniform || scan.empty()) return row;
  row.points = static_cast<farpoint::index_t>(scan.size() / 3);
  row.samples = std::min(row.samples, row.points);
  return row;
}

}  // namespace farpoint_bench

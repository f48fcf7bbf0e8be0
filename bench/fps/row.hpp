/// @file
/// One case of the fps suites: which clouds, how many samples, how often.
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
  lidar,    ///< simulated sweep, or a file instead
  scan      ///< a file of --cloud
};

struct fps_row {
  farpoint::index_t clouds;
  farpoint::index_t points;  ///< per cloud
  farpoint::index_t samples;
  cloud_kind kind;
  int baseline_calls;  ///< timed calls of the baseline: few where one takes long, none where it takes many seconds
  int calls;           ///< timed calls of farpoint

  farpoint::index_t small_clouds = 0;  ///< ragged: number of additional clouds of `small_points` points
  char const* scan_name = nullptr;     ///< name of a file: cloud_kind::scan, or one that replaces the simulated sweep
  static constexpr farpoint::index_t small_points = 1000;

  bool ragged() const { return small_clouds > 0; }
  farpoint::index_t all_clouds() const { return clouds + small_clouds; }
  farpoint::index_t all_points() const { return clouds * points + small_clouds * small_points; }

  /// `[all_clouds() + 1]` of a ragged row, the large clouds first; empty for a regular one.
  std::vector<farpoint::index_t> offsets() const {
    std::vector<farpoint::index_t> offsets;
    if (!ragged()) return offsets;
    offsets.push_back(0);
    for (farpoint::index_t b = 0; b < all_clouds(); ++b) {
      offsets.push_back(offsets.back() + (b < clouds ? points : small_points));
    }
    return offsets;
  }

  /// "16x1024_to_512/uniform", "1x1000000_30x1000_to_1024/uniform": no character that a shell or a regular expression
  /// minds.
  std::string name() const {
    std::string name = std::to_string(clouds) + "x" + std::to_string(points);
    if (ragged()) name += "_" + std::to_string(small_clouds) + "x" + std::to_string(small_points);
    name += "_to_" + std::to_string(samples) + "/";
    if (kind == cloud_kind::scan) return name + (scan_name != nullptr ? scan_name : "scan");
    return name + (kind == cloud_kind::lidar ? "lidar" : "uniform");
  }

  /// Counters that identify the row in the JSON, so that readers need not parse names.
  void count(benchmark::State& state) const {
    state.counters["clouds"] = static_cast<double>(clouds);
    state.counters["n"] = static_cast<double>(points);
    state.counters["samples"] = static_cast<double>(samples);
    if (ragged()) {
      state.counters["small_clouds"] = static_cast<double>(small_clouds);
      state.counters["small_n"] = static_cast<double>(small_points);
    }
  }

  /// Input: float32 x, y, z. Output: an int32 index and a float32 squared distance for each sample.
  workload work() const {
    auto const pairs = [this](farpoint::index_t n) {
      return static_cast<double>(n) * static_cast<double>(std::min(samples, n));
    };
    auto const all = static_cast<double>(all_points());
    auto const out = static_cast<double>(all_clouds() * samples);
    return {all, static_cast<double>(clouds) * pairs(points) + static_cast<double>(small_clouds) * pairs(small_points),
            12 * all + 8 * out};
  }

  /// `[all_points(), 3]`. `scan`: the points of a scan, or what stands in for the simulated sweep where not empty.
  std::vector<float> make(std::vector<float> const& scan) const {
    if (kind == cloud_kind::scan) return scan;
    if (kind == cloud_kind::lidar) return scan.empty() ? lidar_rings(static_cast<std::size_t>(points), 1) : scan;
    return uniform_cube(static_cast<std::size_t>(all_points()), 1);
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

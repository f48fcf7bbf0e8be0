/// @file
/// One case of the knn suites: which cloud, how many neighbors, how often.
#pragma once

#include "support/clouds.hpp"
#include "support/counters.hpp"

#include <farpoint/core/types.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace farpoint_bench {

/// How points are distributed: evenly, or in one of the ways that an index may stumble over.
enum class knn_cloud {
  cube,
  sphere,    ///< on its surface
  lidar,     ///< simulated sweep
  clumps,    ///< 50 dense, distant cubes
  one_cell,  ///< a millimeter, and one point 1,000 km away
  line,
  heap,  ///< half in a cube, the others all at its center, like missing returns of some sensors
  scan   ///< a file of --cloud
};

inline char const* to_string(knn_cloud kind) {
  switch (kind) {
    case knn_cloud::cube: return "cube";
    case knn_cloud::sphere: return "sphere";
    case knn_cloud::lidar: return "lidar";
    case knn_cloud::clumps: return "clumps";
    case knn_cloud::one_cell: return "one_cell";
    case knn_cloud::line: return "line";
    case knn_cloud::heap: return "heap";
    case knn_cloud::scan: return "scan";
  }
  return "";
}

/// Queries: the points themselves; the points after a small motion, as in scan matching; or these in random order.
enum class knn_queries { themselves, moved, shuffled };

struct knn_row {
  farpoint::index_t points;
  farpoint::index_t k;
  knn_cloud kind;
  int calls;  ///< timed

  char const* scan_name = nullptr;  ///< file name of knn_cloud::scan
  knn_queries asking = knn_queries::themselves;

  /// "100000_k8/cube" or "100000_k8/cube/moved": no character that a shell or a regular expression minds.
  std::string name() const {
    return std::to_string(points) + "_k" + std::to_string(k) + "/" +
           (scan_name != nullptr ? scan_name : to_string(kind)) +
           (asking == knn_queries::moved      ? "/moved"
            : asking == knn_queries::shuffled ? "/shuffled"
                                              : "");
  }

  /// Counters that identify the row in the JSON, so that readers need not parse names.
  void count(benchmark::State& state) const {
    state.counters["n"] = static_cast<double>(points);
    state.counters["k"] = static_cast<double>(k);
  }

  /// Input: float32 x, y, z. Output: an int32 index and a float32 squared distance for each neighbor.
  workload work() const {
    auto const n = static_cast<double>(points);
    return {n, n * n, 12 * n + 8 * n * static_cast<double>(k)};
  }

  /// `[points, 3]` (m); for knn_cloud::scan a copy of `scan`.
  std::vector<float> make(std::vector<float> const& scan) const {
    auto const n = static_cast<std::size_t>(points);
    if (kind == knn_cloud::scan) return scan;
    if (kind == knn_cloud::lidar) return lidar_rings(n, 1);
    std::vector<float> xyz = uniform_cube(n, 1);
    random_numbers random{2};
    for (std::size_t i = 0; i < n; ++i) {
      float* const p = &xyz[3 * i];
      if (kind == knn_cloud::sphere) {
        float const up = 2 * p[0] - 1;
        float const out = std::sqrt(1 - up * up);
        float const turn = 6.2831853f * p[1];
        p[0] = out * std::cos(turn);
        p[1] = out * std::sin(turn);
        p[2] = up;
      } else if (kind == knn_cloud::clumps) {
        float const center = 100 * std::floor(50 * random.unit());
        p[0] += center;
        p[1] += center / 2;
      } else if (kind == knn_cloud::one_cell) {
        for (int axis = 0; axis < 3; ++axis) p[axis] = i == 0 ? 1e6f : p[axis] * 1e-3f;
      } else if (kind == knn_cloud::line) {
        p[1] = p[2] = 0;
      } else if (kind == knn_cloud::heap && i % 2 == 0) {
        p[0] = p[1] = p[2] = 0.5f;
      }
    }
    return xyz;
  }

  /// `[points, 3]` (m): the queries.
  std::vector<float> make_queries(std::vector<float> const& xyz) const {
    std::vector<float> queries = xyz;
    if (asking == knn_queries::themselves) return queries;
    auto const [least, most] = std::minmax_element(xyz.begin(), xyz.end());
    float const shift = 0.003f * (*most - *least);
    float const turn = 0.02f;
    for (std::size_t i = 0; i < queries.size(); i += 3) {
      queries[i] = std::cos(turn) * xyz[i] - std::sin(turn) * xyz[i + 1] + shift;
      queries[i + 1] = std::sin(turn) * xyz[i] + std::cos(turn) * xyz[i + 1] - shift;
    }
    if (asking == knn_queries::shuffled) shuffle_points(queries, 3);
    return queries;
  }
};

}  // namespace farpoint_bench

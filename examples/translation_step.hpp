// Shared by examples 38 and 39: a step of the iterative closest point method, which moves a scan to a map.
#pragma once

#include <farpoint/core/atomic.hpp>
#include <farpoint/core/batch.hpp>
#include <farpoint/types/neighborhood.hpp>

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#if defined(__CUDACC__)
#define ON_BOTH __host__ __device__
#else
#define ON_BOTH
#endif

//! [consumer]
/// Sums over all pairs of a point of the scan and its nearest point of the map.
struct pair_sums {
  /// Map point minus scan point, modulo 2^64. Sums of integers do not depend on the order of the calls.
  std::uint64_t micrometers[3];
  std::uint64_t pairs;
};

/// Adds the pair of each query to sums in memory, without an array of neighbors.
struct translation_step {
  farpoint::point_view<float> map;
  pair_sums* sums;

  ON_BOTH void operator()(farpoint::neighborhood_query<float> const& query,
                          farpoint::neighborhood<float, 1> const& list) const {
    if (list.empty()) return;  // no point of the map is within the radius
    auto const nearest = map[list[0].index()];
    for (int axis = 0; axis < 3; ++axis) {
      float const meters = nearest[axis] - query.at[axis];
      farpoint::atomic_add(&sums->micrometers[axis], static_cast<std::uint64_t>(std::llrint(meters * 1e6f)));
    }
    farpoint::atomic_add(&sums->pairs, std::uint64_t{1});
  }
  ON_BOTH void leave_empty(farpoint::index_t) const {}  // a point that is not finite has no pair
};
//! [consumer]

struct point {
  float x, y, z;
};

/// Mean translation of a step along an axis, in meters.
inline float mean_move(pair_sums const& sums, int axis) {
  if (sums.pairs == 0) return 0;
  return static_cast<float>(static_cast<std::int64_t>(sums.micrometers[axis])) * 1e-6f / static_cast<float>(sums.pairs);
}

/// Points in a cube of 2 m, uniform.
inline std::vector<point> random_map(std::size_t n) {
  std::mt19937 random{1};
  std::uniform_real_distribution<float> meters{-1, 1};
  std::vector<point> points(n);
  for (point& p : points) p = {meters(random), meters(random), meters(random)};
  return points;
}

/// Translation from the scan to the map, in meters.
constexpr point true_move{0.02f, -0.03f, 0.01f};

/// True if the translations of all steps add up to true_move.
inline bool is_found(point const& moved) {
  auto const is_near = [](float a, float b) { return std::abs(a - b) < 1e-4f; };
  return is_near(moved.x, true_move.x) && is_near(moved.y, true_move.y) && is_near(moved.z, true_move.z);
}

/// @file
/// Points that are functions of their indices: on any number of ranks they are the same.
#pragma once

#include <farpoint/container/hash.hpp>
#include <farpoint/core/points.hpp>

#include <cstdint>

namespace farpoint_bench {

using farpoint::index_t;
using cube_view = farpoint::point_view<float>;

/// Points spread over a cube. With tiles, a tile's position along x grows with the points' index.
struct cube {
  index_t points;
  float edge = 100;         ///< (m)
  index_t tile_points = 0;  ///< 0: no tiles

  index_t begin(int rank, int ranks) const { return points * rank / ranks; }
};

/// Makes the points from `first` on: functions of their indices.
struct cube_step {
  float* to;  ///< `[n, 3]`
  index_t first;
  cube all;

  FARPOINT_HD void operator()(std::uint64_t i) const noexcept {
    for (int axis = 0; axis < 3; ++axis) {
      std::uint64_t const number = 3 * (static_cast<std::uint64_t>(first) + i) + static_cast<std::uint64_t>(axis);
      std::uint64_t const bits = farpoint::mix_bits(number + 0x9e3779b97f4a7c15u);
      float place = static_cast<float>(bits >> 40) * 0x1p-24f;
      if (axis == 0 && all.tile_points > 0) {
        place += static_cast<float>((first + static_cast<index_t>(i)) / all.tile_points);
      }
      to[3 * i + static_cast<std::uint64_t>(axis)] = all.edge * place;
    }
  }
};

}  // namespace farpoint_bench

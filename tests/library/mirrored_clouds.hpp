// Clouds in host memory and in device memory.
#pragma once

#include <farpoint/core/batch.hpp>

#include "../shared/clouds.hpp"
#include "../shared/records.hpp"
#include "mirror.hpp"

namespace farpoint_tests {

template <class Coord>
std::vector<Coord> coordinates(xyz_cloud const& cloud) {
  std::vector<Coord> values;
  for (auto const& point : cloud) {
    for (double const coordinate : point) values.push_back(to_coord<Coord>(coordinate));
  }
  return values;
}

/// A ragged batch of two clouds of points, and one of queries.
template <class Coord>
struct mirrored_clouds {
  using clouds = farpoint::batch<farpoint::point_view<Coord>>;

  explicit mirrored_clouds(index_t n, std::vector<index_t> const& starts, std::uint64_t seed)
      : size{n},
        points{coordinates<Coord>(make_cloud(shape::non_finite, static_cast<std::size_t>(n), seed))},
        offsets{starts} {}

  template <class Exec>
  clouds on(Exec exec) const {
    return clouds::ragged({points.of(exec).data(), size}, offsets.of(exec));
  }

  index_t size;
  mirror<Coord> points;
  mirror<index_t> offsets;
};

}  // namespace farpoint_tests

// Clouds in host memory and in device memory.
#pragma once

#include <farpoint/core/batch.hpp>

#include "../../support/clouds.hpp"
#include "../../support/records.hpp"
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

/// A ragged batch of clouds: on the host in float where it is of float16 on the device, which is the same points.
template <class Coord>
struct mirrored_clouds {
  using scalar = farpoint::scalar_of<Coord>;

  explicit mirrored_clouds(index_t n, std::vector<index_t> const& starts, std::uint64_t seed)
      : size{n},
        points{coordinates<Coord>(make_cloud(shape::non_finite, static_cast<std::size_t>(n), seed))},
        offsets{starts} {
    for (Coord const value : points.host()) wide.push_back(static_cast<scalar>(value));
  }

  auto on(host_exec exec) const {
    farpoint::point_view<scalar> const all{wide.data(), size};
    return farpoint::batch<farpoint::point_view<scalar>>::ragged(all, offsets.of(exec));
  }
  auto on(cuda_exec exec) const {
    farpoint::point_view<Coord> const all{points.of(exec).data(), size};
    return farpoint::batch<farpoint::point_view<Coord>>::ragged(all, offsets.of(exec));
  }

  index_t size;
  mirror<Coord> points;
  mirror<index_t> offsets;
  std::vector<scalar> wide;
};

}  // namespace farpoint_tests

/// @file
/// Points that the calls of this consumer are given, and a visitor of the types that coordinates have.
#pragma once

#include <farpoint/core/batch.hpp>
#include <farpoint/core/host_exec.hpp>

#include <array>
#include <vector>

template <class Coord, int Dim = 3>
struct clouds {
  using points = farpoint::point_view<Coord, Dim>;
  using scalar = typename points::scalar;

  std::vector<std::array<Coord, std::size_t{Dim}>> cloud;
  std::vector<farpoint::index_t> offsets = {0, 0};
  points view = farpoint::view_points(cloud);
  farpoint::batch<points> all{view};
  farpoint::host_exec exec{1};
  std::size_t bound = 0;
  farpoint::bytes workspace{};
};

/// Instantiates Calls<Coord> for every type of coordinates.
template <template <class> class Calls>
void call_for_each_coord() {
  Calls<float>{}();
  Calls<double>{}();
  Calls<farpoint::float16>{}();
}

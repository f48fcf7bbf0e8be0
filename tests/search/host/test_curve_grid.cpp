// curve_grid: cells against quotients in extended precision, keys against curves that are walked bit by bit.
#include <farpoint/geometry/curve_grid.hpp>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "../../support/catch.hpp"
#include "../../support/for_each_value.hpp"
#include "../../support/random.hpp"

using farpoint::bounding_box;
using farpoint::curve_grid;
using farpoint::hilbert_curve;
using farpoint::hilbert_table;
using farpoint::morton_curve;
using farpoint::vec;
using farpoint_tests::for_each_value;
using farpoint_tests::random_source;

namespace {

/// The table of hilbert_table in memory.
struct table_in_memory {
  std::uint64_t rows[hilbert_table::ways];
  table_in_memory() {
    for (int way = 0; way < hilbert_table::ways; ++way) rows[way] = hilbert_table::row(way);
  }
};

/// Bits of the axes, taken in turn.
template <int Axes>
std::uint32_t interleaved(vec<std::uint32_t, Axes> const& cell, int bits) {
  std::uint32_t code = 0;
  for (int bit = 0; bit < bits; ++bit) {
    for (int axis = 0; axis < Axes; ++axis) code |= (cell[axis] >> bit & 1u) << (Axes * bit + axis);
  }
  return code;
}

template <class Scalar, int Dim>
std::vector<vec<Scalar, Dim>> cloud(std::uint64_t seed, Scalar scale, Scalar shift) {
  random_source random{seed};
  std::vector<vec<Scalar, Dim>> points(300);
  for (auto& p : points) {
    // Flat: the first axis is the longest.
    for (int axis = 0; axis < Dim; ++axis) {
      p[axis] = static_cast<Scalar>((random.uniform() - 0.5f) / static_cast<float>(1 + axis)) * scale + shift;
    }
  }
  return points;
}

template <class Scalar, int Dim>
auto box_around(std::vector<vec<Scalar, Dim>> const& points) {
  auto box = curve_grid<Scalar, Dim>::box::empty();
  for (auto const& p : points) box.grow(p);
  return box;
}

/// Place of a coordinate on the longest side, in cells. Off by less than a cell's rounding.
template <class Box, class Scalar>
long double exact_place(Box const& box, Scalar coordinate, int axis, int axes, int bits) {
  long double extent = 0;
  for (int k = 0; k < axes; ++k) {
    extent = std::max(extent, static_cast<long double>(box.high[k]) - static_cast<long double>(box.low[k]));
  }
  return (static_cast<long double>(coordinate) - static_cast<long double>(box.low[axis])) / extent *
         std::ldexp(1.0L, bits);
}

template <class Scalar, int Dim>
void check_keys(std::vector<vec<Scalar, Dim>> const& points, int bits) {
  using grid_type = curve_grid<Scalar, Dim>;
  constexpr int axes = grid_type::axes;
  auto const box = box_around(points);
  grid_type const grid{box, bits};
  table_in_memory const table;
  CAPTURE(Dim, bits, sizeof(Scalar));
  REQUIRE(grid.has_extent());
  bool some_first = false, some_last = false;
  for (auto const& p : points) {
    auto const cell = grid.cell_of(p, bits);
    for (int axis = 0; axis < axes; ++axis) {
      REQUIRE(cell[axis] < 1u << bits);
      // The difference and the product are rounded.
      auto const place = exact_place(box, p[axis], axis, axes, bits);
      long double const slack = std::ldexp(1.0L, bits - std::numeric_limits<Scalar>::digits + 2);
      REQUIRE(static_cast<long double>(cell[axis]) <= place + slack);
      REQUIRE(static_cast<long double>(cell[axis]) + 1 >= std::min(place, std::ldexp(1.0L, bits)) - slack);
    }
    some_first = some_first || cell[0] == 0;
    some_last = some_last || cell[0] == (1u << bits) - 1;
    REQUIRE(grid.key_of(p, morton_curve{}, bits) == interleaved<axes>(cell, bits));
    std::uint32_t const along_hilbert = grid.key_of(p, hilbert_curve{}, bits);
    if constexpr (axes == 1) {
      REQUIRE(along_hilbert == cell[0]);
    } else if constexpr (axes == 2) {
      auto const back = farpoint::hilbert_decode_2d(along_hilbert, bits);
      REQUIRE((back[0] == cell[0] && back[1] == cell[1]));
    } else {
      auto const back = farpoint::hilbert_decode_3d(along_hilbert, bits);
      REQUIRE((back[0] == cell[0] && back[1] == cell[1] && back[2] == cell[2]));
      REQUIRE(grid.key_of(p, hilbert_table{table.rows}, bits) == along_hilbert);
    }
  }
  // The longest side has all cells.
  CHECK(some_first);
  CHECK((some_last || bits > std::numeric_limits<Scalar>::digits));
}

template <class Scalar, int Dim>
void check_bits(std::vector<vec<Scalar, Dim>> const& points) {
  constexpr int axes = curve_grid<Scalar, Dim>::axes;
  constexpr int most = axes == 1 ? 31 : 32 / axes;
  for (int bits = 1; bits <= most; ++bits) check_keys<Scalar, Dim>(points, bits);
}

template <class Scalar, int Dim>
void check_dims() {
  constexpr Scalar most = std::numeric_limits<Scalar>::max();
  constexpr Scalar least = std::numeric_limits<Scalar>::min();
  check_bits(cloud<Scalar, Dim>(1, 1, 0));
  check_bits(cloud<Scalar, Dim>(2, Scalar(1e-3), 1000));  // far from the origin
  check_bits(cloud<Scalar, Dim>(3, Scalar(1e6), 0));
  check_bits(cloud<Scalar, Dim>(4, least * Scalar(0x1p36), 0));  // cells near the smallest normal number
  // The extent, and for one axis the difference of two points, is more than the largest number.
  auto huge = cloud<Scalar, Dim>(5, most, 0);
  for (auto& p : huge) {
    for (int axis = 0; axis < Dim; ++axis) p[axis] *= Scalar(1.9);
  }
  check_bits(huge);
}

/// Every point has a cell in the grid, and has_extent() is as expected.
template <class Scalar>
void check_degenerate(bounding_box<Scalar> const& box, bool has_extent) {
  constexpr Scalar infinity = std::numeric_limits<Scalar>::infinity();
  constexpr Scalar nan = std::numeric_limits<Scalar>::quiet_NaN();
  constexpr Scalar most = std::numeric_limits<Scalar>::max();
  constexpr Scalar least = std::numeric_limits<Scalar>::denorm_min();
  Scalar const values[] = {0, -0.0f, 1, -1, least, -least, most, -most, infinity, -infinity, nan};
  table_in_memory const table;
  for (int const bits : {1, 8, 10}) {
    curve_grid<Scalar> const grid{box, bits};
    CAPTURE(sizeof(Scalar), bits);
    CHECK(grid.has_extent() == has_extent);
    bool inside = true;
    for (Scalar const x : values) {
      for (Scalar const y : values) {
        for (Scalar const z : values) {
          vec<Scalar> const p{{x, y, z}};
          auto const cell = grid.cell_of(p, bits);
          for (int axis = 0; axis < 3; ++axis) inside = inside && cell[axis] < 1u << bits;
          inside = inside && grid.key_of(p, hilbert_table{table.rows}, bits) < 1u << 3 * bits;
          inside = inside && grid.key_of(p, morton_curve{}, bits) < 1u << 3 * bits;
        }
      }
    }
    CHECK(inside);
  }
}

template <class Scalar>
void check_degenerates() {
  constexpr Scalar infinity = std::numeric_limits<Scalar>::infinity();
  constexpr Scalar nan = std::numeric_limits<Scalar>::quiet_NaN();
  constexpr Scalar most = std::numeric_limits<Scalar>::max();
  constexpr Scalar least = std::numeric_limits<Scalar>::denorm_min();
  check_degenerate<Scalar>(bounding_box<Scalar>::empty(), false);
  check_degenerate<Scalar>({{{1, 2, 3}}, {{1, 2, 3}}}, false);                                // one point
  check_degenerate<Scalar>({{{nan, nan, nan}}, {{nan, nan, nan}}}, false);                    // what all bits zero mean
  check_degenerate<Scalar>({{{0, 0, 0}}, {{infinity, 1, 1}}}, false);                         // one cell
  check_degenerate<Scalar>({{{-infinity, -infinity, 0}}, {{infinity, infinity, 1}}}, false);  // one cell
  check_degenerate<Scalar>({{{-most, -most, -most}}, {{most, most, most}}}, true);
  check_degenerate<Scalar>({{{0, 0, 0}}, {{0, 0, most}}}, true);  // a line
  check_degenerate<Scalar>({{{0, 0, 0}}, {{least * 2, 0, 0}}}, true);
  check_degenerate<Scalar>({{{most, 0, 0}}, {{most, 1, 0}}}, true);
}

}  // namespace

TEST_CASE("curve_grid: cells are quotients, and keys their places on a curve", "[curve_grid]") {
  for_each_value<1, 2, 3, 5>([](auto dim) {
    check_dims<float, dim>();
    check_dims<double, dim>();
  });
}

TEST_CASE("curve_grid: boxes without extent, infinite, huge and subnormal; points that are not finite",
          "[curve_grid]") {
  check_degenerates<float>();
  check_degenerates<double>();
}

TEST_CASE("curve_grid: a cell has its lower border and not its upper one, and the last cell has both", "[curve_grid]") {
  bounding_box<float> const box{{{-4, -4, -4}}, {{4, 4, 0}}};
  curve_grid<float> const grid{box, 3};
  for (int i = 0; i < 8; ++i) {
    float const low = static_cast<float>(i) - 4;
    auto const first = grid.cell_of({{low, low, low}}, 3);
    auto const last = grid.cell_of({{low + 0.875f, low + 0.25f, low + 0.5f}}, 3);
    CAPTURE(i);
    for (int axis = 0; axis < 3; ++axis) {
      CHECK(first[axis] == static_cast<std::uint32_t>(i));
      CHECK(last[axis] == static_cast<std::uint32_t>(i));
    }
  }
  // The box's own upper corner, and what is outside.
  CHECK(grid.cell_of({{4, 4, 4}}, 3)[0] == 7);
  CHECK(grid.cell_of({{100, -100, 0}}, 3)[0] == 7);
  CHECK(grid.cell_of({{100, -100, 0}}, 3)[1] == 0);
}

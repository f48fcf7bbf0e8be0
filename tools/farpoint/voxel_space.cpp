#include "voxel_space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "options.hpp"

namespace farpoint_tools {

namespace {

constexpr char axis_name[] = "xyz";
constexpr double too_many = 2147483648.0;

void expect_size(double size) {
  if (!(size > 0) || !std::isfinite(size)) {
    throw usage_error{fmt::format("--voxel-size {}: expected a length above 0", size)};
  }
}

[[noreturn]] void fail_too_many(double size, double lower, double upper, std::size_t axis) {
  throw usage_error{fmt::format("--voxel-size {}: {} to {} along {} would be 2^31 voxels or more", size, lower, upper,
                                axis_name[axis])};
}

voxel_space expect_countable(voxel_space const& made) {
  if (made.grid<double>().cells() == 0) throw usage_error{"--voxel-size: the grid would have 2^63 voxels or more"};
  return made;
}

// Number of voxels up to the one of the point `upper`, as voxel_of() finds it in the arithmetic of Scalar.
template <class Scalar>
double cells_up_to(double lower, double upper, double size) {
  auto const place = farpoint::div_rn(farpoint::sub_rn(static_cast<Scalar>(upper), static_cast<Scalar>(lower)),
                                      static_cast<Scalar>(size));
  return std::floor(static_cast<double>(place)) + 1;
}

}  // namespace

void cloud_bounds::add(cloud const& more) {
  for (std::size_t i = 0; i < more.points.size(); ++i) {
    if (!more.is_finite(i)) continue;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      lower[axis] = std::min(lower[axis], more.coordinate(i, axis));
      upper[axis] = std::max(upper[axis], more.coordinate(i, axis));
    }
  }
}

voxel_space space_of_range(double3 const& lower, double3 const& upper, double3 const& size,
                           std::optional<std::array<std::int64_t, 3>> const& cells) {
  voxel_space made{lower, size, {}, upper};
  auto const vec_of = [](double3 const& v) { return farpoint::vec<double>{{v[0], v[1], v[2]}}; };
  auto const nearest = farpoint::voxel_grid<double>::from_range(vec_of(lower), vec_of(upper), vec_of(size)).dims;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!(lower[axis] < upper[axis]) || !std::isfinite(upper[axis] - lower[axis])) {
      throw usage_error{fmt::format("--range: the upper {0} ({1}) must be finite and greater than the lower {0} ({2})",
                                    axis_name[axis], upper[axis], lower[axis])};
    }
    if (cells && ((*cells)[axis] < 1 || static_cast<double>((*cells)[axis]) >= too_many)) {
      throw usage_error{fmt::format("--cells {}: expected 1 to 2147483647", (*cells)[axis])};
    }
    expect_size(size[axis]);
    double const quotient = (upper[axis] - lower[axis]) / size[axis];
    if (!cells && !(quotient < too_many - 1)) fail_too_many(size[axis], lower[axis], upper[axis], axis);
    std::int64_t const rounded = nearest[static_cast<int>(axis)];
    bool const divides = rounded > 0 && std::fabs(quotient - static_cast<double>(rounded)) <= 1e-3;
    made.cells[axis] = cells ? (*cells)[axis] : divides ? rounded : static_cast<std::int64_t>(std::ceil(quotient));
  }
  return expect_countable(made);
}

voxel_space space_around(cloud_bounds const& of, double3 const& size) {
  voxel_space made;
  made.size = size;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    expect_size(size[axis]);
    double const low = of.lower[axis];
    double const high = of.upper[axis];
    double first = std::floor(low / size[axis]);
    // The quotient may have been rounded up.
    if (first * size[axis] > low) --first;
    made.lower[axis] = first * size[axis];
    double const cells = std::max(cells_up_to<float>(made.lower[axis], high, size[axis]),
                                  cells_up_to<double>(made.lower[axis], high, size[axis]));
    if (!(cells < too_many)) fail_too_many(size[axis], low, high, axis);
    made.cells[axis] = static_cast<std::int64_t>(cells);
  }
  return expect_countable(made);
}

}  // namespace farpoint_tools

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "las_writer.hpp"

namespace farpoint_tools {

namespace {

constexpr double most = std::numeric_limits<std::int32_t>::max();

bool has_all(las_grid const& grid, cloud const& of, std::size_t axis) {
  for (std::size_t i = 0; i < of.points.size(); ++i) {
    if (!grid.has(of.coordinate(i, axis))) return false;
  }
  return true;
}

// True if all coordinates of the grid have the same decimals as the cloud's: they differ by rounding only.
bool rounds_all(las_grid const& grid, cloud const& of, std::size_t axis) {
  for (std::size_t i = 0; i < of.points.size(); ++i) {
    double const coordinate = of.coordinate(i, axis);
    if (std::fabs(grid.value(grid.nearest(coordinate)) - coordinate) > std::fabs(coordinate) * 0x1p-51) return false;
  }
  return true;
}

// Exponent of the lowest bit that is set in a finite double other than 0.
int lowest_bit(double value) {
  int exponent = 0;
  auto whole = static_cast<std::uint64_t>(std::ldexp(std::fabs(std::frexp(value, &exponent)), 53));
  exponent -= 53;
  while ((whole & 1U) == 0) {
    whole >>= 1U;
    ++exponent;
  }
  return exponent;
}

// The coarsest power of two of which all coordinates are multiples.
std::optional<las_grid> binary_grid(cloud const& of, std::size_t axis, double middle) {
  int lowest = std::numeric_limits<int>::max();
  for (std::size_t i = 0; i < of.points.size(); ++i) {
    if (double const value = of.coordinate(i, axis); value != 0) lowest = std::min(lowest, lowest_bit(value));
  }
  if (lowest == std::numeric_limits<int>::max() || lowest < -1000) return std::nullopt;
  las_grid grid{std::ldexp(1.0, lowest), 0};
  // An offset of many trailing zeros.
  double const unit = std::ldexp(grid.scale, 20);
  grid.offset = std::nearbyint(middle / unit) * unit;
  if (!std::isfinite(grid.offset) || !has_all(grid, of, axis)) return std::nullopt;
  return grid;
}

}  // namespace

std::int32_t las_grid::nearest(double coordinate) const {
  double const whole = std::nearbyint((coordinate - offset) / scale);
  return static_cast<std::int32_t>(std::clamp(whole, -most - 1, most));
}

bool las_grid::has(double coordinate) const {
  double const whole = std::nearbyint((coordinate - offset) / scale);
  // -0 has the value of 0.
  return whole >= -most - 1 && whole <= most && value(static_cast<std::int32_t>(whole)) == coordinate;
}

las_grid grid_of(cloud const& of, std::size_t axis) {
  if (of.las != nullptr) {
    las_grid const read{of.las->scale[axis], of.las->offset[axis]};
    if (has_all(read, of, axis)) return read;
  }
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (std::size_t i = 0; i < of.points.size(); ++i) {
    low = std::min(low, of.coordinate(i, axis));
    high = std::max(high, of.coordinate(i, axis));
  }
  double const middle = low / 2 + high / 2;
  // A multiple of a million steps, so that it has few digits.
  auto const with_offset = [middle](double scale) {
    double const unit = 1e6 * scale;
    return las_grid{scale, std::nearbyint(middle / unit) * unit};
  };
  constexpr double scales[] = {0.001, 0.01, 0.0001, 0.1, 1.0, 0.00001, 0.000001};
  for (double const scale : scales) {
    if (has_all({scale, 0}, of, axis)) return {scale, 0};
    // 692345.294 is not 692345294 * 0.001 in floating point, but it is 345294 * 0.001 + 692000: the product is exact to
    // more digits than the sum has.
    if (las_grid const near = with_offset(scale); has_all(near, of, axis)) return near;
  }
  if (auto const exact = binary_grid(of, axis, middle)) return *exact;
  for (double const scale : scales) {
    if (las_grid const near = with_offset(scale); rounds_all(near, of, axis)) return near;
  }
  double const largest_whole = std::max(high / 2 - low / 2, std::fabs(middle) * 0x1p-20);
  double const digits = std::ceil(std::log10(std::max(largest_whole / (most / 2), 1e-300)));
  return with_offset(digits < 0 ? 1 / std::pow(10.0, -digits) : std::pow(10.0, digits));
}

}  // namespace farpoint_tools

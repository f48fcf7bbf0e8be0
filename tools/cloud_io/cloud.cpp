#include "cloud.hpp"

#include <algorithm>
#include <cmath>

namespace farpoint_tools {

namespace {

// Nearest float of a double: an infinity where none is near.
float to_float(double value) {
  char bytes[4];
  encode(value, bytes, scalar_kind::float32);
  return static_cast<float>(decode(bytes, scalar_kind::float32));
}

// Chooses an origin that keeps most points near 0, by a sample of at most 65,536 points.
std::array<double, 3> origin_of(std::vector<std::array<double, 3>> const& coordinates) {
  std::size_t const step = coordinates.size() / 65536 + 1;
  std::array<double, 3> middle{};
  double unit = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    std::vector<double> sample;
    for (std::size_t i = 0; i < coordinates.size(); i += step) {
      // Twice a finite value, as the extent is: beyond, no origin helps.
      if (std::isfinite(2 * coordinates[i][axis])) sample.push_back(coordinates[i][axis]);
    }
    if (sample.empty()) continue;
    auto const quantile = [&sample](double share) {
      auto const at = sample.begin() + std::lround(share * static_cast<double>(sample.size() - 1));
      std::nth_element(sample.begin(), at, sample.end());
      return *at;
    };
    double const low = quantile(0.01);
    double const high = quantile(0.99);
    middle[axis] = low / 2 + high / 2;
    unit = std::max({unit, high - low, std::fabs(middle[axis]) * 0x1p-20});
  }
  if (!(unit > 0)) return {};
  // A multiple of a power of two: what is subtracted from coordinates nearby leaves no rest.
  unit = 16 * std::exp2(std::ceil(std::log2(unit)));
  for (auto& value : middle) value = std::nearbyint(value / unit) * unit;
  return middle;
}

}  // namespace

void column::copy(std::size_t i, char const* from, byte_order order) {
  auto const size = size_of(kind_);
  auto* const to = bytes_.data() + i * size;
  std::copy_n(from, size, to);
  if (order == byte_order::big) std::reverse(to, to + size);
}

bool column::fits_float32() const {
  if (farpoint_tools::fits_float32(kind_)) return true;
  for (std::size_t i = 0; i < size(); ++i) {
    double const value = at(i);
    if (!std::isnan(value) && double{to_float(value)} != value) return false;
  }
  return true;
}

column const* cloud::find(std::string const& name) const {
  auto const found = std::find_if(columns.begin(), columns.end(), [&](column const& c) { return c.name() == name; });
  return found == columns.end() ? nullptr : &*found;
}

bool cloud::is_finite(std::size_t i) const {
  return std::isfinite(coordinate(i, 0)) && std::isfinite(coordinate(i, 1)) && std::isfinite(coordinate(i, 2));
}

void cloud::set(column made) {
  auto const has_name = [&made](column const& c) { return c.name() == made.name(); };
  columns.erase(std::remove_if(columns.begin(), columns.end(), has_name), columns.end());
  columns.push_back(std::move(made));
}

void set_exact(cloud& to, std::vector<std::array<double, 3>> coordinates) {
  to.exact = std::move(coordinates);
  to.origin = origin_of(to.exact);
  to.points.resize(to.exact.size());
  for (std::size_t i = 0; i < to.exact.size(); ++i) {
    for (std::size_t axis = 0; axis < 3; ++axis) to.points[i][axis] = to_float(to.exact[i][axis] - to.origin[axis]);
  }
}

}  // namespace farpoint_tools

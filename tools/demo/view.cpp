#include "view.hpp"

#include <algorithm>
#include <cmath>

namespace farpoint_tools {

namespace {

// Enough for percentiles.
constexpr std::size_t max_looked_at = 200'000;

double dot(std::array<double, 3> const& a, std::array<double, 3> const& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// Finite points, evenly thinned out if there are many.
std::vector<point3> some_of(std::vector<point3> const& cloud) {
  std::vector<point3> some;
  for (std::size_t i = 0, step = cloud.size() / max_looked_at + 1; i < cloud.size(); i += step) {
    if (is_finite(cloud[i])) some.push_back(cloud[i]);
  }
  return some;
}

std::array<extent, 3> robust_box(std::vector<point3> const& cloud, double tail) {
  std::array<extent, 3> sides;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    std::vector<double> values(cloud.size());
    std::transform(cloud.begin(), cloud.end(), values.begin(), [axis](point3 const& p) { return p[axis]; });
    sides[axis] = robust_extent(values, tail);
  }
  return sides;
}

// Angle of the longest direction in the ground plane, from x towards y. Each occupied cell counts once: a LiDAR's
// points are densest around the sensor, which says nothing about the street.
double longest_direction(std::vector<point3> const& cloud, std::array<extent, 3> const& sides) {
  constexpr int cells = 64;
  constexpr int half = cells / 2;
  std::vector<bool> occupied(std::size_t{cells} * cells);
  double const cell = std::max({sides[0].size(), sides[1].size(), 1e-6}) / cells;
  double xx = 0;
  double xy = 0;
  double yy = 0;
  for (auto const& point : cloud) {
    double const x = (point[0] - sides[0].middle()) / cell;
    double const y = (point[1] - sides[1].middle()) / cell;
    if (std::fabs(x) >= half || std::fabs(y) >= half) continue;
    auto const index = static_cast<std::size_t>(x + half) * cells + static_cast<std::size_t>(y + half);
    if (occupied[index]) continue;
    occupied[index] = true;
    xx += x * x;
    xy += x * y;
    yy += y * y;
  }
  return 0.5 * std::atan2(2 * xy, xx - yy);
}

}  // namespace

extent robust_extent(std::vector<double>& values, double tail) {
  if (values.empty()) return {};
  auto const at = [&values](double share) {
    auto const rank = static_cast<std::ptrdiff_t>(std::lround(share * static_cast<double>(values.size() - 1)));
    std::nth_element(values.begin(), values.begin() + rank, values.end());
    return values[static_cast<std::size_t>(rank)];
  };
  double const low = at(tail);
  return {low, at(1 - tail)};
}

double round_length(double largest) {
  double const power = std::pow(10, std::floor(std::log10(largest)));
  for (double const factor : {5.0, 2.0}) {
    if (factor * power <= largest) return factor * power;
  }
  return power;
}

bool is_finite(point3 const& point) {
  return std::isfinite(point[0]) && std::isfinite(point[1]) && std::isfinite(point[2]);
}

std::optional<screen_point> view::project_unfitted(point3 const& point) const {
  if (!is_finite(point)) return std::nullopt;
  std::array<double, 3> const from_eye{point[0] - eye_[0], point[1] - eye_[1], point[2] - eye_[2]};
  double const depth = dot(from_eye, forward_);
  if (perspective_ && depth < nearest_) return std::nullopt;
  double const scale = perspective_ ? 1 / depth : 1;
  return screen_point{dot(from_eye, right_) * scale, -dot(from_eye, up_) * scale, depth, scale};
}

std::optional<screen_point> view::project(point3 const& point) const {
  auto seen = project_unfitted(point);
  if (!seen) return seen;
  return screen_point{seen->x * scale_ + shift_x_, seen->y * scale_ + shift_y_, seen->depth, seen->scale * scale_};
}

void view::fit(std::vector<point3> const& cloud, panel const& where, double tail, double slack) {
  std::vector<double> x;
  std::vector<double> y;
  for (auto const& point : cloud) {
    if (auto const seen = project_unfitted(point)) {
      x.push_back(seen->x);
      y.push_back(seen->y);
    }
  }
  auto const across = robust_extent(x, tail);
  auto const along = robust_extent(y, tail);
  // A cloud whose points coincide has no size: show it as a dot in the middle.
  double const least = std::max({1e-6, 1e-6 * std::fabs(across.middle()), 1e-6 * std::fabs(along.middle())});
  scale_ = std::min(where.width / std::max(across.size() * slack, least),
                    where.height / std::max(along.size() * slack, least));
  shift_x_ = where.x + where.width / 2.0 - across.middle() * scale_;
  shift_y_ = where.y + where.height / 2.0 - along.middle() * scale_;
}

view view::from_above(std::vector<point3> const& cloud, panel const& where) {
  view result;
  result.fit(some_of(cloud), where, 0.015, 1.1);
  return result;
}

view view::in_perspective(std::vector<point3> const& cloud, panel const& where) {
  constexpr double elevation = 0.6;  // radians
  constexpr double aside = 0.62;     // radians off the longest direction: walls along it show their faces
  auto const some = some_of(cloud);
  auto const sides = robust_box(some, 0.02);
  double const heading = longest_direction(some, sides) + aside;
  double const reach = std::max(1e-6, 0.5 * std::hypot(sides[0].size(), sides[1].size(), sides[2].size()));

  view result;
  result.perspective_ = true;
  result.forward_ = {std::cos(elevation) * std::cos(heading), std::cos(elevation) * std::sin(heading),
                     -std::sin(elevation)};
  result.right_ = {std::sin(heading), -std::cos(heading), 0};
  result.up_ = {std::sin(elevation) * std::cos(heading), std::sin(elevation) * std::sin(heading), std::cos(elevation)};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    result.eye_[axis] = sides[axis].middle() - 2.1 * reach * result.forward_[axis];
  }
  result.nearest_ = 0.1 * reach;
  result.fit(some, where, 0.03, 1.14);
  return result;
}

}  // namespace farpoint_tools

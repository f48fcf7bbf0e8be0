#include "street_shapes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace farpoint_tools {

namespace {

constexpr double never = std::numeric_limits<double>::infinity();

double hit(box const& target, ray const& beam) {
  auto const turn = [&](double x, double y) {
    return std::pair{target.cos_yaw * x + target.sin_yaw * y, target.cos_yaw * y - target.sin_yaw * x};
  };
  auto const [ox, oy] = turn(beam.origin[0] - target.center[0], beam.origin[1] - target.center[1]);
  auto const [dx, dy] = turn(beam.direction[0], beam.direction[1]);
  vec3 const origin{ox, oy, beam.origin[2] - target.center[2]};
  vec3 const direction{dx, dy, beam.direction[2]};

  double enter = 0;
  double leave = never;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    // Dividing by zero gives infinities, which are correct here.
    double const a = (-target.half[axis] - origin[axis]) / direction[axis];
    double const b = (target.half[axis] - origin[axis]) / direction[axis];
    enter = std::max(enter, std::min(a, b));
    leave = std::min(leave, std::max(a, b));
  }
  return enter > 0 && enter <= leave ? enter : never;
}

// Nearest positive root of a t^2 + 2 b t + c.
double first_root(double a, double b, double c) {
  double const discriminant = b * b - a * c;
  if (discriminant < 0 || a <= 0) return never;
  double const t = (-b - std::sqrt(discriminant)) / a;
  return t > 0 ? t : never;
}

double hit(cylinder const& target, ray const& beam) {
  double const x = beam.origin[0] - target.x;
  double const y = beam.origin[1] - target.y;
  double const dx = beam.direction[0];
  double const dy = beam.direction[1];
  double const t = first_root(dx * dx + dy * dy, x * dx + y * dy, x * x + y * y - target.radius * target.radius);
  if (t == never) return never;
  double const z = beam.origin[2] + t * beam.direction[2];
  return z >= target.bottom && z <= target.top ? t : never;
}

double hit(sphere const& target, ray const& beam, double chance) {
  double b = 0;
  double c = -target.radius * target.radius;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    double const from_center = beam.origin[axis] - target.center[axis];
    b += from_center * beam.direction[axis];
    c += from_center * from_center;
  }
  double const t = first_root(1, b, c);
  if (t == never || target.density == 0) return t;
  double const depth = -std::log(1 - chance) / target.density;
  double const thickness = 2 * (-b - t);
  return depth < thickness ? t + depth : never;
}

double hit_ground(street const& scene, ray const& beam) {
  auto const fall_to = [&](double height) {
    double const t = (height - beam.origin[2]) / beam.direction[2];
    return t > 0 ? t : never;
  };
  double const on_sidewalk = fall_to(scene.ground + scene.curb);
  if (on_sidewalk != never && std::fabs(beam.origin[1] + on_sidewalk * beam.direction[1]) >= scene.curb_y) {
    // It hits either the sidewalk or, before that, the curb.
    double const edge = (scene.curb_y - std::fabs(beam.origin[1])) / std::fabs(beam.direction[1]);
    return std::max(edge, on_sidewalk);
  }
  return fall_to(scene.ground);
}

}  // namespace

double cast(street const& scene, ray const& beam, double chance) {
  double nearest = hit_ground(scene, beam);
  for (auto const& target : scene.boxes) nearest = std::min(nearest, hit(target, beam));
  for (auto const& target : scene.cylinders) nearest = std::min(nearest, hit(target, beam));
  for (auto const& target : scene.spheres) nearest = std::min(nearest, hit(target, beam, chance));
  return nearest;
}

}  // namespace farpoint_tools

#include "torus_knot.hpp"

#include <algorithm>
#include <limits>

#include "random_source.hpp"

namespace farpoint_tools {

namespace {

constexpr double pi = 3.14159265358979323846;

// Twice around an upright axis while three times around the circle of radius 1.
constexpr double minor_radius = 0.45;

vec3 curve_at(double t) {
  double const reach = 1 + minor_radius * std::cos(3 * t);
  return {reach * std::cos(2 * t), reach * std::sin(2 * t), minor_radius * std::sin(3 * t)};
}

// A point of the curve, with the frame and the curvature that define the tube.
struct curve_frame {
  vec3 place, side, other_side;  // the sides at right angles to the curve, and to one another
  vec3 curvature;                // 1/m, towards the center of the bend
  double speed;                  // meters for a step of 1 in t
};

curve_frame frame_at(double t) {
  constexpr double h = 1e-4;
  vec3 const here = curve_at(t);
  vec3 const before = curve_at(t - h);
  vec3 const after = curve_at(t + h);
  vec3 const velocity = (0.5 / h) * (after - before);
  vec3 const acceleration = (1 / (h * h)) * ((after - here) - (here - before));
  double const speed = length(velocity);
  vec3 const along = unit(velocity);
  vec3 const side = unit(cross(along, {0, 0, 1}));
  return {here, side, cross(along, side), (1 / (speed * speed)) * (acceleration - dot(acceleration, along) * along),
          speed};
}

// The pixels whose line of sight may pass a sphere.
farpoint::vec<int, 4> bounds(farpoint::pinhole_camera<float> const& camera, farpoint::vec<float> const& center,
                             double radius) {
  farpoint::vec<int, 4> box{};
  for (int axis = 0; axis < 2; ++axis) {
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (double const side : {-radius, radius}) {
      for (double const depth : {center[2] - radius, center[2] + radius}) {
        double const at = camera.center[axis] + camera.focal[axis] * (center[axis] + side) / depth;
        low = std::min(low, at);
        high = std::max(high, at);
      }
    }
    double const count = axis == 0 ? camera.width : camera.height;
    box[axis] = static_cast<int>(std::clamp(std::floor(low), 0.0, count));
    box[axis + 2] = static_cast<int>(std::clamp(std::ceil(high), 0.0, count));
  }
  return box;
}

}  // namespace

torus_knot::torus_knot() {
  constexpr int places = 2000;
  for (int i = 0; i < places; ++i) curve_.push_back(curve_at(2 * pi * i / places));
}

std::vector<point3> torus_knot::sample(std::size_t count, double noise, std::uint64_t seed) const {
  constexpr double largest_area = 3.3 * 1.8;  // m^2 of surface for a step of 1 in t and in units of the tube's radius
  random_source random{seed};
  std::vector<point3> points;
  points.reserve(count);
  while (points.size() < count) {
    double const t = 2 * pi * random.uniform();
    double const angle = 2 * pi * random.uniform();
    double const lot = largest_area * random.uniform();
    auto const frame = frame_at(t);
    vec3 const outward = std::cos(angle) * frame.side + std::sin(angle) * frame.other_side;
    // The inner side of a bend has less surface than the outer one.
    if (lot > frame.speed * (1 - tube_radius * dot(frame.curvature, outward))) continue;
    vec3 const place = frame.place + (tube_radius + noise * random.normal()) * outward;
    points.push_back({static_cast<float>(place[0]), static_cast<float>(place[1]), static_cast<float>(place[2])});
  }
  return points;
}

vec3 torus_knot::normal_at(point3 const& near) const {
  vec3 const place = to_vec3(near);
  auto const distance2 = [&place](vec3 const& of_curve) { return dot(place - of_curve, place - of_curve); };
  auto const nearer = [&](vec3 const& a, vec3 const& b) { return distance2(a) < distance2(b); };
  auto const nearest = std::min_element(curve_.begin(), curve_.end(), nearer) - curve_.begin();
  // Ternary search between the neighbors of the nearest place, where the distance has one minimum.
  double const step = 2 * pi / static_cast<double>(curve_.size());
  double low = step * static_cast<double>(nearest - 1);
  double high = low + 2 * step;
  for (int halving = 0; halving < 60; ++halving) {
    double const third = (high - low) / 3;
    if (nearer(curve_at(low + third), curve_at(high - third))) {
      high -= third;
    } else {
      low += third;
    }
  }
  return unit(place - curve_at((low + high) / 2));
}

std::vector<float> torus_knot::depths(farpoint::pinhole_camera<float> const& camera, double radius) const {
  std::vector<float> depths(static_cast<std::size_t>(camera.width) * static_cast<std::size_t>(camera.height),
                            std::numeric_limits<float>::infinity());
  for (vec3 const& place : curve_) {
    auto const seen =
        camera.to_view({{static_cast<float>(place[0]), static_cast<float>(place[1]), static_cast<float>(place[2])}});
    vec3 const center{seen[0], seen[1], seen[2]};
    auto const box = bounds(camera, seen, radius);
    for (int y = box[1]; y < box[3]; ++y) {
      for (int x = box[0]; x < box[2]; ++x) {
        vec3 const sight{(x + 0.5 - camera.center[0]) / camera.focal[0], (y + 0.5 - camera.center[1]) / camera.focal[1],
                         1};
        double const along = dot(sight, center) / dot(sight, sight);
        vec3 const aside = along * sight - center;
        double const inside = radius * radius - dot(aside, aside);
        if (inside < 0) continue;
        float& depth =
            depths[static_cast<std::size_t>(y) * static_cast<std::size_t>(camera.width) + static_cast<std::size_t>(x)];
        depth = std::min(depth, static_cast<float>(along - std::sqrt(inside / dot(sight, sight))));
      }
    }
  }
  return depths;
}

}  // namespace farpoint_tools

#include "street_scene.hpp"

#include <cmath>

#include "random_source.hpp"
#include "street_shapes.hpp"

namespace farpoint_tools {

namespace {

constexpr double pi = 3.14159265358979323846;
constexpr double sensor_height = 1.73;
constexpr double ground = -sensor_height;
constexpr double curb_height = 0.14;
constexpr double walk = ground + curb_height;
constexpr double curb_y = 5.2;
constexpr double house_y = 8.5;
constexpr double street_half = 75;
constexpr double crossing_from = 24;
constexpr double crossing_to = 33;

bool on_crossing(double from, double to) {
  return to > crossing_from && from < crossing_to;
}

box make_box(double x, double y, double bottom, vec3 size, double yaw = 0) {
  return {{x, y, bottom + size[2] / 2}, {size[0] / 2, size[1] / 2, size[2] / 2}, std::cos(yaw), std::sin(yaw)};
}

void add_houses(street& scene, double side, random_source& random) {
  for (double x = -street_half; x < street_half;) {
    double const length = random.between(8, 17);
    double const height = random.between(4.5, 13);
    double const depth = random.between(9, 12);
    double const front = house_y + random.between(0, 1.6);
    bool const open_lot = random.chance(0.18);
    if (!open_lot && !on_crossing(x, x + length)) {
      scene.boxes.push_back(make_box(x + length / 2, side * (front + depth / 2), ground, {length, depth, height}));
      if (random.chance(0.5)) {  // a bay or a stairway in front
        double const at = x + length * random.between(0.25, 0.75);
        scene.boxes.push_back(make_box(at, side * front, ground, {2.2, 1.2, random.between(1.2, height)}));
      }
    }
    x += length + (random.chance(0.7) ? random.between(3, 8) : 0);
  }
  // Visible through the gaps: the backs of the next street, and garden trees.
  for (double x = -65; x < 65; x += random.between(14, 24)) {
    double const length = random.between(9, 14);
    double const height = random.between(1.8, 9);
    if (on_crossing(x - length / 2, x + length / 2)) continue;
    scene.boxes.push_back(make_box(x, side * (34 + 0.1 * height), ground, {length, 8, height}));
  }
  for (double x = -60; x < 60; x += random.between(6, 13)) {
    double const y = side * random.between(21, 28);
    double const crown = random.between(1.4, 2.6);
    if (on_crossing(x - 2, x + 2)) continue;
    scene.cylinders.push_back({x, y, 0.2, ground, ground + 3 + crown});
    scene.spheres.push_back({{x, y, ground + 3 + crown}, crown, 0.9});
  }
}

void add_car(street& scene, double x, double y, double yaw, random_source& random) {
  if (random.chance(0.18)) {  // a van
    scene.boxes.push_back(make_box(x, y, ground + 0.3, {5.2, 1.95, 1.95}, yaw));
    return;
  }
  double const length = random.between(3.9, 4.7);
  double const shift = random.between(-0.35, -0.1);
  scene.boxes.push_back(make_box(x, y, ground + 0.25, {length, 1.78, 0.65}, yaw));
  scene.boxes.push_back(make_box(x + shift * std::cos(yaw), y + shift * std::sin(yaw), ground + 0.9,
                                 {length * 0.52, 1.55, random.between(0.5, 0.72)}, yaw));
  for (double const along : {-0.31, 0.31}) {
    for (double const across : {-0.8, 0.8}) {
      double const dx = along * length;
      scene.boxes.push_back(make_box(x + dx * std::cos(yaw) - across * std::sin(yaw),
                                     y + dx * std::sin(yaw) + across * std::cos(yaw), ground, {0.6, 0.2, 0.6}, yaw));
    }
  }
}

void add_parked_cars(street& scene, double side, random_source& random) {
  for (double x = -70 + random.between(0, 5); x < 72; x += random.between(5.6, 8.5)) {
    if (on_crossing(x - 4, x + 4) || random.chance(0.3)) continue;
    // One draw per statement: the compiler chooses the order in which arguments are evaluated.
    double const y = side * (curb_y - 1.15 + random.between(-0.1, 0.1));
    double const yaw = random.between(-0.04, 0.04);
    add_car(scene, x, y, yaw, random);
  }
}

void add_trees_and_poles(street& scene, double side, random_source& random) {
  double const y = side * (curb_y + 0.9);
  for (double x = -66 + random.between(0, 6); x < 70; x += random.between(8, 15)) {
    if (on_crossing(x - 1, x + 1)) continue;
    if (random.chance(0.35)) {
      double const height = random.between(5, 7.5);
      scene.cylinders.push_back({x, y, 0.09, walk, walk + height});
      scene.boxes.push_back(make_box(x, y - side * 0.8, walk + height, {0.3, 1.6, 0.14}));
      continue;
    }
    double const crown = random.between(1.3, 2.3);
    double const trunk = random.between(2.1, 2.9);
    scene.cylinders.push_back({x, y, random.between(0.12, 0.24), walk, walk + trunk + crown});
    for (int blob = 0; blob < 3; ++blob) {
      vec3 const center{x + random.between(-0.7, 0.7), y + random.between(-0.6, 0.6),
                        walk + trunk + crown * random.between(0.7, 1.3)};
      scene.spheres.push_back({center, crown * random.between(0.6, 0.9), 0.9});
    }
  }
}

void add_person(street& scene, double x, double y, double bottom, double height) {
  scene.cylinders.push_back({x - 0.09, y, 0.1, bottom, bottom + height * 0.5});
  scene.cylinders.push_back({x + 0.13, y + 0.06, 0.1, bottom, bottom + height * 0.5});
  scene.cylinders.push_back({x, y, 0.22, bottom + height * 0.48, bottom + height * 0.83});
  scene.spheres.push_back({{x, y, bottom + height * 0.91}, 0.13});
}

street build_street(random_source& random) {
  street scene{ground, curb_y, curb_height, {}, {}, {}};
  for (double const side : {-1.0, 1.0}) {
    add_houses(scene, side, random);
    add_parked_cars(scene, side, random);
    add_trees_and_poles(scene, side, random);
  }
  add_car(scene, 17.5, 1.7, pi, random);
  add_car(scene, -13, -1.6, 0, random);
  add_car(scene, 28, -19, pi / 2, random);
  add_person(scene, 8.2, 6.6, walk, 1.75);
  add_person(scene, 8.9, 6.9, walk, 1.62);
  add_person(scene, -6.5, -6.4, walk, 1.8);
  add_person(scene, 22.6, 2.4, ground, 1.7);
  return scene;
}

}  // namespace

std::vector<std::array<float, 3>> simulate_street_sweep(std::uint64_t seed) {
  constexpr int rings = 64;
  constexpr int columns = 960;
  constexpr double top = 8;
  constexpr double bottom = -24.8;
  constexpr double longest = 80;
  constexpr double range_noise = 0.02;
  // Rounding hides the last bits of sin, cos and log, which differ from one mathematics library to another.
  constexpr double steps_per_meter = 1024;

  random_source random{seed};
  auto const scene = build_street(random);
  std::vector<std::array<float, 3>> points;
  for (int column = 0; column < columns; ++column) {
    for (int ring = 0; ring < rings; ++ring) {
      double const azimuth = 2 * pi * (column + 0.25 * (ring % 4)) / columns;
      // Denser around the horizon, where distant objects are.
      double const u = static_cast<double>(ring) / (rings - 1);
      double const elevation = (top + (bottom - top) * u * (0.62 + 0.38 * u)) * pi / 180;
      vec3 const direction{std::cos(elevation) * std::cos(azimuth), std::cos(elevation) * std::sin(azimuth),
                           std::sin(elevation)};
      double const through_leaves = random.uniform();
      double const noise = range_noise * random.normal();
      double const luck = random.uniform();

      double const range = cast(scene, {{0, 0, 0}, direction}, through_leaves);
      if (range > longest) continue;
      double const dropout = 0.02 + 0.25 * (range / longest) * (range / longest);
      if (luck < dropout) continue;
      std::array<float, 3> point{};
      for (std::size_t axis = 0; axis < 3; ++axis) {
        double const exact = (range + noise) * direction[axis];
        point[axis] = static_cast<float>(std::round(exact * steps_per_meter) / steps_per_meter);
      }
      points.push_back(point);
    }
  }
  return points;
}

}  // namespace farpoint_tools

// Scan matching: where was the scanner when it took the second sweep? Iterated closest points, point to plane (Chen and
// Medioni 1992): the nearest map point of each point by knn(), the map's normals by estimate_normals(), and the motion
// that brings the points onto those planes by six linear equations.
#include <farpoint/estimate_normals.hpp>
#include <farpoint/point_bvh.hpp>

#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include "rigid_motion.hpp"

using point_list = std::vector<vec3d>;

/// The map: an index that is built once, and the normal of each point, by the same index.
struct map_of_points {
  explicit map_of_points(point_list const& all)
      : points{all},
        index{farpoint::build_point_bvh(all)},
        normals{farpoint::estimate_normals(index.index, all).normals} {}

  point_list const& points;
  farpoint::point_bvh_of_cloud<double> index;
  std::vector<double> normals;  // [points, 3]
};

/// The motion that brings the points nearer to the planes of their nearest map points.
motion step(map_of_points const& map, point_list const& points) {
  std::vector<std::int32_t> nearest(points.size());
  farpoint::knn_params params;
  params.max_radius = 1;  // meters: points without a partner take no part
  farpoint::batch const queries{farpoint::view_points(points)};
  farpoint::result const outcome = knn(farpoint::host_exec{}, map.index.index, queries, params, {nearest});
  if (!outcome) std::puts(outcome.reason);

  six_unknowns motion_of_points;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (nearest[i] < 0) continue;
    auto const j = static_cast<std::size_t>(nearest[i]);
    vec3d const n{map.normals[3 * j], map.normals[3 * j + 1], map.normals[3 * j + 2]};
    add_point_to_plane(motion_of_points, points[i], map.points[j], n, 1);
  }
  auto const x = motion_of_points.solve();
  return make_motion({x[0], x[1], x[2]}, {x[3], x[4], x[5]});
}

/// A corner of a room, as a scanner sees it: a floor and two walls, with a box on the floor, and noise.
point_list scan_of_a_room(std::size_t n, unsigned seed) {
  std::mt19937 random{seed};
  std::uniform_real_distribution<double> meters{0, 8};
  std::normal_distribution<double> noise{0, 0.005};
  point_list points(n);
  for (std::size_t i = 0; i < n; ++i) {
    double const a = meters(random);
    double const b = meters(random);
    double const off = noise(random);
    switch (i % 4) {
      case 0: points[i] = {a, b, off}; break;
      case 1: points[i] = {a, off, b / 3}; break;
      case 2: points[i] = {off, a, b / 3}; break;
      default: points[i] = {2 + a / 8, 3 + b / 8, 1 + off};
    }
  }
  return points;
}

int main() {
  point_list const first = scan_of_a_room(4000, 1);
  point_list second = scan_of_a_room(1000, 2);  // not the same points, and moved
  motion const truth = make_motion({0.03, -0.02, 0.05}, {0.2, -0.15, 0.1});
  for (vec3d& p : second) p = truth(p);

  map_of_points const map{first};
  motion found;  // brings the second sweep back
  for (int iteration = 0; iteration < 10; ++iteration) {
    point_list moved(second.size());
    for (std::size_t i = 0; i < second.size(); ++i) moved[i] = found(second[i]);
    found = step(map, moved).after(found);
  }

  // One after the other, they must cancel.
  motion const rest = found.after(truth);
  double const shift = std::hypot(rest.translation[0], rest.translation[1], rest.translation[2]);
  double const trace = rest.rotation[0][0] + rest.rotation[1][1] + rest.rotation[2][2];
  double const angle = std::acos(std::fmin(1.0, (trace - 1) / 2));
  std::printf("off by %.4f m and %.5f rad\n", shift, angle);
  return shift < 0.005 && angle < 0.001 ? 0 : 1;
}

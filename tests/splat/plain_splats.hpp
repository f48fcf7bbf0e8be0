// Oracle of draw_splats(): intersects each line of sight with every splat, in double precision.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "splat_problem.hpp"
#include "vectors.hpp"

namespace farpoint_tests {

/// Splat in the frame of the camera, in double precision. Colors are not shaded.
struct plain_splat {
  xyz center, normal, along, across;
  double extents[2];
  xyz color;
};

inline std::vector<plain_splat> plain_splats(draw_splats_problem<float> const& problem) {
  std::vector<plain_splat> all;
  auto const& camera = problem.camera;
  auto const seen = [&](xyz const& a) {
    xyz turned{};
    for (std::size_t row = 0; row < 3; ++row) {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        turned[row] += double{camera.rotation[row][static_cast<int>(axis)]} * a[axis];
      }
    }
    return turned;
  };
  auto const row_of = [&](std::vector<float> const& rows, std::size_t i) {
    return rows.empty() ? xyz{} : xyz{rows[3 * i], rows[3 * i + 1], rows[3 * i + 2]};
  };
  std::size_t const count =
      problem.count.empty()
          ? problem.splats()
          : std::min<std::size_t>(problem.splats(), static_cast<std::size_t>(std::max(0, problem.count[0])));
  for (std::size_t i = 0; i < count; ++i) {
    farpoint::index_t const own = problem.whose[i];
    if (own < 0 || own >= problem.size()) continue;
    float const* const p = problem.points.data() + 4 * own;
    xyz center = seen({p[0], p[1], p[2]});
    for (int axis = 0; axis < 3; ++axis) center[static_cast<std::size_t>(axis)] += double{camera.translation[axis]};
    bool const is_finite = std::isfinite(center[0]) && std::isfinite(center[1]) && std::isfinite(center[2]);
    if (!is_finite || !(center[2] > 0)) continue;
    xyz normal = seen(row_of(problem.normals, i));
    if (dot(normal, normal) == 0) normal = scaled(-1, center);
    if (!problem.params.back_faces && dot(normal, center) > 0) continue;
    normal = unit(normal);
    plain_splat splat{center, dot(normal, center) > 0 ? scaled(-1, normal) : normal, {}, {}, {}, {}};
    for (std::size_t e = 0; e < 2; ++e) {
      float const extent = problem.extents[2 * i + e];
      splat.extents[e] = extent > 0 ? std::min(1e30, double{extent}) : 0;
    }
    xyz const across = cross(splat.normal, seen(row_of(problem.tangents, i)));
    if (dot(across, across) == 0) {
      splat.extents[1] = splat.extents[0];
      splat.across = unit(cross(splat.normal, std::fabs(splat.normal[0]) < 0.7 ? xyz{1, 0, 0} : xyz{0, 1, 0}));
    } else {
      splat.across = unit(across);
    }
    splat.along = cross(splat.across, splat.normal);
    double const pixel = center[2] / double{std::max(camera.focal[0], camera.focal[1])};
    for (double& extent : splat.extents) extent = std::max(extent, 0.01 * pixel);
    splat.color = row_of(problem.colors, i);
    all.push_back(splat);
  }
  return all;
}

/// Expected depth and color of a pixel. `is_certain` is false if a comparison is so close that rounding may decide.
struct plain_pixel {
  double depth = std::numeric_limits<double>::infinity();
  xyz color{};
  bool is_certain = true;
};

inline plain_pixel look(draw_splats_problem<float> const& problem, std::vector<plain_splat> const& splats, int x,
                        int y) {
  auto const& camera = problem.camera;
  xyz const sight{(x + 0.5 - double{camera.center[0]}) / double{camera.focal[0]},
                  (y + 0.5 - double{camera.center[1]}) / double{camera.focal[1]}, 1};
  plain_pixel pixel;
  struct hit {
    double depth, share, slack;
    xyz color;
  };
  std::vector<hit> hits;
  double const radius = double{problem.params.least_radius};
  for (auto const& splat : splats) {
    double const depth = dot(splat.normal, splat.center) / dot(splat.normal, sight);
    xyz const offset{depth * sight[0] - splat.center[0], depth * sight[1] - splat.center[1], depth - splat.center[2]};
    double const a = dot(splat.along, offset) / splat.extents[0];
    double const b = dot(splat.across, offset) / splat.extents[1];
    double const dx = x + 0.5 - double{camera.center[0]} - double{camera.focal[0]} * splat.center[0] / splat.center[2];
    double const dy = y + 0.5 - double{camera.center[1]} - double{camera.focal[1]} * splat.center[1] / splat.center[2];
    double const in_ellipse = a * a + b * b;
    double const in_dot = (dx * dx + dy * dy) / (radius * radius);
    double const pixels = splat.center[2] / double{camera.focal[0]};
    double const slack =
        double{problem.params.slack} * std::max({splat.extents[0], splat.extents[1],
                                                 splat.center[2] / double{std::max(camera.focal[0], camera.focal[1])}});
    // Rounding decides for ellipses seen from the side, close to the camera, or far from the origin.
    bool const is_far = std::max({std::fabs(splat.center[0]), std::fabs(splat.center[1]), splat.center[2]}) > 1e4;
    bool const is_steep =
        is_far || std::fabs(dot(splat.normal, sight)) < 0.02 || splat.extents[0] > 1e3 || splat.extents[1] > 1e3;
    bool const is_thin = std::min(splat.extents[0], splat.extents[1]) < 0.1 * pixels;
    if (is_steep || is_thin || std::fabs(in_ellipse - 1) < 0.01 || std::fabs(in_dot - 1) < 0.01 ||
        (in_ellipse <= 1 && std::fabs(depth) < 1e-2)) {
      pixel.is_certain = false;
    }
    if (in_ellipse <= 1 && depth > 0) {
      hits.push_back({depth, in_ellipse, slack, splat.color});
    } else if (in_dot <= 1) {
      hits.push_back({splat.center[2], in_dot, slack, splat.color});
    }
  }
  for (auto const& one : hits) pixel.depth = std::min(pixel.depth, one.depth);
  double weights = 0;
  for (auto const& one : hits) {
    double const behind = one.depth - pixel.depth - one.slack;
    if (std::fabs(behind) < 1e-4 * (1 + one.depth)) pixel.is_certain = false;
    if (behind > 0) continue;
    double const weight = 1 + std::floor(4095 * (1 - one.share) * (1 - one.share));
    weights += weight;
    for (std::size_t c = 0; c < 3; ++c) pixel.color[c] += weight * one.color[c];
  }
  for (std::size_t c = 0; c < 3; ++c) {
    pixel.color[c] = weights > 0 ? pixel.color[c] / weights : double{problem.params.background[static_cast<int>(c)]};
  }
  return pixel;
}

}  // namespace farpoint_tests

// A closed surface whose silhouette is known: the tube around a trefoil knot.
#pragma once

#include <farpoint/geometry/camera.hpp>

#include <cstdint>
#include <vector>

#include "vector3.hpp"
#include "view.hpp"

namespace farpoint_tools {

/// Lies flat around the origin, 2.9 m across, and hides parts of itself from every side.
class torus_knot {
 public:
  static constexpr double tube_radius = 0.24;  ///< meters

  torus_knot();

  /// Random points, uniform over the surface, `noise` meters (standard deviation) above or below it.
  /// Equal seeds give equal points.
  std::vector<point3> sample(std::size_t count, double noise, std::uint64_t seed) const;

  /// Normal (unit, outward) of the surface nearest to a point, which is within the tube or near it.
  vec3 normal_at(point3 const& near) const;

  /// `[height, width]`: the depth (m) at which the line of sight through a pixel's center meets a tube of `radius`
  /// meters around the same curve, +inf where it does not.
  std::vector<float> depths(farpoint::pinhole_camera<float> const& camera, double radius) const;

 private:
  std::vector<vec3> curve_;  ///< close enough together that spheres around them form a smooth tube
};

}  // namespace farpoint_tools

// The surface at the visible points, from planes through their neighbours.
#pragma once

#include "view_search.hpp"

namespace farpoint_demo {

/// The surface at some points.
struct surface {
  std::vector<point3> normals;  ///< of length 1, towards the eye
  std::vector<float> radii;     ///< of discs (m): closed where the points lie close together
};

/// The normal is that of the plane nearest to the neighbours. Where they span no plane (fewer than three, or all on one
/// line) it is the line of sight. The radius follows from the last neighbour's distance.
surface fit_surface(std::vector<point3> const& cloud, std::vector<std::int32_t> const& points,
                    neighbour_rows const& neighbours, vec3 const& eye, int threads);

/// Turns normals at more than 75 degrees to the line of sight to the side of most of their neighbours'.
///
/// Beyond the rim of a round surface, points of its back are visible between those of its front. There the
/// side towards the eye is wrong; afterwards these normals point away from it.
void turn_with_neighbours(std::vector<point3>& normals, std::vector<point3> const& cloud, view_search const& seen,
                          vec3 const& eye, int threads);

/// Angles between two lists of normals (degrees), 0 to 90: the side does not count.
std::vector<float> angles_between(std::vector<point3> const& a, std::vector<point3> const& b);

/// Mean and standard deviation.
struct spread {
  double mean = 0;
  double deviation = 0;
};
spread spread_of(std::vector<float> const& values);

}  // namespace farpoint_demo

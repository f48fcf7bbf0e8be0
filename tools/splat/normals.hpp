// Angles between normals.
#pragma once

#include <vector>

#include "vector3.hpp"
#include "view.hpp"

namespace farpoint_tools {

/// Angles between two lists of normals (degrees), 0 to 90: the side does not count.
std::vector<float> angles_between(std::vector<point3> const& a, std::vector<point3> const& b);

/// Mean and standard deviation.
struct spread {
  double mean = 0;
  double deviation = 0;
};
spread spread_of(std::vector<float> const& values);

}  // namespace farpoint_tools

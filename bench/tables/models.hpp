// The clouds that screen-space searches are shown on.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tables.hpp"
#include "vector3.hpp"

namespace farpoint_tools {

struct model {
  std::string name;
  std::vector<point3> points;
  std::function<vec3(point3 const&)> surface_normal;  ///< normal of the surface nearest to a point; empty: unknown
};

/// Three simulated models (a closed surface with folds, one without, a cloud without a surface), and options.clouds.
std::vector<model> models(tables_options const& options);

}  // namespace farpoint_tools

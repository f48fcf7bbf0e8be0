// The points of a cloud as elliptical splats, which a page draws as a surface.
#pragma once

#include <farpoint/runtime.hpp>

#include <array>
#include <vector>

#include "cloud.hpp"

namespace farpoint_tools {

/// A splat for each point of a cloud.
struct splat_rows {
  std::vector<std::array<float, 3>> normals;   ///< unit vectors; (0, 0, 0) where neighbors span no plane
  std::vector<std::array<float, 3>> tangents;  ///< direction of the longer half axis; (0, 0, 0) without a normal
  std::vector<float> along, across;            ///< half axes (m), cut to a 64th of the cloud's reach
  bool normals_are_columns = false;            ///< the cloud has these normals as nx, ny, nz
};

/// Splats by normals_from_neighbors(), from the `k` nearest points of each point, itself included.
/// @throws compute_error
splat_rows make_splats(cloud const& of, std::int64_t k, double max_radius, farpoint::runtime::options const& where);

/// Angles (degrees, 0 to 90) between the splats' normals and the cloud's columns nx, ny, nz; NaN where one of the two
/// is zero. Empty if the cloud has no such columns.
std::vector<float> angles_to_columns(splat_rows const& splats, cloud const& of);

}  // namespace farpoint_tools

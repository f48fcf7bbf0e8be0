// The demo's pictures: a cloud and its samples, from above and in perspective; a cloud and its voxels.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "image.hpp"
#include "view.hpp"
#include "voxels.hpp"

namespace farpoint_tools {

/// Draws 1800 x 900 pixels: the points colored by height, with the samples as bright dots on top.
/// @param samples  indices into `points`
/// @param caption  one line below the panels
image render(std::vector<point3> const& points, std::vector<std::int64_t> const& samples, std::string const& caption);

/// Draws 1800 x 900 pixels: the points on the left and the voxels as shaded cubes on the right, colored by height.
/// @param caption  one line below the panels
image render_voxels(std::vector<point3> const& points, voxel_cloud const& voxels, std::string const& caption);

}  // namespace farpoint_tools

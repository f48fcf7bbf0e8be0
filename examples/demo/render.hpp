// The demo's picture: a cloud and its samples, from above and in perspective.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "image.hpp"
#include "view.hpp"

namespace farpoint_demo {

/// Draws 1800 x 900 pixels: the points coloured by height, the samples as bright dots on top of them.
/// @param samples  indices into `points`
/// @param caption  one line below the panels
image render(std::vector<point3> const& points, std::vector<std::int64_t> const& samples, std::string const& caption);

}  // namespace farpoint_demo

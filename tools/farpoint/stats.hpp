// Figures of a cloud, for `farpoint info`.
#pragma once

#include "figures.hpp"
#include "options.hpp"
#include "session.hpp"

namespace farpoint_tools {

/// Format, numbers of points, and the ranges of coordinates and columns; with common_options::stats also add_stats().
outcome describe_cloud(cloud const& input, common_options const& options);

/// Adds the extent, the distance to the nearest other point, the density on the ground, and histograms.
void add_stats(cloud const& input, common_options const& options, outcome& to);

}  // namespace farpoint_tools

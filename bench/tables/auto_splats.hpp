// Auto Splats (Preiner, Jeschke and Wimmer 2012): neighbors in screen space by bisection of a radius, on the host.
#pragma once

#include "view_search.hpp"

namespace farpoint_tools {

/// Each visible point's radius begins at two pixels times sqrt(k / 8), and is scaled eight times, by bisection once
/// both bounds are known, until its ball holds k to 2 k points.
/// @param visible  indices of the front-most points of the pixels, ascending
/// @return rows of 2 k: the ball, to which a plane is fitted, the nearest first; -1 where it has fewer
neighbor_rows search_auto_splats(std::vector<point3> const& cloud, std::vector<std::int32_t> const& visible,
                                 camera const& looking, int k, int threads);

}  // namespace farpoint_tools

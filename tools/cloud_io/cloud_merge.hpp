// Several clouds as one.
#pragma once

#include <vector>

#include "cloud.hpp"

namespace farpoint_tools {

/// True unless both are of LAS files, whose projections differ.
bool have_one_projection(cloud const& a, cloud const& b);

/// The points of one cloud after the other, with all columns. A column that a cloud lacks has NaN for its points, or 0
/// if its type is an integer. A column of several types gets one that has the values of all, float64 at last.
/// Coordinates are doubles if any cloud has double coordinates.
/// @param parts  one or more
cloud merge(std::vector<cloud> parts);

}  // namespace farpoint_tools

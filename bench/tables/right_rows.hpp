// Quality of rows of neighbors: the share of correct rows.
#pragma once

#include <cstddef>
#include <vector>

#include "view_search.hpp"

namespace farpoint_tools {

/// How many of the first k neighbors of a row are among the k of the exact search.
int right_in_row(neighbor_rows const& rows, neighbor_rows const& exact, std::size_t row);

/// Rows with 0 to k right neighbors: `[k + 1]`.
std::vector<std::size_t> histogram_of_right(neighbor_rows const& rows, neighbor_rows const& exact);

/// The share of rows all of whose neighbors are right; 1 of no rows.
double share_of_right(neighbor_rows const& rows, neighbor_rows const& exact);

}  // namespace farpoint_tools

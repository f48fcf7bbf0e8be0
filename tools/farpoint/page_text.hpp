// Names and numbers as a page shows them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "figures.hpp"
#include "visualize.hpp"

namespace farpoint_tools {

/// Names of columns for pages only; files do not get them.
constexpr char const* error_of_normal = "error_of_normal";
constexpr char const* angle_to_the_input = "angle_to_the_input";

/// "mean_distance": "Mean distance".
std::string title_of(std::string_view name);

/// Unit of a column that commands make: "m", "degrees"; empty for others.
char const* unit_of(std::string_view column);

/// "-1234567.25": "-1,234,567.25".
std::string with_separators(std::string_view number);

/// Figures with the unit behind the value: "time (ms)" of 1234.5 becomes "Time" of "1,234 ms".
std::vector<farpoint_viewer::figure> page_figures(figures const& summary);

}  // namespace farpoint_tools

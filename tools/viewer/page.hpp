/// @file
/// The files of page/, embedded by embed.cmake.
#pragma once

#include <array>
#include <string_view>

namespace farpoint_viewer {

extern std::string_view const page_template, page_style;
/// In the order in which they need each other.
extern std::array<std::string_view, 19> const page_scripts;

}  // namespace farpoint_viewer

// A command's input and result as a page that draws them.
#pragma once

#include <filesystem>
#include <string>

#include "session.hpp"

namespace farpoint_tools {

/// Writes the page: both clouds with their columns, and the figures beside them. Colours and normals are shown as such.
/// @throws file_error
void show(cloud const& input, outcome const& made, std::string const& title, std::filesystem::path const& page);

/// Opens it where there is a browser.
void open_page(std::filesystem::path const& page);

}  // namespace farpoint_tools

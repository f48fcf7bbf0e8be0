// Pictures of frames: as clay, and in the false colors of the normals' errors.
#pragma once

#include <string>

#include "frame.hpp"
#include "image.hpp"

namespace farpoint_tools {

/// Picture of splats without colors of their own, as clay. Half as wide and high as the frame.
image shade(frame const& picture);

/// Picture of splats in their own colors. Half as wide and high as the frame.
image show_colors(frame const& picture);

/// Colors of splats, `[errors, 3]`: dark blue where the normal has no error, green at 22.5 degrees, red above.
std::vector<float> colors_of_errors(std::vector<float> const& errors);

/// The picture with a line of text below it; with a scale of the false colors, if wanted.
image with_caption(image const& picture, std::string const& caption, bool with_scale);

/// Pictures of one size in rows of `columns`.
image sheet_of(std::vector<image> const& pictures, int columns);

}  // namespace farpoint_tools

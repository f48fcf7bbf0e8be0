// Pictures of frames: shaded as clay under a lamp, and in the false colours of the normals' errors.
#pragma once

#include <string>

#include "image.hpp"
#include "splats.hpp"

namespace farpoint_demo {

/// 0 to 1, of a surface under a lamp that is to the upper left of the camera and goes with it.
double brightness_of(point3 const& normal);

/// Half as wide and high as the frame.
image shade(frame const& picture);

/// The same in false colours: dark blue where the normal has no error, green at 22.5 degrees, red above.
image show_errors(frame const& picture);

/// The picture with a line of text below it; with a scale of the false colours, if wanted.
image with_caption(image const& picture, std::string const& caption, bool with_scale);

/// Pictures of one size in rows of `columns`.
image sheet_of(std::vector<image> const& pictures, int columns);

}  // namespace farpoint_demo

// Solid boxes on a panel of the picture.
#pragma once

#include <vector>

#include "image.hpp"
#include "view.hpp"

namespace farpoint_tools {

/// A box with edges along the axes.
struct cube {
  point3 low;   ///< its lowest corner (m)
  point3 size;  ///< its edges (m)
  rgb color;    ///< color of the top; the sides are darker
};

/// Draws the faces that face the viewer, the nearest on top, and outlines large ones.
void draw_cubes(image& canvas, panel const& where, view const& looking, std::vector<cube> const& cubes, rgb shadow);

}  // namespace farpoint_tools

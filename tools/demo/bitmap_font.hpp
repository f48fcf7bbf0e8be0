// Letters of 5 x 7 dots, so that a picture can carry text without a font library.
#pragma once

#include <string_view>

#include "image.hpp"

namespace farpoint_tools {

constexpr int glyph_height = 7;  ///< dots
constexpr int glyph_step = 6;    ///< dots from one letter to the next

/// Width in pixels, with dots of `dot` pixels.
int text_width(std::string_view text, int dot);

/// Draws one line with its top left corner at (x, y). Lower case shows as upper case, an unknown character as a box.
void draw_text(image& canvas, int x, int y, std::string_view text, int dot, rgb color);

}  // namespace farpoint_tools

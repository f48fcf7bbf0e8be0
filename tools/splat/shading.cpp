#include "shading.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "bitmap_font.hpp"

namespace farpoint_tools {

namespace {

constexpr rgb background{17, 21, 30};
constexpr rgb text_color{222, 227, 236};
constexpr double green_at = 22.5;  // degrees

rgb clay(double brightness) {
  constexpr rgb stops[] = {{34, 36, 52}, {104, 84, 84}, {186, 146, 116}, {236, 212, 178}, {255, 250, 240}};
  constexpr int last = static_cast<int>(std::size(stops)) - 1;
  double const at = std::clamp(brightness, 0.0, 1.0) * last;
  int const stop = std::min(static_cast<int>(at), last - 1);
  return mix(stops[stop], stops[stop + 1], at - stop);
}

rgb error_color(double degrees) {
  if (degrees > green_at) return {214, 40, 40};
  return mix({10, 22, 96}, {70, 214, 90}, degrees / green_at);
}

template <class Color>
image paint(frame const& picture, Color const& color_of) {
  image canvas{picture.looking.width, picture.looking.height, background};
  for (int y = 0; y < canvas.height(); ++y) {
    for (int x = 0; x < canvas.width(); ++x) {
      auto const pixel = picture.index(x, y);
      if (picture.depths[pixel] < frame::nothing) canvas.at(x, y) = color_of(pixel);
    }
  }
  return half_size(canvas);
}

void copy_into(image& canvas, image const& picture, int left, int top) {
  for (int y = 0; y < picture.height(); ++y) {
    for (int x = 0; x < picture.width(); ++x) canvas.at(left + x, top + y) = picture.at(x, y);
  }
}

}  // namespace

image shade(frame const& picture) {
  return paint(picture, [&](std::size_t pixel) { return clay(double{picture.brightness(pixel)}); });
}

image show_colors(frame const& picture) {
  return paint(picture, [&](std::size_t pixel) {
    auto const channel = [&](std::size_t c) {
      return static_cast<std::uint8_t>(std::lround(255 * picture.colors[3 * pixel + c]));
    };
    return rgb{channel(0), channel(1), channel(2)};
  });
}

std::vector<float> colors_of_errors(std::vector<float> const& errors) {
  std::vector<float> colors;
  colors.reserve(3 * errors.size());
  for (float const error : errors) {
    rgb const color = error_color(double{error});
    for (std::uint8_t const channel : {color.red, color.green, color.blue}) {
      colors.push_back(static_cast<float>(channel) / 255);
    }
  }
  return colors;
}

image with_caption(image const& picture, std::string const& caption, bool with_scale) {
  int const dot = picture.width() >= 900 ? 2 : 1;
  int const strip = (glyph_height + 12) * dot;
  image canvas{picture.width(), picture.height() + strip, background};
  copy_into(canvas, picture, 0, 0);
  int const y = picture.height() + 6 * dot;
  draw_text(canvas, 6 * dot, y, caption, dot, text_color);
  if (!with_scale) return canvas;

  int const bar = 60 * dot;
  std::string const low = "0";
  std::string const high = "22.5 deg";
  int x = canvas.width() - 6 * dot - text_width(high, dot);
  draw_text(canvas, x, y, high, dot, text_color);
  x -= bar + 4 * dot;
  // The last eighth is what lies above.
  for (int column = 0; column < bar; ++column) {
    canvas.fill(x + column, y, 1, glyph_height * dot, error_color(green_at * column / (0.875 * bar)));
  }
  draw_text(canvas, x - 4 * dot - text_width(low, dot), y, low, dot, text_color);
  return canvas;
}

image sheet_of(std::vector<image> const& pictures, int columns) {
  if (pictures.empty()) return image{0, 0};
  int const rows = (static_cast<int>(pictures.size()) + columns - 1) / columns;
  int const width = pictures[0].width();
  int const height = pictures[0].height();
  image canvas{columns * width, rows * height, background};
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    int const at = static_cast<int>(i);
    copy_into(canvas, pictures[i], at % columns * width, at / columns * height);
  }
  return canvas;
}

}  // namespace farpoint_tools

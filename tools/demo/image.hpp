// A picture in memory, and in a PNG file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

namespace farpoint_tools {

struct rgb {
  std::uint8_t red, green, blue;
};

/// `a` at share 0, `b` at share 1.
rgb mix(rgb a, rgb b, double share);

/// Pixels in rows from the top.
class image {
 public:
  image(int width, int height, rgb fill = {0, 0, 0});

  int width() const { return width_; }
  int height() const { return height_; }
  rgb const* data() const { return pixels_.data(); }
  rgb& at(int x, int y) { return pixels_[index(x, y)]; }
  rgb const& at(int x, int y) const { return pixels_[index(x, y)]; }

  /// Fills a rectangle, clipped to the image.
  void fill(int x, int y, int width, int height, rgb color);

 private:
  std::size_t index(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(x);
  }

  int width_, height_;
  std::vector<rgb> pixels_;
};

/// Halves an image: each pixel is the mean of 2 x 2, which smooths hard edges.
image half_size(image const& large);

/// Writes a picture as PNG; an older file is replaced when the new one is complete.
/// @throws file_error  that names the file
void write_png(image const& picture, std::filesystem::path const& file);

}  // namespace farpoint_tools

#include "image.hpp"

#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "cloud_writer.hpp"

namespace farpoint_tools {

rgb mix(rgb a, rgb b, double share) {
  auto const blend = [share](int from, int to) {
    return static_cast<std::uint8_t>(std::lround(from + (to - from) * share));
  };
  return {blend(a.red, b.red), blend(a.green, b.green), blend(a.blue, b.blue)};
}

image::image(int width, int height, rgb fill)
    : width_{width},
      height_{height},
      pixels_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), fill) {}

void image::fill(int x, int y, int width, int height, rgb color) {
  int const right = std::min(x + width, width_);
  int const bottom = std::min(y + height, height_);
  for (int row = std::max(y, 0); row < bottom; ++row) {
    for (int column = std::max(x, 0); column < right; ++column) at(column, row) = color;
  }
}

image half_size(image const& large) {
  image small{large.width() / 2, large.height() / 2};
  for (int y = 0; y < small.height(); ++y) {
    for (int x = 0; x < small.width(); ++x) {
      auto const mean = [&](std::uint8_t rgb::*channel) {
        int const sum = large.at(2 * x, 2 * y).*channel + large.at(2 * x + 1, 2 * y).*channel +
                        large.at(2 * x, 2 * y + 1).*channel + large.at(2 * x + 1, 2 * y + 1).*channel;
        return static_cast<std::uint8_t>((sum + 2) / 4);
      };
      small.at(x, y) = {mean(&rgb::red), mean(&rgb::green), mean(&rgb::blue)};
    }
  }
  return small;
}

void write_png(image const& picture, std::filesystem::path const& file) {
  static_assert(sizeof(rgb) == 3, "libpng gets the pixels as they are");
  png_image header{};
  header.version = PNG_IMAGE_VERSION;
  header.width = static_cast<png_uint_32>(picture.width());
  header.height = static_cast<png_uint_32>(picture.height());
  header.format = PNG_FORMAT_RGB;
  png_alloc_size_t size = 0;
  std::string bytes;
  // The first call returns the size.
  bool made = png_image_write_to_memory(&header, nullptr, &size, 0, picture.data(), 0, nullptr) != 0;
  bytes.resize(size);
  made = made && png_image_write_to_memory(&header, bytes.data(), &size, 0, picture.data(), 0, nullptr) != 0;
  if (!made) throw std::runtime_error{fmt::format("{}: libpng: {}", file.string(), header.message)};
  bytes.resize(size);
  write_bytes(bytes, file);
}

}  // namespace farpoint_tools

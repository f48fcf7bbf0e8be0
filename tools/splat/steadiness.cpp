#include "steadiness.hpp"

#include <cmath>

namespace farpoint_tools {

namespace {

// Position (m) in the cloud of the surface that a pixel shows.
farpoint::vec<float> place_of(frame const& picture, int x, int y) {
  camera const& looking = picture.looking;
  double const depth = picture.depths[picture.index(x, y)];
  vec3 const view{depth * (x + 0.5 - looking.center[0]) / looking.focal[0],
                  depth * (y + 0.5 - looking.center[1]) / looking.focal[1], depth};
  farpoint::vec<float> place{};
  for (int axis = 0; axis < 3; ++axis) {
    double sum = 0;
    for (int row = 0; row < 3; ++row) {
      sum += looking.rotation[row][axis] * (view[static_cast<std::size_t>(row)] - looking.translation[row]);
    }
    place[axis] = static_cast<float>(sum);
  }
  return place;
}

}  // namespace

pixel_share holes_in(frame const& picture, std::vector<float> const& depths, double slack) {
  pixel_share holes;
  for (std::size_t pixel = 0; pixel < depths.size(); ++pixel) {
    if (!(depths[pixel] < frame::nothing)) continue;
    ++holes.of;
    if (picture.depths[pixel] > depths[pixel] + slack) ++holes.found;
  }
  return holes;
}

pixel_share flicker_between(frame const& first, frame const& second, double slack) {
  constexpr float visible_change = 1.0F / 16;
  pixel_share changed;
  for (int y = 0; y < first.looking.height; ++y) {
    for (int x = 0; x < first.looking.width; ++x) {
      auto const here = first.index(x, y);
      if (!(first.depths[here] < frame::nothing)) continue;
      farpoint::camera_pixel<float> pixel;
      if (!second.looking.project(place_of(first, x, y), pixel)) continue;
      auto const there = second.index(pixel.x, pixel.y);
      if (!(std::fabs(second.depths[there] - pixel.depth) <= slack)) continue;
      ++changed.of;
      float const change = second.brightness(there) - first.brightness(here);
      if (std::fabs(change) > visible_change) ++changed.found;
    }
  }
  return changed;
}

}  // namespace farpoint_tools

/// @file
/// Draws one point of a cloud into a z-buffer: what knn() in screen space and project() do on every backend.
#pragma once

#include <farpoint/core/math.hpp>
#include <farpoint/detail/screen/visible_points.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Points that a camera does not see.
struct undrawn_points {
  std::uint32_t non_finite = 0;
  std::uint32_t unseen = 0;
};

/// Offers a point to a layer of the pixel that the camera sees it in.
/// @return the pixel; -1 where the camera does not see the point, which is counted
template <class Points, class Camera>
FARPOINT_HD FARPOINT_ALWAYS_INLINE std::int32_t draw_point(Points const& cloud, index_t i, Camera const& camera,
                                                           screen_layers const& zbuffers, int layer,
                                                           undrawn_points& undrawn) noexcept {
  auto const p = cloud[i];
  camera_pixel<typename Camera::scalar> pixel;
  if (!is_finite(p)) {
    ++undrawn.non_finite;
    return -1;
  }
  if (!camera.project(p, pixel, i)) {
    ++undrawn.unseen;
    return -1;
  }
  auto const at = static_cast<std::int32_t>(zbuffers[0].pixel_at(pixel.x, pixel.y));
  zbuffers.offer(layer, at, static_cast<float>(pixel.depth), static_cast<std::uint32_t>(i));
  return at;
}

}  // namespace detail
FARPOINT_END_NAMESPACE

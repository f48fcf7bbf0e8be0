/// @file
/// The splats of a call of draw_splats(), one at a time: what they are in the frame of the camera, and their colors.
#pragma once

#include <farpoint/core/batch.hpp>
#include <farpoint/detail/splat/splat_picture.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Arguments of a call.
template <class Points>
struct splat_scene {
  using scalar = typename Points::scalar;

  batch<Points> points;  ///< one cloud
  splat_view<scalar> splats;
  pinhole_camera<scalar> camera;
  splat_picture picture;
  vec<float> to_light;  ///< of length 1
  vec<float> halfway;

  /// Splats that there are.
  FARPOINT_HD index_t count() const noexcept {
    return splats.count.empty() ? splats.size() : smaller(splats.size(), larger(splats.count[0], index_t{0}));
  }

  /// The point that a splat is around, in the cloud; -1: none.
  FARPOINT_HD index_t point_of(index_t splat) const noexcept {
    index_t const own = splats.points.empty() ? splat : splats.points[splat];
    bool const is_there = own >= 0 && count_bad_offsets(points) == 0 && own < points[0].size();
    return is_there ? own : -1;
  }

  /// The splat in the frame of the camera, hidden or not; none where it is not to be drawn.
  /// @param splat  below count()
  FARPOINT_HD splat_shape shape_of(index_t splat) const noexcept {
    index_t const own = point_of(splat);
    if (own < 0) return splat_shape::none();
    auto const p = points[0][own];
    if (!is_finite(p)) return splat_shape::none();
    auto const view = camera.to_view(p);
    vec<float> const c{{static_cast<float>(view[0]), static_cast<float>(view[1]), static_cast<float>(view[2])}};
    if (!is_finite(c) || !depth_is_seen(view[2], camera.near_depth, camera.far_depth) || !(c[2] > 0)) {
      return splat_shape::none();
    }
    vec<float> const normal = turned(splats.normals, splat);
    if (!picture.params.back_faces && dot3(normal, c) > 0) return splat_shape::none();
    vec<float, 2> const extents{{extent(splat, 0), extent(splat, 1)}};
    return splat_shape::of(c, normal, turned(splats.tangents, splat), extents, picture.lens,
                           picture.params.least_radius);
  }

  /// The color of a splat under the light, in steps of 1 / whole_color.
  FARPOINT_HD void shade(splat_shape const& shape, index_t splat, std::uint32_t (&color)[3]) const noexcept {
    splat_light const& light = picture.params.light;
    float const facing = fma_rn(sub_rn(1.0f, light.wrap), dot3(shape.normal, to_light), light.wrap);
    float const matt = fma_rn(light.diffuse, larger(0.0f, facing), light.ambient);
    float gloss = larger(0.0f, dot3(shape.normal, halfway));
    for (int i = 0; i < 4; ++i) gloss = mul_rn(gloss, gloss);
    index_t const row = splats.colors_of_points ? point_of(splat) : splat;
    for (int c = 0; c < 3; ++c) {
      float const own = splats.colors.empty() ? 1.0f : to_share(splats.colors[static_cast<std::size_t>(3 * row + c)]);
      float const lit = fma_rn(light.gloss, gloss, mul_rn(own, matt));
      color[c] = nearest_integer(mul_rn(to_share(lit), whole_color));
    }
  }

 private:
  /// A row of vectors in the frame of the camera; (0, 0, 0) if there are no rows.
  FARPOINT_HD vec<float> turned(span<scalar const> rows, index_t row) const noexcept {
    vec<float> seen{};
    if (rows.empty()) return seen;
    scalar const* const v = rows.data() + 3 * row;
    for (int axis = 0; axis < 3; ++axis) {
      auto const& r = camera.rotation[axis];
      seen[axis] = static_cast<float>(fma_rn(r[2], v[2], fma_rn(r[1], v[1], mul_rn(r[0], v[0]))));
    }
    return is_finite(seen) ? seen : vec<float>{};
  }
  FARPOINT_HD float extent(index_t splat, std::size_t i) const noexcept {
    scalar const own = splats.extents[2 * static_cast<std::size_t>(splat) + i];
    scalar const most = static_cast<scalar>(picture.params.most_extent);
    auto const cut = static_cast<float>(own > 0 ? smaller(own, most) : scalar(0));
    return smaller(cut, 1e30f);
  }
};

}  // namespace detail
FARPOINT_END_NAMESPACE

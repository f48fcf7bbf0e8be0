/// @file
/// A splat in the frame of a camera, and where lines of sight meet it. The same bits on host and device.
#pragma once

#include <farpoint/geometry/camera.hpp>
#include <farpoint/types/draw_splats.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

FARPOINT_HD FARPOINT_ALWAYS_INLINE float dot3(vec<float> const& a, vec<float> const& b) noexcept {
  return fma_rn(a[2], b[2], fma_rn(a[1], b[1], mul_rn(a[0], b[0])));
}
FARPOINT_HD FARPOINT_ALWAYS_INLINE vec<float> cross3(vec<float> const& a, vec<float> const& b) noexcept {
  return {{fma_rn(a[1], b[2], -mul_rn(a[2], b[1])), fma_rn(a[2], b[0], -mul_rn(a[0], b[2])),
           fma_rn(a[0], b[1], -mul_rn(a[1], b[0]))}};
}
/// Makes the length 1.
/// @return false for a vector without a direction, which stays as it is
FARPOINT_HD FARPOINT_ALWAYS_INLINE bool make_unit(vec<float>& a) noexcept {
  float const length = sqrt_rn(dot3(a, a));
  if (!(length > 1e-18f && length < infinity<float>)) return false;
  for (int axis = 0; axis < 3; ++axis) a[axis] = div_rn(a[axis], length);
  return true;
}
/// A unit vector across another one.
FARPOINT_HD FARPOINT_ALWAYS_INLINE vec<float> any_across(vec<float> const& n) noexcept {
  vec<float> across = n[0] < 0.7f && n[0] > -0.7f ? cross3(n, {{1, 0, 0}}) : cross3(n, {{0, 1, 0}});
  make_unit(across);
  return across;
}

/// What a camera is to a splat.
struct splat_lens {
  vec<float, 2> focal;
  vec<float, 2> inverse_focal;
  vec<float, 2> centre;
  std::int32_t size[2];
  float near_depth;
};

template <class Scalar>
splat_lens lens_of(pinhole_camera<Scalar> const& camera) noexcept {
  splat_lens lens{};
  for (int axis = 0; axis < 2; ++axis) {
    lens.focal[axis] = static_cast<float>(camera.focal[axis]);
    lens.inverse_focal[axis] = div_rn(1.0f, lens.focal[axis]);
    lens.centre[axis] = static_cast<float>(camera.centre[axis]);
  }
  lens.size[0] = camera.width;
  lens.size[1] = camera.height;
  lens.near_depth = larger(0.0f, static_cast<float>(camera.near_depth));
  return lens;
}

/// Where a line of sight meets a splat.
struct splat_hit {
  float depth;  ///< (m)
  float share;  ///< squared, of the way from the centre to the rim; 0 to 1
};

/// An ellipse in the frame of the camera (m): x right, y down, z ahead.
struct splat_shape {
  vec<float> centre;
  vec<float> normal;    ///< of length 1, towards the camera
  vec<float> axes[2];   ///< half axes, divided by their squared lengths
  float ahead;          ///< (normal, centre)
  float reach;          ///< the longer half axis
  vec<float, 2> place;  ///< of the centre (px)
  std::int32_t low[2];  ///< pixels [low, high) hold all that it covers; none where it is not to be drawn
  std::int32_t high[2];

  FARPOINT_HD std::uint32_t width() const noexcept { return static_cast<std::uint32_t>(high[0] - low[0]); }
  FARPOINT_HD std::uint32_t pixels() const noexcept { return width() * static_cast<std::uint32_t>(high[1] - low[1]); }
  FARPOINT_HD static splat_shape none() noexcept { return {}; }

  /// @param n, tangent     any vectors; n is turned to the camera
  /// @param extents        half axes, at least 0 (m)
  /// @param least_radius   (px)
  FARPOINT_HD static splat_shape of(vec<float> const& c, vec<float> n, vec<float> const& tangent, vec<float, 2> extents,
                                    splat_lens const& lens, float least_radius) noexcept {
    splat_shape shape{};
    shape.centre = c;
    if (!make_unit(n)) {
      n = {{-c[0], -c[1], -c[2]}};
      make_unit(n);
    }
    if (dot3(n, c) > 0) n = {{-n[0], -n[1], -n[2]}};
    shape.normal = n;
    shape.ahead = dot3(n, c);
    vec<float> across = cross3(n, tangent);
    if (!make_unit(across)) {
      across = any_across(n);
      extents[1] = extents[0];
    }
    vec<float> const units[2] = {cross3(across, n), across};
    float const pixel = div_rn(c[2], larger(absolute(lens.focal[0]), absolute(lens.focal[1])));
    vec<float> half_axes[2];
    shape.reach = larger(extents[0], extents[1]);
    for (int i = 0; i < 2; ++i) {
      // What is thinner than pixels is a dot or a line, and its shares are numbers.
      float const extent = larger(extents[i], mul_rn(0.01f, pixel));
      for (int axis = 0; axis < 3; ++axis) {
        half_axes[i][axis] = mul_rn(extent, units[i][axis]);
        shape.axes[i][axis] = div_rn(units[i][axis], extent);
      }
    }
    shape.reach = larger(shape.reach, pixel);
    for (int axis = 0; axis < 2; ++axis) shape.bound(axis, half_axes, lens, least_radius);
    return shape;
  }

  /// Whether, and where, the line of sight through a pixel's centre meets the splat.
  FARPOINT_HD FARPOINT_ALWAYS_INLINE bool meets(std::int32_t x, std::int32_t y, splat_lens const& lens,
                                                float least_radius, splat_hit& hit) const noexcept {
    vec<float, 2> const at{{add_rn(static_cast<float>(x), 0.5f), add_rn(static_cast<float>(y), 0.5f)}};
    vec<float> const sight{{mul_rn(sub_rn(at[0], lens.centre[0]), lens.inverse_focal[0]),
                            mul_rn(sub_rn(at[1], lens.centre[1]), lens.inverse_focal[1]), 1.0f}};
    // Infinite or NaN where it runs along the plane, and then no share is at most 1.
    float const depth = div_rn(ahead, dot3(normal, sight));
    vec<float> offset;
    for (int axis = 0; axis < 3; ++axis) offset[axis] = fma_rn(depth, sight[axis], -centre[axis]);
    float const along = dot3(axes[0], offset);
    float const across = dot3(axes[1], offset);
    hit = {depth, fma_rn(across, across, mul_rn(along, along))};
    if (hit.share <= 1 && depth > lens.near_depth && depth < infinity<float>) return true;
    float const dx = sub_rn(at[0], place[0]);
    float const dy = sub_rn(at[1], place[1]);
    float const radius2 = mul_rn(least_radius, least_radius);
    hit = {centre[2], div_rn(fma_rn(dy, dy, mul_rn(dx, dx)), radius2)};
    return hit.share <= 1;
  }

 private:
  FARPOINT_HD static float absolute(float value) noexcept { return value < 0 ? -value : value; }

  /// Pixels along an axis of the image: of the box around the ellipse, and of the dot.
  FARPOINT_HD void bound(int axis, vec<float> const (&half_axes)[2], splat_lens const& lens,
                         float least_radius) noexcept {
    auto const reach_along = [&half_axes](int i) {
      return sqrt_rn(fma_rn(half_axes[0][i], half_axes[0][i], mul_rn(half_axes[1][i], half_axes[1][i])));
    };
    float const depth_reach = reach_along(2);
    float const side_reach = reach_along(axis);
    place[axis] = fma_rn(lens.focal[axis], div_rn(centre[axis], centre[2]), lens.centre[axis]);
    float least = sub_rn(place[axis], least_radius);
    float most = add_rn(place[axis], least_radius);
    for (int corner = 0; corner < 4; ++corner) {
      float const side = corner % 2 == 0 ? sub_rn(centre[axis], side_reach) : add_rn(centre[axis], side_reach);
      float const depth = corner < 2 ? sub_rn(centre[2], depth_reach) : add_rn(centre[2], depth_reach);
      // It reaches to the plane of the camera, where it may cover everything.
      if (!(depth > 0)) least = -(most = infinity<float>);
      float const at = fma_rn(lens.focal[axis], div_rn(side, depth), lens.centre[axis]);
      if (depth > 0) least = smaller(least, at);
      if (depth > 0) most = larger(most, at);
    }
    // A pixel more on both sides for the rounding; what is not a number is the whole axis.
    auto const count = static_cast<float>(lens.size[axis]);
    low[axis] = least > 1.0f ? static_cast<std::int32_t>(smaller(least, count + 1) - 1.0f) : 0;
    high[axis] = most < count - 1 ? static_cast<std::int32_t>(larger(most, -1.0f) + 2.0f) : lens.size[axis];
    high[axis] = smaller(larger(high[axis], low[axis]), lens.size[axis]);
    low[axis] = smaller(low[axis], high[axis]);
  }
};

}  // namespace detail
FARPOINT_END_NAMESPACE

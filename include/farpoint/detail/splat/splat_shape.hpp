/// @file
/// Splat in the frame of a camera, and its intersections with lines of sight. Host and device yield the same bits.
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
/// 1 / a, rounded once.
FARPOINT_HD FARPOINT_ALWAYS_INLINE float reciprocal_rn(float a) noexcept {
  return FARPOINT_DEVICE_OR_HOST(with_subnormals(__frcp_rn(a)), 1.0f / a);
}
FARPOINT_HD FARPOINT_ALWAYS_INLINE float absolute(float value) noexcept {
  return value < 0 ? -value : value;
}
/// Scales a vector to length 1.
/// @return false for a vector without a direction, which is left unchanged
FARPOINT_HD FARPOINT_ALWAYS_INLINE bool make_unit(vec<float>& a) noexcept {
  float const length = sqrt_rn(dot3(a, a));
  if (!(length > 1e-18f && length < infinity<float>)) return false;
  for (int axis = 0; axis < 3; ++axis) a[axis] = div_rn(a[axis], length);
  return true;
}
/// Returns a unit vector perpendicular to `n`.
FARPOINT_HD FARPOINT_ALWAYS_INLINE vec<float> any_across(vec<float> const& n) noexcept {
  vec<float> across = n[0] < 0.7f && n[0] > -0.7f ? cross3(n, {{1, 0, 0}}) : cross3(n, {{0, 1, 0}});
  make_unit(across);
  return across;
}

/// Camera parameters that splats need.
struct splat_lens {
  vec<float, 2> focal;
  vec<float, 2> inverse_focal;
  vec<float, 2> center;
  std::int32_t size[2];
  float near_depth;
};

template <class Scalar>
splat_lens lens_of(pinhole_camera<Scalar> const& camera) noexcept {
  splat_lens lens{};
  for (int axis = 0; axis < 2; ++axis) {
    lens.focal[axis] = static_cast<float>(camera.focal[axis]);
    lens.inverse_focal[axis] = div_rn(1.0f, lens.focal[axis]);
    lens.center[axis] = static_cast<float>(camera.center[axis]);
  }
  lens.size[0] = camera.width;
  lens.size[1] = camera.height;
  lens.near_depth = larger(0.0f, static_cast<float>(camera.near_depth));
  return lens;
}

/// Intersection of a line of sight with a splat.
struct splat_hit {
  float depth;  ///< (m)
  float share;  ///< squared fraction of the way from the center to the rim; 0 to 1
};

/// Ellipse as a camera sees it.
///
/// Let (x, y) be an offset in the image from the ellipse's center (px). The line of sight there meets the ellipse's
/// plane at depth `center_depth` / n(x, y), at fractions u(x, y) / n and v(x, y) / n of the half axes. u and v are
/// linear in x and y, and n is 1 plus a linear function. So the line meets the ellipse if u^2 + v^2 <= n^2, which needs
/// no division.
struct splat_form {
  float u[2], v[2], n[2];  ///< coefficients of x and y
  float center_depth;      ///< (m)
  float reach;             ///< longer half axis (m)
  vec<float, 2> place;     ///< center in the image (px)

  /// True if a line of sight meets the splat: its ellipse, or otherwise the dot around its center.
  /// @param at   point of the line of sight in the image (px)
  /// @param hit  set to the intersection, if the result is true
  FARPOINT_HD FARPOINT_ALWAYS_INLINE bool meets(vec<float, 2> const& at, splat_lens const& lens, float least_radius,
                                                splat_hit& hit) const noexcept {
    float const dx = sub_rn(at[0], place[0]);
    float const dy = sub_rn(at[1], place[1]);
    float const along = fma_rn(u[0], dx, mul_rn(u[1], dy));
    float const across = fma_rn(v[0], dx, mul_rn(v[1], dy));
    float const nearness = fma_rn(n[0], dx, fma_rn(n[1], dy, 1.0f));
    float const part = fma_rn(across, across, mul_rn(along, along));
    float const whole = mul_rn(nearness, nearness);
    float const gap2 = fma_rn(dy, dy, mul_rn(dx, dx));
    float const radius2 = mul_rn(least_radius, least_radius);
    bool const meets_ellipse = (part <= whole) & (whole > 0);
    // If gap2 > radius2, their rounded quotient exceeds 1. The comparison saves most pixels the division.
    bool const may_meet_dot = gap2 <= radius2;
    if (!(meets_ellipse | may_meet_dot)) return false;
    if (meets_ellipse) {
      // The inverse is negative behind the camera and infinite if the line of sight is parallel to the plane.
      float const inverse = reciprocal_rn(nearness);
      hit = {mul_rn(center_depth, inverse), smaller(1.0f, mul_rn(part, mul_rn(inverse, inverse)))};
      if ((hit.depth > lens.near_depth) & (hit.depth < infinity<float>)) return true;
    }
    if (!may_meet_dot) return false;
    hit = {center_depth, div_rn(gap2, radius2)};
    return hit.share <= 1;
  }
};

/// Returns the center of a pixel (px).
FARPOINT_HD FARPOINT_ALWAYS_INLINE vec<float, 2> center_of_pixel(std::int32_t x, std::int32_t y) noexcept {
  return {{add_rn(static_cast<float>(x), 0.5f), add_rn(static_cast<float>(y), 0.5f)}};
}

/// Box of pixels [low, high) of an image.
struct splat_box {
  std::int32_t low[2];
  std::int32_t high[2];

  FARPOINT_HD bool is_empty() const noexcept { return low[0] >= high[0] || low[1] >= high[1]; }
};

/// Splat in an image.
struct splat_shape {
  splat_form form;
  vec<float> normal;  ///< unit vector towards the camera, in its frame: x right, y down, z ahead
  splat_box box;      ///< contains all pixels that the splat covers; empty if it is not drawn

  FARPOINT_HD static splat_shape none() noexcept { return {}; }

  /// @param c             center in the frame of the camera (m)
  /// @param n, tangent    any vectors; n is turned to the camera
  /// @param extents       half axes, at least 0 (m)
  /// @param least_radius  radius of the dot (px)
  FARPOINT_HD static splat_shape of(vec<float> const& c, vec<float> n, vec<float> const& tangent, vec<float, 2> extents,
                                    splat_lens const& lens, float least_radius) noexcept {
    splat_shape shape{};
    if (!make_unit(n)) {
      n = {{-c[0], -c[1], -c[2]}};
      make_unit(n);
    }
    if (dot3(n, c) > 0) n = {{-n[0], -n[1], -n[2]}};
    shape.normal = n;
    vec<float> across = cross3(n, tangent);
    if (!make_unit(across)) {
      across = any_across(n);
      extents[1] = extents[0];
    }
    vec<float> const units[2] = {cross3(across, n), across};
    float const pixel = div_rn(c[2], larger(absolute(lens.focal[0]), absolute(lens.focal[1])));
    // Half axes are at least 0.01 px, so thin splats become dots or lines and their shares are finite.
    for (int i = 0; i < 2; ++i) extents[i] = larger(extents[i], mul_rn(0.01f, pixel));
    shape.form.center_depth = c[2];
    shape.form.reach = larger(larger(extents[0], extents[1]), pixel);
    shape.project(c, units, extents, lens);
    for (int axis = 0; axis < 2; ++axis) shape.bound(axis, c, units, extents, lens, least_radius);
    return shape;
  }

 private:
  /// Computes the coefficients of u, v and n.
  ///
  /// Let s be the line of sight of a pixel, s_c the line of sight of the center c, and d the depth. Then
  ///
  ///   d = (normal, c) / (normal, s),  n = (normal, s) / (normal, s_c),  u / n = (axis, d s - c) / extent.
  FARPOINT_HD void project(vec<float> const& c, vec<float> const (&units)[2], vec<float, 2> const& extents,
                           splat_lens const& lens) noexcept {
    float const ahead = dot3(normal, c);
    for (int axis = 0; axis < 2; ++axis) {
      float const step = mul_rn(c[2], lens.inverse_focal[axis]);
      float const slope = div_rn(normal[axis], ahead);
      form.n[axis] = mul_rn(slope, step);
      for (int i = 0; i < 2; ++i) {
        float const moved = fma_rn(-dot3(units[i], c), slope, units[i][axis]);
        (i == 0 ? form.u : form.v)[axis] = mul_rn(div_rn(moved, extents[i]), step);
      }
      form.place[axis] = fma_rn(lens.focal[axis], div_rn(c[axis], c[2]), lens.center[axis]);
    }
  }

  /// Bounds the pixels along an axis of the image: the union of the box around the ellipse and the dot.
  FARPOINT_HD void bound(int axis, vec<float> const& c, vec<float> const (&units)[2], vec<float, 2> const& extents,
                         splat_lens const& lens, float least_radius) noexcept {
    auto const reach_along = [&](int i) {
      float const one = mul_rn(extents[0], units[0][i]);
      float const other = mul_rn(extents[1], units[1][i]);
      return sqrt_rn(fma_rn(one, one, mul_rn(other, other)));
    };
    float const depth_reach = reach_along(2);
    float const side_reach = reach_along(axis);
    float least = sub_rn(form.place[axis], least_radius);
    float most = add_rn(form.place[axis], least_radius);
    for (int corner = 0; corner < 4; ++corner) {
      float const side = corner % 2 == 0 ? sub_rn(c[axis], side_reach) : add_rn(c[axis], side_reach);
      float const depth = corner < 2 ? sub_rn(c[2], depth_reach) : add_rn(c[2], depth_reach);
      // The box reaches the plane of the camera, so the splat may cover the whole axis.
      if (!(depth > 0)) least = -(most = infinity<float>);
      float const at = fma_rn(lens.focal[axis], div_rn(side, depth), lens.center[axis]);
      if (depth > 0) least = smaller(least, at);
      if (depth > 0) most = larger(most, at);
    }
    // Pixels whose centers lie between the bounds, with a margin of a quarter pixel on both sides for rounding. NaN
    // bounds yield the whole axis.
    auto const count = static_cast<float>(lens.size[axis]);
    std::int32_t const low = least > 0 ? static_cast<std::int32_t>(smaller(least, count) + 0.25f) : 0;
    std::int32_t const high = most < count ? static_cast<std::int32_t>(larger(most, -0.75f) + 0.75f) : lens.size[axis];
    box.high[axis] = smaller(larger(high, low), lens.size[axis]);
    box.low[axis] = smaller(low, box.high[axis]);
  }
};

}  // namespace detail
FARPOINT_END_NAMESPACE

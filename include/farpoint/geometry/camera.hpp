/// @file
/// Cameras: they map a point to the pixel that sees it and to its depth. Results have the same bits on host and device.
///
/// A camera is a small, trivially copyable class that kernels take by value, with
/// - `scalar`, the type of the coordinates: float or double;
/// - `width` and `height` of its image (px);
/// - `bool project(vec<scalar> const& point, camera_pixel<scalar>& pixel, index_t index) const noexcept`, host and
///   device: returns true and sets `pixel`, which is inside the image, if the point is visible; otherwise leaves
///   `pixel` unchanged. `index` is the point's index in the cloud; cameras that ignore it may default it;
/// - optionally `scalar pixel_span(scalar depth) const noexcept`, host and device: the length (m) that a pixel covers
///   at a depth (m), across the line of sight.
///
/// For every camera in this header, a point is visible only if it is finite and near_depth < depth <= far_depth; a
/// depth that is not positive or that overflows is never visible. Each operation is rounded once, in the given order.
/// O(1), thread-safe.
#pragma once

#include <farpoint/geometry/angle.hpp>

#include <utility>

FARPOINT_BEGIN_NAMESPACE

/// Pixel and depth at which a camera sees a point. Pixel (0, 0) is the upper left; pixel (x, y) covers [x, x + 1) x [y,
/// y + 1).
template <class Scalar>
struct camera_pixel {
  std::int32_t x = 0;
  std::int32_t y = 0;
  Scalar depth = 0;  ///< positive and finite (m)
};

/// Value of far_depth for a camera that sees points at any finite depth.
template <class Scalar>
inline constexpr Scalar unlimited_depth = std::numeric_limits<Scalar>::infinity();

namespace detail {

/// True for a camera that has pixel_span().
template <class Camera, class = void>
inline constexpr bool knows_pixel_span = false;
template <class Camera>
inline constexpr bool knows_pixel_span<
    Camera, std::void_t<decltype(std::declval<Camera const&>().pixel_span(typename Camera::scalar{}))>> = true;

/// True if nearest < depth <= farthest and depth is positive and finite. False for NaN, and for infinity even if
/// `farthest` is infinite.
template <class Scalar>
FARPOINT_HD FARPOINT_ALWAYS_INLINE bool depth_is_seen(Scalar depth, Scalar nearest, Scalar farthest) noexcept {
  return depth > 0 && depth > nearest && depth <= farthest && depth < unlimited_depth<Scalar>;
}

/// Computes `cell` = floor(`place`) and returns true if it is in [0, count); returns false for NaN.
template <class Scalar>
FARPOINT_HD FARPOINT_ALWAYS_INLINE bool cell_below(Scalar place, std::int32_t count, std::int32_t& cell) noexcept {
  // A cast is the floor, as the value is not negative (-0 gives 0). Integers are compared, as a large count is not
  // exact as a float.
  if (!(place >= Scalar(0) && place < Scalar(2147483648.0))) return false;
  cell = static_cast<std::int32_t>(place);
  return cell < count;
}

}  // namespace detail

/// Pinhole camera: projects along straight lines through one point. In its own frame x points right, y down, and z
/// ahead.
///
/// With c = rotation * point + translation, the depth is c[2] (m) and the pixel floor(focal * (c / depth) + center).
/// Each element of c is one chain of fused steps: fma(r[0], x, fma(r[1], y, fma(r[2], z, t))). The image's upper bounds
/// are exclusive, after rounding too.
template <class Scalar = float>
struct pinhole_camera {
  static_assert(std::is_floating_point_v<Scalar>, "farpoint: a camera's scalar is float or double");
  using scalar = Scalar;

  vec<Scalar, 2> focal{};   ///< focal lengths (px)
  vec<Scalar, 2> center{};  ///< principal point (px); add 0.5 if its convention has pixel centers at integers
  vec<Scalar> rotation[3] = {{{1, 0, 0}}, {{0, 1, 0}}, {{0, 0, 1}}};  ///< world to camera, by rows
  vec<Scalar> translation{};                                          ///< world to camera (m)
  std::int32_t width = 0;                                             ///< columns (px)
  std::int32_t height = 0;                                            ///< rows (px)
  Scalar near_depth = 0;                                              ///< not visible at this depth or nearer (m)
  Scalar far_depth = unlimited_depth<Scalar>;                         ///< points beyond this depth are not visible (m)

  /// The point in the camera's frame (m).
  FARPOINT_HD vec<Scalar> to_view(vec<Scalar> const& point) const noexcept {
    vec<Scalar> view{};
    FARPOINT_UNROLL
    for (int axis = 0; axis < 3; ++axis) {
      vec<Scalar> const& row = rotation[axis];
      view[axis] = fma_rn(row[0], point[0], fma_rn(row[1], point[1], fma_rn(row[2], point[2], translation[axis])));
    }
    return view;
  }

  /// See the concept above. Uses the longer focal length.
  FARPOINT_HD Scalar pixel_span(Scalar depth) const noexcept {
    Scalar const across = focal[0] < 0 ? -focal[0] : focal[0];
    Scalar const down = focal[1] < 0 ? -focal[1] : focal[1];
    return div_rn(depth, max_number(across, down));
  }

  /// See the concept above.
  FARPOINT_HD bool project(vec<Scalar> const& point, camera_pixel<Scalar>& pixel, index_t = 0) const noexcept {
    if (!is_finite(point)) return false;
    vec<Scalar> const view = to_view(point);
    if (!detail::depth_is_seen(view[2], near_depth, far_depth)) return false;
    camera_pixel<Scalar> seen{0, 0, view[2]};
    if (!detail::cell_below(fma_rn(focal[0], div_rn(view[0], view[2]), center[0]), width, seen.x)) return false;
    if (!detail::cell_below(fma_rn(focal[1], div_rn(view[1], view[2]), center[1]), height, seen.y)) return false;
    pixel = seen;
    return true;
  }
};

/// Range image of a spinning LiDAR at the origin: x ahead, y left, z up.
///
/// The depth is the range sqrt(x^2 + y^2 + z^2) (m). Columns are azimuths over a full turn, in the sensor's view: from
/// behind over the left to straight ahead in the middle, and over the right to behind again: floor((pi - atan2(y, x)) /
/// 2 pi * width); a value that rounds up to `width` is in the last column. Rows are elevations from `top` down to
/// `bottom`: floor((top - asin(z / range)) * height / (top - bottom)); `bottom` is exclusive.
///
/// Both angles come from angle_of(). After all steps their error is below 1.5e-6 rad in float and 3e-15 rad in double:
/// a point nearer than that to a pixel's border may be in the neighboring pixel, consistently on every backend. A
/// point whose squared range overflows (beyond 1e19 m in float) is not visible; if it underflows (1e-19 m), the range
/// has fewer digits.
template <class Scalar = float>
struct spherical_camera {
  static_assert(std::is_floating_point_v<Scalar>, "farpoint: a camera's scalar is float or double");
  using scalar = Scalar;

  Scalar top = 0;                              ///< elevation of the upper border of row 0 (rad)
  Scalar bottom = 0;                           ///< elevation of the lower border of the last row (rad), below `top`
  std::int32_t width = 0;                      ///< columns (px)
  std::int32_t height = 0;                     ///< rows (px)
  Scalar near_depth = 0;                       ///< points at this depth or nearer are not visible (m)
  Scalar far_depth = unlimited_depth<Scalar>;  ///< points beyond this depth are not visible (m)

  /// See the concept above. Uses the smaller of the angles of a row and, at the horizon, of a column.
  FARPOINT_HD Scalar pixel_span(Scalar depth) const noexcept {
    Scalar const row = div_rn(sub_rn(top, bottom), static_cast<Scalar>(height));
    Scalar const column = div_rn(2 * half_turn<Scalar>, static_cast<Scalar>(width));
    return mul_rn(depth, min_number(row, column));
  }

  /// See the concept above.
  FARPOINT_HD bool project(vec<Scalar> const& point, camera_pixel<Scalar>& pixel, index_t = 0) const noexcept {
    if (width < 1 || !is_finite(point)) return false;
    Scalar const level2 = fma_rn(point[1], point[1], mul_rn(point[0], point[0]));
    camera_pixel<Scalar> seen{0, 0, sqrt_rn(fma_rn(point[2], point[2], level2))};
    if (!detail::depth_is_seen(seen.depth, near_depth, far_depth)) return false;
    // asin would lose half of its digits near the poles.
    Scalar const elevation = angle_of(point[2], sqrt_rn(level2));
    Scalar const row = div_rn(mul_rn(sub_rn(top, elevation), static_cast<Scalar>(height)), sub_rn(top, bottom));
    if (!detail::cell_below(row, height, seen.y)) return false;
    Scalar const to_right = sub_rn(half_turn<Scalar>, angle_of(point[1], point[0]));
    Scalar const column = mul_rn(div_rn(to_right, 2 * half_turn<Scalar>), static_cast<Scalar>(width));
    if (!detail::cell_below(column, width, seen.x)) seen.x = width - 1;
    pixel = seen;
    return true;
  }
};

/// Definition of the depth for organized_camera.
enum class organized_depth : std::uint8_t {
  range,  ///< the distance from the sensor at the origin, rounded as spherical_camera's: for LiDARs
  z       ///< the third coordinate: for RGB-D cameras
};

/// Identity camera: pixel (i % width, i / width) sees point i of an organized cloud, whatever its coordinates.
///
/// A point is not visible if its depth is 0 or NaN, by which drivers mark pixels without a measurement, or if its index
/// is outside of the image.
template <class Scalar = float>
struct organized_camera {
  static_assert(std::is_floating_point_v<Scalar>, "farpoint: a camera's scalar is float or double");
  using scalar = Scalar;

  std::int32_t width = 0;                               ///< columns (px)
  std::int32_t height = 0;                              ///< rows (px)
  organized_depth depth_kind = organized_depth::range;  ///< definition of the depth
  Scalar near_depth = 0;                                ///< points at this depth or nearer are not visible (m)
  Scalar far_depth = unlimited_depth<Scalar>;           ///< points beyond this depth are not visible (m)

  /// See the concept above.
  FARPOINT_HD bool project(vec<Scalar> const& point, camera_pixel<Scalar>& pixel, index_t index) const noexcept {
    if (width < 1 || index < 0 || index / width >= height || !is_finite(point)) return false;
    Scalar const depth =
        depth_kind == organized_depth::z ? point[2] : sqrt_rn(distance2(point, vec<Scalar>{{0, 0, 0}}));
    if (!detail::depth_is_seen(depth, near_depth, far_depth)) return false;
    pixel = {static_cast<std::int32_t>(index % width), static_cast<std::int32_t>(index / width), depth};
    return true;
  }
};

FARPOINT_END_NAMESPACE

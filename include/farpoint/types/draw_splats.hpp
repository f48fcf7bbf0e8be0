/// @file
/// Input, parameters and output of draw_splats().
#pragma once

#include <farpoint/core/index_span.hpp>
#include <farpoint/core/types.hpp>

#include <limits>

FARPOINT_BEGIN_NAMESPACE

/// Elliptical splats around points of a cloud, in the memory space of the execution, as normals_from_neighbors()
/// writes them. NaN values and negative extents count as 0.
template <class Scalar = float>
struct splat_view {
  span<Scalar const> extents;        ///< `[splats, 2]`: half axes (m), along and across the tangent
  span<Scalar const> normals = {};   ///< `[splats, 3]`, any length; if (0, 0, 0) or empty, the splat faces the camera
  span<Scalar const> tangents = {};  ///< `[splats, 3]`; if (0, 0, 0) or empty, a disc of the first extent
  index_view points = {};            ///< `[splats]`: point at the center of each splat; if empty, splat i is at point i
  index_view count = {};             ///< `[1]`: number of splats; if empty, all
  span<float const> colors = {};     ///< `[splats, 3]` or `[points, 3]`: red, green, blue, 0 to 1; if empty, white
  bool colors_of_points = false;     ///< true if colors are indexed by the points of the cloud, not by splats

  /// Maximum number of splats, by the size of `extents`.
  FARPOINT_HD constexpr index_t size() const noexcept { return static_cast<index_t>(extents.size() / 2); }
};

/// Directional light, fixed to the camera, with the reflection model: a color is multiplied by ambient + diffuse *
/// max(0, (1 - wrap) * (normal, to_light) + wrap), and gloss * (normal, halfway)^16 is added.
struct splat_light {
  vec<float> to_light = {{-0.45f, -0.65f, -0.9f}};  ///< in the camera's frame (x right, y down, z ahead)
  float ambient = 0.08f;
  float diffuse = 0.62f;
  float wrap = 0.25f;  ///< 0 to 1: how far the light wraps around a surface
  float gloss = 0.2f;

  /// Shows colors unshaded.
  static constexpr splat_light none() noexcept { return {{{0, 0, -1}}, 1, 0, 0, 0}; }
};

struct draw_splats_params {
  /// Maximum depth behind the nearest splat on a line of sight up to which splats belong to the same surface, so that
  /// their colors are blended. In units of the splat's longer half axis, at least 0.
  float slack = 0.5f;

  /// Depth behind the nearest splat at its center from which a splat is hidden, in units of its longer half axis. A
  /// hidden splat is not drawn at all, even where it extends beyond the splats in front. Infinite: all splats are
  /// drawn, with one pass less. Long splats at a silhouette may hide parts of the surface: below 3, single pixels may
  /// be missing.
  float hidden = std::numeric_limits<float>::infinity();

  /// Minimum radius (px): every splat covers the pixels whose centers are this close to its own. 0.71 covers the pixel
  /// that contains it.
  float least_radius = 0.75f;

  double most_extent = std::numeric_limits<double>::infinity();  ///< maximum half axis (m); longer ones are clamped
  bool back_faces = true;                                        ///< draws splats that face away, turned around
  splat_light light = {};
  vec<float> background = {{0, 0, 0}};
};

/// Output image of draw_splats(), in the memory space of the execution. At least one part must be given.
struct splat_image {
  span<float> colors = {};        ///< `[height, stride]`, the first 3 * width of a row: red, green, blue, 0 to 1
  span<std::uint8_t> bytes = {};  ///< `[height, stride]`, as `colors`, 0 to 255
  index_t stride = 0;             ///< values between the starts of rows, at least 3 * width; 0 means 3 * width
  span<float> depths = {};        ///< `[height, width]`: depth of the nearest splat (m); +inf without a splat
};

FARPOINT_END_NAMESPACE

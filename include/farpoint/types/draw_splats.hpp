/// @file
/// What draw_splats() takes and fills.
#pragma once

#include <farpoint/core/index_span.hpp>
#include <farpoint/core/types.hpp>

#include <limits>

FARPOINT_BEGIN_NAMESPACE

/// Elliptical splats around points of a cloud, in the memory space of the execution; as normals_from_neighbours()
/// writes them. Those that are not numbers, or extents below 0, count as 0.
template <class Scalar = float>
struct splat_view {
  span<Scalar const> extents;        ///< `[splats, 2]`: half axes (m), along the tangent and across it
  span<Scalar const> normals = {};   ///< `[splats, 3]`, any length; (0, 0, 0), or empty: it faces the camera
  span<Scalar const> tangents = {};  ///< `[splats, 3]`; (0, 0, 0), or empty: a disc of the first extent
  index_view points = {};            ///< `[splats]`: the points that they are around; empty: splat i is point i's
  index_view count = {};             ///< `[1]`: number of splats that there are; empty: all
  span<float const> colours = {};    ///< `[splats, 3]` or `[points, 3]`: red, green, blue, 0 to 1; empty: white
  bool colours_of_points = false;    ///< colours are by the points of the cloud, not by splats

  /// Splats that there is room for.
  FARPOINT_HD constexpr index_t size() const noexcept { return static_cast<index_t>(extents.size() / 2); }
};

/// A light at infinity that goes with the camera, and what surfaces make of it: a colour is multiplied by
/// ambient + diffuse * max(0, (1 - wrap) * (normal, to_light) + wrap), and gloss * (normal, halfway)^16 is added.
struct splat_light {
  vec<float> to_light = {{-0.45f, -0.65f, -0.9f}};  ///< in the frame of the camera (x right, y down, z ahead)
  float ambient = 0.08f;
  float diffuse = 0.62f;
  float wrap = 0.25f;  ///< 0 to 1: how far the light reaches around a surface
  float gloss = 0.2f;

  /// Colours as they are.
  static constexpr splat_light none() noexcept { return {{{0, 0, -1}}, 1, 0, 0, 0}; }
};

struct draw_splats_params {
  /// Splats that a line of sight meets at most so far behind the nearest are one surface: their colours are blended. In
  /// units of the splat's longer half axis, at least 0.
  float slack = 0.5f;

  /// A splat whose centre is farther than this behind the nearest splat there is hidden, and not drawn at all, not even
  /// where it would stand out beyond what hides it. In units of its longer half axis. Infinite: all are drawn, in a
  /// pass less. Splats at a rim, which are long, may hide what the surface needs: below 3, single pixels may be
  /// missing.
  float hidden = std::numeric_limits<float>::infinity();

  /// A splat covers the pixels whose centres are so close to its own, however small it is (px). 0.71 covers the pixel
  /// that it is in.
  float least_radius = 0.75f;

  double most_extent = std::numeric_limits<double>::infinity();  ///< half axes are cut to it (m)
  bool back_faces = true;                                        ///< splats whose normals point away are drawn, turned
  splat_light light = {};
  vec<float> background = {{0, 0, 0}};
};

/// The image that draw_splats() fills, in the memory space of the execution. All parts but one may be left out.
struct splat_image {
  span<float> colours = {};       ///< `[height, stride]`, the first 3 * width of a row: red, green, blue, 0 to 1
  span<std::uint8_t> bytes = {};  ///< the same, 0 to 255
  index_t stride = 0;             ///< values from row to row of both, at least 3 * width; 0: that
  span<float> depths = {};        ///< `[height, width]`: of the nearest splat (m); +inf where there is none
};

FARPOINT_END_NAMESPACE

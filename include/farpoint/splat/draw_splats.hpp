/// @file
/// Draws splats: host backend.
#pragma once

#include <farpoint/detail/splat/draw_splats.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Returns the exact size in bytes of the workspace of draw_splats() on the host; 256-byte aligned memory. O(1): 36
/// bytes per pixel, or 40 if draw_splats_params::hidden is finite; splats take none. 0 for an image, or a number of
/// splats, that draw_splats() rejects.
/// @param splats  only the number of rows matters
/// @param camera  only width and height matter
/// @param params  only `hidden` matters
template <class Scalar>
std::size_t draw_splats_workspace_bytes(host_exec, splat_view<Scalar> const& splats,
                                        pinhole_camera<Scalar> const& camera,
                                        draw_splats_params const& params) noexcept {
  return detail::splat_bytes<detail::splat_memory>({splats.size(), camera.width, camera.height, detail::hides(params)});
}

/// Computes a number of bytes of workspace that suffices for draw_splats() of at most `splats` splats and images of at
/// most `width` x `height` pixels, with any parameters. O(1).
/// @return ok | bad_argument (a side outside 1 to 8192 px, or a number of splats outside 0 to 2^30); on failure `bound`
///         is unchanged
inline result draw_splats_workspace_bound(host_exec, index_t splats, index_t width, index_t height,
                                          std::size_t& bound) noexcept {
  return detail::bound_splat_bytes<detail::splat_memory>(splats, width, height, bound);
}

/// Draws elliptical splats as a closed surface: each pixel shows a weighted mean of the colors of the splats that its
/// line of sight meets nearest to the camera. Weights fall from a splat's center to its rim.
///
/// A line of sight passes through the center of a pixel. The depth of a pixel is the nearest depth at which its line
/// meets a splat. The splats that it meets up to draw_splats_params::slack behind contribute, with weight 1 +
/// floor(4095 (1 - share)^2), where share is the squared fraction of the way from the center to the rim. Colors are
/// shaded per splat, in 16 bits, and summed as integers: the same bits on every backend, for every order of the splats
/// and every number of threads.
///
/// A splat is not drawn if its point is non-finite, not in the cloud or outside the camera's depth range, if it is
/// hidden (draw_splats_params::hidden), or if it faces away and the parameters exclude such splats. A splat without
/// area is a dot of draw_splats_params::least_radius. Splats may come from several layers of visible points.
///
/// @param exec       number of threads; blocks until done
/// @param points     one cloud, with or without offsets, meters, three coordinates, host memory
/// @param splats     see splat_view; at most 2^30
/// @param camera     scalar type of the points, 1 to 8192 px wide and high
/// @param params     see draw_splats_params
/// @param image      see splat_image; bytes between rows are not written
/// @param workspace  at least draw_splats_workspace_bytes() bytes, 256-byte aligned, host memory
/// @return ok | bad_argument (arrays whose sizes do not match, a side of the image or a parameter out of range, not one
///         cloud) | workspace_too_small; on failure nothing is written. A cloud with invalid offsets (see batch) is
///         empty.
/// Complexity: O(pixels + splats + pixels in the splats' bounding boxes), two passes over the splats, three if splats
/// may be hidden. Thread-safe: concurrent calls must not share image or workspace.
template <class Points>
result draw_splats(host_exec exec, batch<Points> const& points, splat_view<typename Points::scalar> const& splats,
                   pinhole_camera<typename Points::scalar> const& camera, draw_splats_params const& params,
                   splat_image const& image, bytes workspace) noexcept {
  return detail::draw_splats_host(
      exec, detail::splat_scene<Points>{points, splats, camera, {params, image, {}, nullptr}, {}, {}}, workspace);
}

FARPOINT_END_NAMESPACE

/// @file
/// Draws splats: host backend.
#pragma once

#include <farpoint/detail/screen/draw_splats.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Bytes of workspace that draw_splats() needs on the host; 256-byte aligned memory. Exact, O(1): 36 for each pixel, 40
/// where draw_splats_params::hidden is finite, and none for splats. 0 for an image, or a number of splats, that it
/// refuses.
/// @param splats  decide by their number of rows
/// @param camera  decides by its width and height
/// @param params  decide by `hidden`
template <class Scalar>
std::size_t draw_splats_workspace_bytes(host_exec, splat_view<Scalar> const& splats,
                                        pinhole_camera<Scalar> const& camera,
                                        draw_splats_params const& params) noexcept {
  return detail::splat_bytes<detail::splat_memory>({splats.size(), camera.width, camera.height, detail::hides(params)});
}

/// Bytes of workspace that are enough for draw_splats() of up to so many splats, and all images up to so many pixels
/// wide and high, with all parameters. O(1).
/// @return ok | bad_argument (a side that is not 1 to 8192 px, or splats that are not 0 to 2^30); then `bound` stays as
///         it is
inline result draw_splats_workspace_bound(host_exec, index_t splats, index_t width, index_t height,
                                          std::size_t& bound) noexcept {
  return detail::bound_splat_bytes<detail::splat_memory>(splats, width, height, bound);
}

/// Draws elliptical splats as a closed surface: each pixel shows the mean of the colours of the splats that its line of
/// sight meets nearest to the camera, by weights that fall from a splat's centre to its rim.
///
/// A line of sight goes through a pixel's centre. The nearest depth at which it meets a splat is the pixel's; those
/// that it meets within draw_splats_params::slack behind it take part, with weights 1 + floor(4095 (1 - share)^2),
/// where share is the squared part of the way from the centre to the rim. Colours are shaded splat by splat, in 16
/// bits, and added up in integers: the same bits on every backend, for every order of the splats and every number of
/// threads.
///
/// Not drawn are splats around points that are not finite, not in the cloud, or not within the camera's depths; splats
/// that are hidden (draw_splats_params::hidden), and those that face away, if so wished. A splat without area is a dot
/// of draw_splats_params::least_radius. Splats may be of several layers of visible points.
///
/// @param exec       threads to use; blocks until done
/// @param points     one cloud, perhaps with offsets, metres, three coordinates, host memory
/// @param splats     see splat_view; at most 2^30
/// @param camera     of the points' scalar type, 1 to 8192 px wide and high
/// @param params     see draw_splats_params
/// @param image      see splat_image; values between rows are not written
/// @param workspace  at least draw_splats_workspace_bytes() bytes, 256-byte aligned, host memory
/// @return ok | bad_argument (arrays that do not fit one another, a side of the image or a parameter out of range, not
///         one cloud) | workspace_too_small; nothing is written on failure. A cloud whose offsets are wrong (see batch)
///         is empty.
/// Complexity: O(pixels + splats + pixels in the boxes around the splats), two passes over the splats, three where some
/// are hidden. Thread-safe: concurrent calls must not share image or workspace.
template <class Points>
result draw_splats(host_exec exec, batch<Points> const& points, splat_view<typename Points::scalar> const& splats,
                   pinhole_camera<typename Points::scalar> const& camera, draw_splats_params const& params,
                   splat_image const& image, bytes workspace) noexcept {
  return detail::draw_splats_host(
      exec, detail::splat_scene<Points>{points, splats, camera, {params, image, {}, nullptr}, {}, {}}, workspace);
}

FARPOINT_END_NAMESPACE

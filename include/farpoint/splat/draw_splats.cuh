/// @file
/// Draws splats on a CUDA stream. See draw_splats.hpp.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/core/check_pointers.cuh>
#include <farpoint/core/profile_range.cuh>
#include <farpoint/detail/screen/draw_splats.cuh>

FARPOINT_BEGIN_NAMESPACE

/// Bytes of device workspace that draw_splats() needs; 256-byte aligned memory. Exact, O(1): 80 for each splat, 11 for
/// each 16 x 16 pixels, at most 2 KiB more, and 4 for each pixel where draw_splats_params::hidden is finite. 0 for an
/// image, or a number of splats, that it refuses.
/// @param splats  decide by their number of rows
/// @param camera  decides by its width and height
/// @param params  decide by `hidden`
template <class Scalar>
std::size_t draw_splats_workspace_bytes(cuda_exec, splat_view<Scalar> const& splats,
                                        pinhole_camera<Scalar> const& camera,
                                        draw_splats_params const& params) noexcept {
  return detail::splat_bytes<detail::splat_tile_memory>(
      {splats.size(), camera.width, camera.height, detail::hides(params)});
}

/// Bytes of device workspace that are enough for draw_splats() of up to so many splats, and all images up to so many
/// pixels wide and high, with all parameters, on any GPU. O(1).
/// @return ok | bad_argument (a side that is not 1 to 8192 px, or splats that are not 0 to 2^30); then `bound` stays as
///         it is
inline result draw_splats_workspace_bound(cuda_exec, index_t splats, index_t width, index_t height,
                                          std::size_t& bound) noexcept {
  return detail::bound_splat_bytes<detail::splat_tile_memory>(splats, width, height, bound);
}

/// draw_splats(), enqueued on a stream: the same image as that of the host overload, to the bit.
///
/// Only enqueues: no synchronisation, no allocation; may be captured in a graph. All memory is device memory, which
/// must stay valid until the stream has passed the call; the number of splats, too, stays on the device.
///
/// @tparam Selector  tuning; affects the speed only
/// @return ok | bad_argument | workspace_too_small | cuda_failure. Never clears or returns a pending error of other
///         work.
/// Complexity: a memset and four launches; a launch more where splats may be hidden. What a splat is in the frame of
/// the camera is computed once, from up to 56 bytes (floats, indices of 32 bits, colours), and kept in 64 bytes. Lists
/// say which splats are in a tile of 16 x 16 pixels, or in 2 x 2, 4 x 4, ... tiles, for larger ones: a splat is in at
/// most four, in any order. A block draws a tile: its threads look at the tile's lists once, a splat each, for which of
/// eight patches of 8 x 4 pixels may see it, keep up to 512 of those in shared memory, and then draw a pixel each.
/// Where a tile sees more splats, it looks at its lists twice. Thread-safe: concurrent calls must not share image or
/// workspace.
template <class Selector = draw_splats_selector, class Points>
result draw_splats(cuda_exec exec, batch<Points> const& points, splat_view<typename Points::scalar> const& splats,
                   pinhole_camera<typename Points::scalar> const& camera, draw_splats_params const& params,
                   splat_image const& image, bytes workspace) noexcept {
  detail::profile_range const range{"farpoint::draw_splats"};
  result const checked =
      detail::check_pointers(exec, workspace, points, splats.extents, splats.normals, splats.tangents, splats.points,
                             splats.count, splats.colours, image.colours, image.bytes, image.depths);
  if (!checked) return checked;
  return detail::draw_splats_cuda<Selector>(
      exec, detail::splat_scene<Points>{points, splats, camera, {params, image, {}, nullptr}, {}, {}}, workspace);
}

FARPOINT_END_NAMESPACE

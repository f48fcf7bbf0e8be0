/// @file
/// Draws splats on a CUDA stream. See draw_splats.hpp.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/core/check_pointers.cuh>
#include <farpoint/core/profile_range.cuh>
#include <farpoint/detail/splat/draw_splats.cuh>

FARPOINT_BEGIN_NAMESPACE

/// Returns the exact size in bytes of the device workspace of draw_splats(); 256-byte aligned memory. O(1): 80 bytes
/// per splat, 11 per 16 x 16 pixels, up to 2 KiB, and 4 per pixel if draw_splats_params::hidden is finite. 0 for an
/// image, or a number of splats, that draw_splats() rejects.
/// @param splats  only the number of rows matters
/// @param camera  only width and height matter
/// @param params  only `hidden` matters
template <class Scalar>
std::size_t draw_splats_workspace_bytes(cuda_exec, splat_view<Scalar> const& splats,
                                        pinhole_camera<Scalar> const& camera,
                                        draw_splats_params const& params) noexcept {
  return detail::splat_bytes<detail::splat_tile_memory>(
      {splats.size(), camera.width, camera.height, detail::hides(params)});
}

/// Computes a number of bytes of device workspace that suffices for draw_splats() of at most `splats` splats and images
/// of at most `width` x `height` pixels, with any parameters, on any GPU. O(1).
/// @return ok | bad_argument (a side outside 1 to 8192 px, or a number of splats outside 0 to 2^30); on failure `bound`
///         is unchanged
inline result draw_splats_workspace_bound(cuda_exec, index_t splats, index_t width, index_t height,
                                          std::size_t& bound) noexcept {
  return detail::bound_splat_bytes<detail::splat_tile_memory>(splats, width, height, bound);
}

/// draw_splats(), enqueued on a stream: same image as the host overload, to the bit.
///
/// Only enqueues: no synchronization, no allocation; may be captured in a graph. All memory is device memory and must
/// stay valid until the stream has executed the call; the number of splats stays on the device, too.
///
/// @tparam Selector  tuning; affects the speed only
/// @return ok | bad_argument | workspace_too_small | cuda_failure. A pending error of other work is neither cleared nor
///         returned.
/// Complexity: a memset and four launches; one more launch if splats may be hidden. Each splat is transformed to the
/// camera frame once, from up to 56 bytes (floats, 32-bit indices, colors), and stored in 64 bytes. Lists contain the
/// splats of each tile of 16 x 16 pixels or, for larger splats, of 2 x 2, 4 x 4, ... tiles: a splat is in at most four
/// lists, in any order. One block draws a tile. First its threads read the tile's lists, one splat each, test which of
/// eight patches of 8 x 4 pixels may see the splat, and keep up to 512 visible splats in shared memory; then each
/// thread draws one pixel. A tile that sees more splats reads its lists twice. Thread-safe: concurrent calls must not
/// share image or workspace.
template <class Selector = draw_splats_selector, class Points>
result draw_splats(cuda_exec exec, batch<Points> const& points, splat_view<typename Points::scalar> const& splats,
                   pinhole_camera<typename Points::scalar> const& camera, draw_splats_params const& params,
                   splat_image const& image, bytes workspace) noexcept {
  detail::profile_range const range{"farpoint::draw_splats"};
  result const checked =
      detail::check_pointers(exec, workspace, points, splats.extents, splats.normals, splats.tangents, splats.points,
                             splats.count, splats.colors, image.colors, image.bytes, image.depths);
  if (!checked) return checked;
  return detail::draw_splats_cuda<Selector>(
      exec, detail::splat_scene<Points>{points, splats, camera, {params, image, {}, nullptr}, {}, {}}, workspace);
}

FARPOINT_END_NAMESPACE

/// @file
/// Draws splats on a CUDA stream. See draw_splats.hpp.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/core/check_pointers.cuh>
#include <farpoint/core/profile_range.cuh>
#include <farpoint/detail/screen/draw_splats.cuh>

FARPOINT_BEGIN_NAMESPACE

/// Bytes of device workspace that draw_splats() needs; 256-byte aligned memory: as many as on the host.
template <class Scalar>
std::size_t draw_splats_workspace_bytes(cuda_exec, pinhole_camera<Scalar> const& camera,
                                        draw_splats_params const& params) noexcept {
  return detail::splat_bytes(camera.width, camera.height, params);
}

/// Bytes of device workspace that are enough for draw_splats() of all images up to so many pixels wide and high, with
/// all parameters, on any GPU. O(1).
/// @return ok | bad_argument (a side that is not 1 to 8192 px); then `bound` stays as it is
inline result draw_splats_workspace_bound(cuda_exec, index_t width, index_t height, std::size_t& bound) noexcept {
  return detail::bound_splat_bytes(width, height, bound);
}

/// draw_splats(), enqueued on a stream: the same image as that of the host overload, to the bit.
///
/// Only enqueues: no synchronisation, no allocation; may be captured in a graph. All memory is device memory, which
/// must stay valid until the stream has passed the call; the number of splats, too, stays on the device.
///
/// @tparam Selector  tuning; affects the speed only
/// @return ok | bad_argument | workspace_too_small | cuda_failure. Never clears or returns a pending error of other
///         work.
/// Complexity: two memsets and three launches; a launch more where splats may be hidden. For a pixel 36 bytes are
/// cleared and read again; a pass reads up to 56 bytes of a splat (floats, indices of 32 bits, colours), loads a depth
/// for each pixel that the splat covers, and in the last pass adds four words of 64 bits to those that it takes part
/// in. Splats are not sorted: their order along the screen, which visible points do not have, would make these
/// additions meet in the same lines of the cache. Thread-safe: concurrent calls must not share image or workspace.
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
      exec, detail::splat_scene<Points>{points, splats, camera, params, image, {}, {}, {}, {}}, workspace);
}

FARPOINT_END_NAMESPACE

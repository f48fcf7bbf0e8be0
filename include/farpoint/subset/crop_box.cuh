/// @file
/// The points in a box, on a CUDA stream. See crop_box.hpp.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/core/check_pointers.cuh>
#include <farpoint/core/limits.hpp>
#include <farpoint/core/profile_range.cuh>
#include <farpoint/detail/subset/crop_box_cuda.cuh>

FARPOINT_BEGIN_NAMESPACE

/// Bytes of device workspace that crop_box() needs; 256-byte aligned memory. Exact, O(1): a bit for each point of
/// `clouds.points()`, 8 bytes for every 2,048 points, and less than 1 kB.
template <class Points>
std::size_t crop_box_workspace_bytes(cuda_exec, batch<Points> const& clouds) noexcept {
  return detail::crop_box_memory::cut(nullptr, clouds.points().size()).used;
}

/// Bytes of device workspace that are enough for crop_box() of all batches within the limits on any GPU. Never less for
/// higher limits. O(1).
/// @tparam Points  the view of the points: point_view<float>
/// @return ok | bad_argument; then `bound` stays as it is
template <class Points>
result crop_box_workspace_bound(cuda_exec, batch_limits const& limits, std::size_t& bound) noexcept {
  if (result const checked = detail::check_limits(limits); !checked) return checked;
  bound = detail::crop_box_memory::cut(nullptr, limits.points).used;
  return {};
}

/// crop_box(), enqueued on a stream: the rules, the output and the report of the host overload.
///
/// Only enqueues: no synchronization, no allocation; may be captured in a graph. All memory is device memory, which
/// must stay valid until the stream has passed the call. The number of indices stays on the device, as the last offset.
///
/// @param exec       the stream
/// @param clouds     `[clouds, n]` or ragged, meters, 1 to 16 coordinates
/// @param box        one box for all clouds (m), passed by value
/// @param output     see crop_box_output
/// @param workspace  at least crop_box_workspace_bytes() bytes, 256-byte aligned
/// @return ok | bad_argument (as the host overload) | workspace_too_small | cuda_failure. Never clears or returns a
///         pending error of other work.
/// Complexity: O(n log clouds) work for the n points of the view, each read once; a memset, two launches, and for
/// ragged clouds or a report one more of each. Thread-safe: concurrent calls must not share output or workspace.
template <class Points>
result crop_box(cuda_exec exec, batch<Points> const& clouds,
                detail::type_identity_t<bounding_box<typename Points::scalar, Points::dim>> const& box,
                crop_box_output const& output, bytes workspace) noexcept {
  detail::profile_range const range{"farpoint::crop_box"};
  result const checked = detail::check_pointers(exec, workspace, clouds, output.indices, output.offsets, output.report);
  if (!checked) return checked;
  return detail::crop_box_cuda(exec, detail::crop_box_call<Points>{clouds, box, output}, workspace);
}

FARPOINT_END_NAMESPACE

/// @file
/// The points in a box: host backend and convenience overload. crop_box.cuh adds cuda_exec.
#pragma once

#include <farpoint/core/host_exec.hpp>
#include <farpoint/core/limits.hpp>
#include <farpoint/detail/subset/crop_box_host.hpp>

#include <vector>

FARPOINT_BEGIN_NAMESPACE

/// Bytes of workspace that crop_box() needs for these clouds on the host; 256-byte aligned memory. Exact, O(1): 32
/// bytes for every 65,536 points of `clouds.points()`, rounded up to whole 256 bytes.
template <class Points>
std::size_t crop_box_workspace_bytes(host_exec, batch<Points> const& clouds) noexcept {
  return detail::crop_box_host_bytes(clouds.points().size());
}

/// Bytes of workspace that are enough for crop_box() of all batches within the limits on the host. Never less for
/// higher limits. O(1).
/// @tparam Points  the view of the points: point_view<float>
/// @return ok | bad_argument; then `bound` stays as it is
template <class Points>
result crop_box_workspace_bound(host_exec exec, batch_limits const& limits, std::size_t& bound) noexcept {
  if (result const checked = detail::check_threads(exec); !checked) return checked;
  if (result const checked = detail::check_limits(limits); !checked) return checked;
  bound = detail::crop_box_host_bytes(limits.points);
  return {};
}

/// Finds the points of each cloud that lie in a half-open box: `low <= p < high` on each axis, compared in the
/// coordinates' scalar type. Boxes that share a face share no point.
///
/// A point with a coordinate that is NaN or infinite is in no box; the report counts such points. A bound may be
/// infinite, and then limits nothing. A box with a `low` that is not below its `high` on an axis holds nothing. Where
/// `output.indices` has no room, the first ones in order are written and the report counts the others; offsets never
/// go beyond the capacity. Output and report do not depend on the backend or the number of threads.
///
/// @param exec       threads to use; blocks until done
/// @param clouds     `[clouds, n]` or ragged, meters, host memory, 1 to 16 coordinates
/// @param box        one box for all clouds (m)
/// @param output     see crop_box_output
/// @param workspace  at least crop_box_workspace_bytes() bytes, 256-byte aligned, host memory
/// @return ok | bad_argument (a bound that is NaN, offsets of another size than clouds + 1, more than 2^31 - 1 points
///         in a cloud with 32-bit indices, more than 2^40 points, a misaligned workspace) | workspace_too_small.
///         Nothing is written on failure. Where offsets are wrong (see batch), all clouds come out empty, and the
///         report counts such offsets.
/// Complexity: O(n + clouds); every point is read twice. Thread-safe: concurrent calls must not share output or
/// workspace.
template <class Points>
result crop_box(host_exec exec, batch<Points> const& clouds,
                detail::type_identity_t<bounding_box<typename Points::scalar, Points::dim>> const& box,
                crop_box_output const& output, bytes workspace) noexcept {
  return detail::crop_box_host(exec, detail::crop_box_call<Points>{clouds, box, output}, workspace);
}

#if defined(__cpp_exceptions)

/// The type of the box that crops the points of a container.
template <class Container, class View = decltype(view_points(std::declval<Container const&>()))>
using crop_box_of = bounding_box<typename View::scalar, View::dim>;

/// crop_box() of one cloud in a host container, on all cores; allocates the workspace and the answer:
/// `auto indices = farpoint::crop_box(points, {{{0, 0, 0}}, {{1, 1, 1}}});`
///
/// @param points  contiguous container of a type that point_layout knows
/// @return indices of the points in the box, ascending
/// @throws std::invalid_argument with the reason; std::bad_alloc
template <class Container, class = detail::host_elements<Container const>>
auto crop_box(Container const& points, crop_box_of<Container> const& box) {
  auto const view = view_points(points);
  batch<std::decay_t<decltype(view)>> const cloud{view};
  detail::host_workspace const workspace{crop_box_workspace_bytes(host_exec{}, cloud)};
  std::vector<std::int32_t> indices(points.size());
  std::array<index_t, 2> offsets{};
  detail::require_ok(crop_box(host_exec{}, cloud, box, {indices, offsets}, workspace.get()));
  indices.resize(static_cast<std::size_t>(offsets[1]));
  return indices;
}

#endif  // defined(__cpp_exceptions)

FARPOINT_END_NAMESPACE

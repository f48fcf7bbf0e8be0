/// @file
/// Interpolates features between points, on a CUDA stream. See interpolate.hpp.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/core/check_pointers.cuh>
#include <farpoint/core/profile_range.cuh>
#include <farpoint/detail/search/interpolate_cuda.cuh>
#include <farpoint/types/device_point_bvh.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Bytes of device workspace that interpolate() needs on the current GPU; 256-byte aligned memory. O(1): as many as
/// knn_workspace_bytes() for the same points and queries.
template <class Selector = knn_selector, class Points, class Queries>
std::size_t interpolate_workspace_bytes(cuda_exec, batch<Points> const& points,
                                        batch<Queries> const& queries) noexcept {
  return detail::indexed_search_bytes<Selector>(points,
                                                detail::query_order_of<Selector>(queries, points.points().size()));
}

/// Bytes of device workspace that are enough for interpolate() of all searches within the limits on any GPU. Never less
/// for higher limits. O(1).
/// @tparam Points    the view of the points: point_view<float>
/// @tparam Selector  that of the calls
/// @return ok | bad_argument; then `bound` stays as it is
template <class Points, class Selector = knn_selector>
result interpolate_workspace_bound(cuda_exec, search_limits const& limits, std::size_t& bound) noexcept {
  return detail::bound_indexed_search<Selector, Points>(limits, detail::order_of_at_most<Selector, Points>(limits),
                                                        bound);
}

/// interpolate(), enqueued on a stream: the same answer as that of the host overload, to the bit.
///
/// Only enqueues: no synchronisation, no allocation; may be captured in a graph. All memory is device memory, which
/// must stay valid until the stream has passed the call.
///
/// @tparam Selector  tuning; affects the speed only
/// @param exec       the stream
/// @param points     `[clouds, n]` or ragged, metres, three coordinates
/// @param features   `[points, channels]`
/// @param queries    as many clouds, regular or ragged
/// @param channels   values of a row, at least 1
/// @param output     see interpolate_output
/// @param workspace  at least interpolate_workspace_bytes() bytes, 256-byte aligned
/// @return ok | bad_argument | workspace_too_small | cuda_failure. Never clears or returns a pending error of other
///         work.
/// Complexity: building the index and a BVH of the queries, a search for each query, and O(queries * channels). At most
/// 2^30 points. Thread-safe: concurrent calls must not share output or workspace.
template <class Selector = knn_selector, class Points, class Queries>
result interpolate(cuda_exec exec, batch<Points> const& points, span<float const> features,
                   batch<Queries> const& queries, index_t channels, interpolate_output const& output,
                   bytes workspace) noexcept {
  detail::profile_range const range{"farpoint::interpolate"};
  result const checked =
      detail::check_pointers(exec, workspace, points, features, queries, output.features, output.report);
  if (!checked) return checked;
  return detail::named(detail::interpolate_cuda<Selector>(exec, points, features, queries, channels, output, workspace),
                       FARPOINT_WORKSPACE_OF("interpolate"));
}

/// Bytes of device workspace for interpolate() among the points of a BVH: those of knn().
template <class Queries>
std::size_t interpolate_workspace_bytes(cuda_exec, device_point_bvh<typename Queries::scalar> const& index,
                                        batch<Queries> const& queries) noexcept {
  return detail::built_search_bytes<knn_selector>(queries, index.points());
}

/// interpolate() among the points of a BVH, enqueued on a stream: the same answer as for the points themselves, whose
/// features these are, and the same promises. The report is that of the points, too. The workspace is that of knn()
/// among the points of a BVH: none is needed.
/// @return as above
template <class Queries>
result interpolate(cuda_exec exec, device_point_bvh<typename Queries::scalar> const& index, span<float const> features,
                   batch<Queries> const& queries, index_t channels, interpolate_output const& output,
                   bytes workspace = {}) noexcept {
  detail::profile_range const range{"farpoint::interpolate (built index)"};
  result const checked = detail::check_pointers(exec, workspace, features, queries, output.features, output.report);
  if (!checked) return checked;
  return detail::named(detail::interpolate_of_index_cuda(exec, index, features, queries, channels, output, workspace),
                       FARPOINT_WORKSPACE_OF("interpolate"));
}

FARPOINT_END_NAMESPACE

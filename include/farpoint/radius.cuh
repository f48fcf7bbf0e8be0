/// @file
/// Neighbours within a radius, on a CUDA stream. See radius.hpp.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/detail/search/radius_cuda.cuh>
#include <farpoint/point_bvh.cuh>
#include <farpoint/types/device_point_bvh.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Bytes of device workspace that radius() and radius_rows() need on the current GPU; 256-byte aligned memory.
///
/// O(1): a function of the sizes of points and queries. As many as knn_workspace_bytes(), and 8 for each 1,024 queries.
template <class Selector = knn_selector, class Points, class Queries>
std::size_t radius_workspace_bytes(cuda_exec, batch<Points> const& points, batch<Queries> const& queries) noexcept {
  return detail::indexed_search_bytes<Selector>(
      points, detail::radius_memory_of<Selector>(queries, points.points().size(), false));
}

/// The same where the queries are the points.
template <class Selector = knn_selector, class Points>
std::size_t radius_workspace_bytes(cuda_exec, batch<Points> const& points) noexcept {
  return detail::indexed_search_bytes<Selector>(
      points, detail::radius_memory_of<Selector>(points, points.points().size(), true));
}

/// Bytes of device workspace that are enough for radius() and radius_rows() of all searches within the limits on any
/// GPU. Never less for higher limits. O(1).
/// @tparam Points    the view of the points: point_view<float>
/// @tparam Selector  that of the calls
/// @return ok | bad_argument; then `bound` stays as it is
template <class Points, class Selector = knn_selector>
result radius_workspace_bound(cuda_exec, search_limits const& limits, std::size_t& bound) noexcept {
  return detail::bound_indexed_search<Selector, Points>(limits, detail::radius_memory_of<Selector, Points>(limits),
                                                        bound);
}

/// radius(), enqueued on a stream: the same answer as that of the host overload, to the bit.
///
/// Only enqueues: no synchronisation, no allocation; may be captured in a graph. `points`, `queries`, `output` and
/// `workspace` refer to device memory that must stay valid until the stream has passed the call.
///
/// @tparam Selector  tuning; affects the speed only
/// @return ok | bad_argument | workspace_too_small | cuda_failure. Never clears or returns a pending error of other
///         work.
/// Complexity: as the host overload, and a sort of queries that are not the points. Lists of up to 32 (16 in double, by
/// distance) are in registers; longer ones are heaps in the rows of the output, slowest when sorted by distance without
/// output.distances. At most 2^30 points. Thread-safe: concurrent calls must not share output or workspace.
template <class Selector = knn_selector, class Points, class Queries>
result radius(cuda_exec exec, batch<Points> const& points, batch<Queries> const& queries, radius_params const& params,
              index_t max, radius_output<typename Points::scalar> const& output, bytes workspace) noexcept {
  return detail::named(detail::radius_cuda<Selector>(exec, points, queries, false, params, max, output, workspace),
                       FARPOINT_WORKSPACE_OF("radius"));
}

/// The same where the queries are the points.
template <class Selector = knn_selector, class Points>
result radius(cuda_exec exec, batch<Points> const& points, radius_params const& params, index_t max,
              radius_output<typename Points::scalar> const& output, bytes workspace) noexcept {
  return detail::named(detail::radius_cuda<Selector>(exec, points, points, true, params, max, output, workspace),
                       FARPOINT_WORKSPACE_OF("radius"));
}

/// Bytes of device workspace for radius() among the points of a BVH: those of knn().
template <class Selector = knn_selector, class Queries>
std::size_t radius_workspace_bytes(cuda_exec exec, device_point_bvh<typename Queries::scalar> const& index,
                                   batch<Queries> const& queries) noexcept {
  return knn_workspace_bytes<Selector>(exec, index, queries);
}

/// radius() among the points of a BVH, enqueued on a stream: the same answer and report as for the points themselves,
/// and the same promises. The workspace is that of knn() among the points of a BVH: none is needed.
/// @return as above; bad_argument also for lists that registers do not hold (see above) without output.distances: what
///         has no room for distances would make them of the points again
template <class Selector = knn_selector, class Queries>
result radius(cuda_exec exec, device_point_bvh<typename Queries::scalar> const& index, batch<Queries> const& queries,
              radius_params const& params, index_t max, radius_output<typename Queries::scalar> const& output,
              bytes workspace = {}) noexcept {
  return detail::named(detail::radius_of_index_cuda<Selector>(exec, index, queries, params, max, output, workspace),
                       FARPOINT_WORKSPACE_OF("radius"));
}

/// radius_rows(), enqueued on a stream, with the rules of radius() above. The capacity that was needed stays on the
/// device: it is the last offset, and report->total.
///
/// Complexity: two searches, a scan, and a sort of each row: by a warp for up to 512 neighbours, by a thread beyond.
template <class Selector = knn_selector, class Points, class Queries>
result radius_rows(cuda_exec exec, batch<Points> const& points, batch<Queries> const& queries,
                   radius_params const& params, radius_rows_output<typename Points::scalar> const& output,
                   bytes workspace) noexcept {
  return detail::named(detail::radius_rows_cuda<Selector>(exec, points, queries, false, params, output, workspace),
                       FARPOINT_TOO_SMALL("radius_rows", "workspace", "radius_workspace_bytes"));
}

/// The same where the queries are the points.
template <class Selector = knn_selector, class Points>
result radius_rows(cuda_exec exec, batch<Points> const& points, radius_params const& params,
                   radius_rows_output<typename Points::scalar> const& output, bytes workspace) noexcept {
  return detail::named(detail::radius_rows_cuda<Selector>(exec, points, points, true, params, output, workspace),
                       FARPOINT_TOO_SMALL("radius_rows", "workspace", "radius_workspace_bytes"));
}

/// Bytes of device workspace for radius_rows() among the points of a BVH: those of radius(), and 8 for each 1,024
/// queries. Never 0.
template <class Points, class Queries>
std::size_t radius_workspace_bytes(cuda_exec, device_point_bvh<typename Queries::scalar> const& index,
                                   batch<Points> const& points, batch<Queries> const& queries) noexcept {
  return detail::built_rows_memory{nullptr, detail::index_offsets::of_points(index, points), queries, index.points()}
      .size;
}

/// radius_rows() among the points of a BVH, enqueued on a stream: the same answer and report as for the points
/// themselves, and the same promises. Unlike that of radius(), the workspace may not be empty.
/// @param exec       stream to enqueue on
/// @param index      BVH of `points`
/// @param points     those that the BVH was built of, by which rows are sorted; offsets that differ from the BVH's are
///                   counted as wrong (radius_report::bad_offsets)
/// @param queries    as many clouds as the BVH has, regular or ragged
/// @param params     radius and order
/// @param output     see radius_rows_output; device memory
/// @param workspace  at least radius_workspace_bytes() bytes, 256-byte aligned, device memory
/// @return as radius()
template <class Points, class Queries>
result radius_rows(cuda_exec exec, device_point_bvh<typename Queries::scalar> const& index, batch<Points> const& points,
                   batch<Queries> const& queries, radius_params const& params,
                   radius_rows_output<typename Queries::scalar> const& output, bytes workspace) noexcept {
  detail::profile_range const range{"farpoint::radius_rows (built index)"};
  result const checked = detail::check_pointers(exec, workspace, points, queries, output.offsets, output.indices,
                                                output.distances, output.report);
  if (!checked) return checked;
  return detail::named(detail::radius_rows_of_index_cuda(exec, index, points, queries, params, output, workspace),
                       FARPOINT_TOO_SMALL("radius_rows", "workspace", "radius_workspace_bytes"));
}

FARPOINT_END_NAMESPACE

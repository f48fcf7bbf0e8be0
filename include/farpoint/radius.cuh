/// @file
/// Neighbors within a radius, on a CUDA stream. See radius.hpp.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/core/profile_range.cuh>
#include <farpoint/detail/search/radius_cuda.cuh>
#include <farpoint/point_bvh.cuh>
#include <farpoint/types/device_point_bvh.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Returns the size in bytes of the device workspace of radius() and radius_rows() on the current GPU; 256-byte aligned
/// memory.
///
/// O(1): depends on the sizes of points and queries: knn_workspace_bytes(), plus 8 bytes per 1,024 queries.
template <class Selector = knn_selector, class Points, class Queries>
std::size_t radius_workspace_bytes(cuda_exec, batch<Points> const& points, batch<Queries> const& queries,
                                   radius_params const& = {}) noexcept {
  return detail::device_search_bytes<Selector>(points, queries, false, detail::radius_memory(points, queries));
}

/// Overload for queries that are the points.
template <class Selector = knn_selector, class Points>
std::size_t radius_workspace_bytes(cuda_exec, batch<Points> const& points, radius_params const& = {}) noexcept {
  return detail::device_search_bytes<Selector>(points, points, true, detail::radius_memory(points, points));
}

/// radius_workspace_bound() on the host, for device workspace on any GPU.
/// @tparam Selector  selector of the calls
/// @return ok | bad_argument; on failure `bound` is unchanged
template <class Points, class Selector = knn_selector>
result radius_workspace_bound(cuda_exec, search_limits const& limits, std::size_t& bound) noexcept {
  detail::radius_scan_memory const sums{detail::larger(limits.queries, limits.points)};
  return detail::bound_indexed_search<Selector, Points>(limits, bound, sums);
}

/// radius(), enqueued on a stream: same result as the host overload, to the bit.
///
/// Only enqueues: no synchronization, no allocation; may be captured in a graph. `points`, `queries`, `output` and
/// `workspace` refer to device memory, which must stay valid until the stream has executed the call.
///
/// @tparam Selector  tuning; affects the speed only
/// @return ok | bad_argument | workspace_too_small | cuda_failure. A pending error of other work is neither cleared nor
///         returned.
/// Complexity: as the host overload, plus a BVH of queries other than the points. Lists by distance are made as in
/// knn(). Lists by index of up to 32 neighbors are in registers; longer ones take a warp per query. At most 2^30
/// points. Thread-safe: concurrent calls must not share output or workspace.
template <class Selector = knn_selector, class Points, class Queries>
result radius(cuda_exec exec, batch<Points> const& points, batch<Queries> const& queries, radius_params const& params,
              radius_output<typename Points::scalar> const& output, bytes workspace) noexcept {
  detail::profile_range const range{"farpoint::radius"};
  return detail::named(detail::radius_cuda<Selector>(exec, points, queries, false, params, output, workspace),
                       FARPOINT_WORKSPACE_OF("radius"));
}

/// radius() with the points as queries.
template <class Selector = knn_selector, class Points>
result radius(cuda_exec exec, batch<Points> const& points, radius_params const& params,
              radius_output<typename Points::scalar> const& output, bytes workspace) noexcept {
  detail::profile_range const range{"farpoint::radius"};
  return detail::named(detail::radius_cuda<Selector>(exec, points, points, true, params, output, workspace),
                       FARPOINT_WORKSPACE_OF("radius"));
}

/// Returns the size in bytes of the device workspace of radius() among the points of a BVH, equal to the one of knn().
template <class Selector = knn_selector, class Queries>
std::size_t radius_workspace_bytes(cuda_exec exec, device_point_bvh<typename Queries::scalar> const& index,
                                   batch<Queries> const& queries, radius_params const& = {}) noexcept {
  return knn_workspace_bytes<Selector>(exec, index, queries);
}

/// radius() among the points of a BVH, enqueued on a stream: same result and report as for the points themselves, and
/// the same guarantees. The workspace is optional, as for knn() among the points of a BVH.
/// @return as above
template <class Selector = knn_selector, class Queries>
result radius(cuda_exec exec, device_point_bvh<typename Queries::scalar> const& index, batch<Queries> const& queries,
              radius_params const& params, radius_output<typename Queries::scalar> const& output,
              bytes workspace = {}) noexcept {
  detail::profile_range const range{"farpoint::radius (built index)"};
  return detail::named(detail::radius_cuda<Selector>(exec, index, queries, false, params, output, workspace),
                       FARPOINT_WORKSPACE_OF("radius"));
}

/// radius_rows(), enqueued on a stream, with the rules of radius() above. The required capacity stays on the device, in
/// the last offset and in report->total.
///
/// Complexity: two searches, a scan, and a sort of each row: by a warp for up to 512 neighbors, by a thread for more.
template <class Selector = knn_selector, class Points, class Queries>
result radius_rows(cuda_exec exec, batch<Points> const& points, batch<Queries> const& queries,
                   radius_params const& params, radius_rows_output<typename Points::scalar> const& output,
                   bytes workspace) noexcept {
  detail::profile_range const range{"farpoint::radius_rows"};
  return detail::named(detail::radius_rows_cuda<Selector>(exec, points, queries, false, params, output, workspace),
                       FARPOINT_TOO_SMALL("radius_rows", "workspace", "radius_workspace_bytes"));
}

/// radius_rows() with the points as queries.
template <class Selector = knn_selector, class Points>
result radius_rows(cuda_exec exec, batch<Points> const& points, radius_params const& params,
                   radius_rows_output<typename Points::scalar> const& output, bytes workspace) noexcept {
  detail::profile_range const range{"farpoint::radius_rows"};
  return detail::named(detail::radius_rows_cuda<Selector>(exec, points, points, true, params, output, workspace),
                       FARPOINT_TOO_SMALL("radius_rows", "workspace", "radius_workspace_bytes"));
}

/// Returns the size in bytes of the device workspace of radius_rows() among the points of a BVH: the workspace of
/// radius(), plus 8 bytes per 1,024 queries. Never 0.
template <class Points, class Queries>
std::size_t radius_workspace_bytes(cuda_exec, device_point_bvh<typename Queries::scalar> const& index,
                                   batch<Points> const& points, batch<Queries> const& queries,
                                   radius_params const& = {}) noexcept {
  return detail::built_search_bytes<knn_selector>(index, queries, false, detail::radius_memory(points, queries),
                                                  detail::index_offsets::of_points(index, points));
}

/// radius_rows() among the points of a BVH, enqueued on a stream: same result, report and rules of `points` as the host
/// overload by a point_bvh, and the same guarantees as above. The workspace is required, unlike for radius().
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

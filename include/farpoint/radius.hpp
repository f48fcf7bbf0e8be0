/// @file
/// Neighbours within a fixed radius: host backend.
#pragma once

#include <farpoint/core/batch.hpp>
#include <farpoint/core/host_exec.hpp>
#include <farpoint/core/status.hpp>
#include <farpoint/detail/search/radius_host.hpp>
#include <farpoint/types/radius.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Bytes of workspace that radius() and radius_rows() need on the host; 256-byte aligned memory. As many as knn()
/// needs.
template <class Points, class Queries>
std::size_t radius_workspace_bytes(host_exec exec, batch<Points> const& points,
                                   batch<Queries> const& queries) noexcept {
  return detail::host_search_plan<typename Points::scalar>{exec, points, queries.points().size()}.bytes();
}

/// Up to `max` neighbours within a radius of each query, or only their number.
///
/// radius_order::index: those of lowest index, the ball query of PointNet++ (Qi et al. 2017), which however leaves out
/// points at exactly the radius and repeats the first where this pads with -1. radius_order::nearest: the same as knn()
/// with k = max and this max_radius. With max = 0 only counts are written, and they are complete. Points and queries
/// that are not finite, batches, rows and padding: as in knn().
///
/// @param exec       threads to use; blocks until done
/// @param points     `[clouds, n]` or ragged, metres, three coordinates, host memory
/// @param queries    as many clouds
/// @param params     what is a neighbour
/// @param max        neighbours of a query that are written, 0 to 1,024
/// @param output     see radius_output
/// @param workspace  at least radius_workspace_bytes() bytes, 256-byte aligned, host memory
/// @return ok | bad_argument (a radius that is negative or NaN, max out of range, and what knn() refuses) |
///         workspace_too_small. Nothing is written on failure.
/// Complexity: O(n) to sort the points, and O(log n + points within the radius) for a query; in the order of indices a
/// full list leaves out the boxes without lower ones. Thread-safe: concurrent calls must not share output or workspace.
template <class Points, class Queries>
result radius(host_exec exec, batch<Points> const& points, batch<Queries> const& queries, radius_params const& params,
              index_t max, radius_output<typename Points::scalar> const& output, bytes workspace) noexcept {
  return detail::radius_host(exec, points, queries, false, params, max, output, workspace);
}

/// The points ask among themselves.
template <class Points>
result radius(host_exec exec, batch<Points> const& points, radius_params const& params, index_t max,
              radius_output<typename Points::scalar> const& output, bytes workspace) noexcept {
  return detail::radius_host(exec, points, points, true, params, max, output, workspace);
}

/// All neighbours within a radius of each query, as lists one after another (CSR).
///
/// The offsets are complete whatever the capacity: a call without lists tells how much memory the next one needs. A row
/// that does not fit in whole is left out and counted in the report; nothing is written past the end. 32-bit offsets
/// stop at 2^31 - 1, and rows beyond are left out; report->total is right even then. The rest as in radius().
///
/// @param exec       threads to use; blocks until done
/// @param points     `[clouds, n]` or ragged, metres, three coordinates, host memory
/// @param queries    as many clouds
/// @param params     what is a neighbour
/// @param output     see radius_rows_output
/// @param workspace  at least radius_workspace_bytes() bytes, 256-byte aligned, host memory
/// @return as radius(); nothing is written on failure
/// Complexity: the search of radius() twice, once to count and once to fill, and the sorting of each row.
template <class Points, class Queries>
result radius_rows(host_exec exec, batch<Points> const& points, batch<Queries> const& queries,
                   radius_params const& params, radius_rows_output<typename Points::scalar> const& output,
                   bytes workspace) noexcept {
  return detail::radius_rows_host(exec, points, queries, false, params, output, workspace);
}

/// The points ask among themselves.
template <class Points>
result radius_rows(host_exec exec, batch<Points> const& points, radius_params const& params,
                   radius_rows_output<typename Points::scalar> const& output, bytes workspace) noexcept {
  return detail::radius_rows_host(exec, points, points, true, params, output, workspace);
}

FARPOINT_END_NAMESPACE

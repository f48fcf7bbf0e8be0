/// @file
/// Neighbors within a radius: host backend.
#pragma once

#include <farpoint/core/batch.hpp>
#include <farpoint/core/host_exec.hpp>
#include <farpoint/core/status.hpp>
#include <farpoint/core/workspace.hpp>
#include <farpoint/detail/search/radius_host.hpp>
#include <farpoint/point_bvh.hpp>
#include <farpoint/types/point_bvh.hpp>
#include <farpoint/types/radius.hpp>

#include <vector>

FARPOINT_BEGIN_NAMESPACE

/// Returns the size in bytes of the workspace of radius() and radius_rows() on the host, equal to
/// knn_workspace_bytes(). The workspace must be 256-byte aligned. O(1).
template <class Points, class Queries>
std::size_t radius_workspace_bytes(host_exec exec, batch<Points> const& points, batch<Queries> const& queries,
                                   radius_params const& = {}) noexcept {
  return detail::host_search_bytes(exec, points, queries, false);
}

/// Overload for queries that are the points.
template <class Points>
std::size_t radius_workspace_bytes(host_exec exec, batch<Points> const& points, radius_params const& = {}) noexcept {
  return detail::host_search_bytes(exec, points, points, true);
}

/// Computes a number of bytes of workspace that suffices for radius() and radius_rows() of all searches within the
/// limits on the host. Monotonic in the limits. O(1).
/// @tparam Points  view type of the points, for example point_view<float>
/// @return ok | bad_argument; on failure `bound` is unchanged
template <class Points>
result radius_workspace_bound(host_exec exec, search_limits const& limits, std::size_t& bound) noexcept {
  return detail::bound_host_search<typename Points::scalar>(exec, limits, bound);
}

/// Finds up to params.max_neighbors points within a radius of each query, or only counts them.
///
/// radius_order::index selects the neighbors of lowest index. With params.exclusive this is the ball query of
/// PointNet++ (Qi et al. 2017), except that rows are padded with -1 and not with the first neighbor.
/// radius_order::nearest selects the same neighbors as knn() with k = max_neighbors and max_radius = radius, unless
/// params.exclusive. With max_neighbors = 0 only counts are written, of all points within the radius. Batches, rows,
/// padding and non-finite values: as for knn().
///
/// @param exec       number of threads; blocks until done
/// @param points     `[clouds, n]` or ragged, meters, three coordinates, host memory
/// @param queries    `[clouds, m]` or ragged, with the same number of clouds
/// @param params     see radius_params
/// @param output     see radius_output
/// @param workspace  at least radius_workspace_bytes() bytes, 256-byte aligned, host memory
/// @return ok | bad_argument (a radius that is negative or NaN, max_neighbors out of range, or as for knn()) |
///         workspace_too_small. On failure nothing is written.
/// Complexity: O(n log n) to sort the points, and O(log n + points within the radius) per query. In index order, a
/// query with a full list skips boxes that contain no lower index. Thread-safe: concurrent calls must not share output
/// or workspace.
template <class Points, class Queries>
result radius(host_exec exec, batch<Points> const& points, batch<Queries> const& queries, radius_params const& params,
              radius_output<typename Points::scalar> const& output, bytes workspace) noexcept {
  return detail::named(detail::radius_host(exec, points, queries, false, params, output, workspace),
                       FARPOINT_WORKSPACE_OF("radius"));
}

/// radius() with the points as queries.
template <class Points>
result radius(host_exec exec, batch<Points> const& points, radius_params const& params,
              radius_output<typename Points::scalar> const& output, bytes workspace) noexcept {
  return detail::named(detail::radius_host(exec, points, points, true, params, output, workspace),
                       FARPOINT_WORKSPACE_OF("radius"));
}

/// Returns the size in bytes of the workspace of radius() among the points of a BVH, equal to the one of knn().
template <class Queries>
std::size_t radius_workspace_bytes(host_exec exec, point_bvh<typename Queries::scalar> const& index,
                                   batch<Queries> const& queries, radius_params const& = {}) noexcept {
  return knn_workspace_bytes(exec, index, queries);
}

/// radius() among the points of a BVH: same result as for the points themselves. The workspace may be empty, as for
/// knn().
/// @return ok | bad_argument | workspace_too_small; on failure nothing is written
template <class Queries>
result radius(host_exec exec, point_bvh<typename Queries::scalar> const& index, batch<Queries> const& queries,
              radius_params const& params, radius_output<typename Queries::scalar> const& output,
              bytes workspace = {}) noexcept {
  return detail::named(detail::radius_host(exec, index, queries, false, params, output, workspace),
                       FARPOINT_WORKSPACE_OF("radius"));
}

/// Finds all points within a radius of each query, as consecutive rows (CSR).
///
/// All offsets are written for every capacity: a call without lists computes the memory that the next call needs. A row
/// that does not fit entirely is left out and counted in the report. 32-bit offsets saturate at 2^31 - 1, and rows
/// beyond are left out; report->total is correct even then. Otherwise as radius().
///
/// @param exec       number of threads; blocks until done
/// @param points     `[clouds, n]` or ragged, meters, three coordinates, host memory
/// @param queries    `[clouds, m]` or ragged, with the same number of clouds
/// @param params     see radius_params
/// @param output     see radius_rows_output
/// @param workspace  at least radius_workspace_bytes() bytes, 256-byte aligned, host memory
/// @return as radius(); on failure nothing is written
/// Complexity: two searches as in radius(), one to count and one to fill, and a sort of each row.
template <class Points, class Queries>
result radius_rows(host_exec exec, batch<Points> const& points, batch<Queries> const& queries,
                   radius_params const& params, radius_rows_output<typename Points::scalar> const& output,
                   bytes workspace) noexcept {
  return detail::named(detail::radius_rows_host(exec, points, queries, false, params, output, workspace),
                       FARPOINT_TOO_SMALL("radius_rows", "workspace", "radius_workspace_bytes"));
}

/// radius_rows() with the points as queries.
template <class Points>
result radius_rows(host_exec exec, batch<Points> const& points, radius_params const& params,
                   radius_rows_output<typename Points::scalar> const& output, bytes workspace) noexcept {
  return detail::named(detail::radius_rows_host(exec, points, points, true, params, output, workspace),
                       FARPOINT_TOO_SMALL("radius_rows", "workspace", "radius_workspace_bytes"));
}

/// Returns the size in bytes of the workspace of radius_rows() among the points of a BVH, equal to the one of knn().
template <class Points, class Queries>
std::size_t radius_workspace_bytes(host_exec exec, point_bvh<typename Queries::scalar> const& index,
                                   batch<Points> const&, batch<Queries> const& queries,
                                   radius_params const& = {}) noexcept {
  return radius_workspace_bytes(exec, index, queries);
}

/// radius_rows() among the points of a BVH: same result as for the points themselves. The workspace may be empty, as
/// for knn().
/// @param exec       number of threads; blocks until done
/// @param index      BVH of `points`
/// @param points     points that the BVH was built from, needed to sort rows; offsets that differ from the BVH's are
///                   counted as invalid (radius_report::bad_offsets)
/// @param queries    `[clouds, m]` or ragged, with the same number of clouds as the BVH
/// @param params     see radius_params
/// @param output     see radius_rows_output
/// @param workspace  empty, or at least radius_workspace_bytes() bytes, 256-byte aligned, host memory
/// @return ok | bad_argument | workspace_too_small; on failure nothing is written
template <class Points, class Queries>
result radius_rows(host_exec exec, point_bvh<typename Queries::scalar> const& index, batch<Points> const& points,
                   batch<Queries> const& queries, radius_params const& params,
                   radius_rows_output<typename Queries::scalar> const& output, bytes workspace = {}) noexcept {
  return detail::named(detail::radius_rows_of_index(exec, index, points, queries, params, output, workspace),
                       FARPOINT_TOO_SMALL("radius_rows", "workspace", "radius_workspace_bytes"));
}

#if defined(__cpp_exceptions)

/// Result of radius(), with the memory that holds it.
template <class Scalar>
struct radius_neighbors {
  index_t max = 0;
  std::vector<std::int32_t> indices;  ///< `[queries, max]`; -1 past the count
  std::vector<Scalar> distances;      ///< `[queries, max]`, squared (m^2); +inf past the count
  std::vector<std::int32_t> counts;   ///< `[queries]`: number of neighbors listed, or of all if max is 0
};

/// Deprecated name of radius_neighbors, until 0.2.
template <class Scalar>
using radius_neighbours [[deprecated("farpoint: use radius_neighbors")]] = radius_neighbors<Scalar>;

/// Result of radius_rows(), with the memory that holds it.
template <class Scalar>
struct radius_row_neighbors {
  std::vector<index_t> offsets;       ///< `[queries + 1]`: row r is `[offsets[r], offsets[r + 1])`
  std::vector<std::int32_t> indices;  ///< `[neighbors of all rows]`
  std::vector<Scalar> distances;      ///< `[neighbors of all rows]`, squared (m^2)
};

/// Deprecated name of radius_row_neighbors, until 0.2.
template <class Scalar>
using radius_row_neighbours [[deprecated("farpoint: use radius_row_neighbors")]] = radius_row_neighbors<Scalar>;

namespace detail {

/// Runs a search of `max` neighbors per query, and returns its output in vectors.
/// @param search  `search(output)`: fills the output, and returns a result
template <class Scalar, class Search>
radius_neighbors<Scalar> radius_in_vectors(index_t queries, index_t max, Search const& search) {
  auto const size = static_cast<std::size_t>(max < 0 || max > max_neighbors ? 0 : queries * max);
  radius_neighbors<Scalar> found{max, std::vector<std::int32_t>(size), std::vector<Scalar>(size),
                                 std::vector<std::int32_t>(static_cast<std::size_t>(queries))};
  require_ok(search(radius_output<Scalar>{found.indices, found.distances, found.counts}));
  return found;
}

template <class Points, class Queries>
auto radius_in_vectors(host_exec exec, batch<Points> const& points, batch<Queries> const& queries, bool self,
                       radius_params const& params) {
  host_scratch const workspace{host_search_bytes(exec, points, queries, self)};
  return radius_in_vectors<typename Points::scalar>(
      queries.points().size(), params.max_neighbors,
      [&](auto const& output) { return radius_host(exec, points, queries, self, params, output, workspace); });
}

/// Runs a search for rows twice, to count and to fill, and returns its output in vectors.
/// @param search  `search(output)`: fills the output, and returns a result
template <class Scalar, class Search>
radius_row_neighbors<Scalar> radius_rows_in_vectors(index_t queries, Search const& search) {
  radius_row_neighbors<Scalar> found;
  found.offsets.resize(static_cast<std::size_t>(queries) + 1);
  auto const run = [&] {
    require_ok(search(radius_rows_output<Scalar>{found.offsets, found.indices, found.distances}));
  };
  run();
  found.indices.resize(static_cast<std::size_t>(found.offsets.back()));
  found.distances.resize(found.indices.size());
  run();
  return found;
}

template <class Points, class Queries>
auto radius_rows_in_vectors(host_exec exec, batch<Points> const& points, batch<Queries> const& queries, bool self,
                            radius_params const& params) {
  host_scratch const workspace{host_search_bytes(exec, points, queries, self)};
  return radius_rows_in_vectors<typename Points::scalar>(queries.points().size(), [&](auto const& output) {
    return radius_rows_host(exec, points, queries, self, params, output, workspace);
  });
}

}  // namespace detail

/// @name radius() and radius_rows() of one cloud in a host container
/// `auto found = farpoint::radius(points, {0.5, 32});` The queries are the points, or are in another container; `index`
/// is a BVH of the points. Containers are contiguous, and their elements have a point_layout of two or three
/// coordinates; points of two lie in the plane z = 0. `exec` is all cores by default. The calls allocate the workspace
/// and the result, and radius_rows() searches twice, to count and to fill. They throw std::invalid_argument with the
/// reason, or std::bad_alloc.
/// @{
template <class Container, class = detail::host_elements<Container const>>
auto radius(Container const& points, radius_params const& params, host_exec exec = {}) {
  batch const cloud{detail::search_view(points)};
  return detail::radius_in_vectors(exec, cloud, cloud, true, params);
}

template <class Container, class Queries, class = detail::host_elements<Container const>,
          class = detail::host_elements<Queries const>>
auto radius(Container const& points, Queries const& queries, radius_params const& params, host_exec exec = {}) {
  return detail::radius_in_vectors(exec, batch{detail::search_view(points)}, batch{detail::search_view(queries)}, false,
                                   params);
}

template <class Scalar, class Queries, class = detail::host_elements<Queries const>>
auto radius(point_bvh<Scalar> const& index, Queries const& queries, radius_params const& params, host_exec exec = {}) {
  batch const asked{detail::search_view(queries)};
  host_scratch const workspace{radius_workspace_bytes(exec, index, asked)};
  return detail::radius_in_vectors<Scalar>(asked.points().size(), params.max_neighbors, [&](auto const& output) {
    return radius(exec, index, asked, params, output, workspace);
  });
}

template <class Container, class = detail::host_elements<Container const>>
auto radius_rows(Container const& points, radius_params const& params, host_exec exec = {}) {
  batch const cloud{detail::search_view(points)};
  return detail::radius_rows_in_vectors(exec, cloud, cloud, true, params);
}

template <class Container, class Queries, class = detail::host_elements<Container const>,
          class = detail::host_elements<Queries const>>
auto radius_rows(Container const& points, Queries const& queries, radius_params const& params, host_exec exec = {}) {
  return detail::radius_rows_in_vectors(exec, batch{detail::search_view(points)}, batch{detail::search_view(queries)},
                                        false, params);
}

template <class Scalar, class Container, class Queries, class = detail::host_elements<Container const>,
          class = detail::host_elements<Queries const>>
auto radius_rows(point_bvh<Scalar> const& index, Container const& points, Queries const& queries,
                 radius_params const& params, host_exec exec = {}) {
  batch const cloud{detail::search_view(points)};
  batch const asked{detail::search_view(queries)};
  host_scratch const workspace{radius_workspace_bytes(exec, index, cloud, asked)};
  return detail::radius_rows_in_vectors<Scalar>(asked.points().size(), [&](auto const& output) {
    return radius_rows(exec, index, cloud, asked, params, output, workspace);
  });
}
/// @}

#endif  // defined(__cpp_exceptions)

FARPOINT_END_NAMESPACE

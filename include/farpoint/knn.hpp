/// @file
/// k nearest neighbors: host backend and convenience overloads.
#pragma once

#include <farpoint/core/batch.hpp>
#include <farpoint/core/host_exec.hpp>
#include <farpoint/core/status.hpp>
#include <farpoint/detail/search/knn_host.hpp>
#include <farpoint/geometry/planar_view.hpp>
#include <farpoint/types/knn.hpp>

#include <stdexcept>
#include <vector>

FARPOINT_BEGIN_NAMESPACE

/// Returns the size in bytes of the workspace of knn() on the host; 256-byte aligned memory.
///
/// Exact, O(1). A point takes 20.0 bytes in float and 35.4 in double, a query other than the points 16 and 28, a thread
/// 64. Each cloud of a batch adds at most a leaf, and a group of boxes per level. Independent of k.
template <class Points, class Queries>
std::size_t knn_workspace_bytes(host_exec exec, batch<Points> const& points, batch<Queries> const& queries,
                                knn_params const&) noexcept {
  return detail::host_search_bytes(exec, points, queries, false);
}

/// Overload for queries that are the points.
template <class Points>
std::size_t knn_workspace_bytes(host_exec exec, batch<Points> const& points, knn_params const&) noexcept {
  return detail::host_search_bytes(exec, points, points, true);
}

/// Computes a number of bytes of workspace that suffices for knn() of all searches within the limits on the host, for
/// every k. Monotonic in the limits. O(1).
/// @tparam Points  view type of the points, for example point_view<float>
/// @return ok | bad_argument; on failure `bound` is unchanged
template <class Points>
result knn_workspace_bound(host_exec exec, search_limits const& limits, std::size_t& bound) noexcept {
  return detail::bound_host_search<typename Points::scalar>(exec, limits, bound);
}

/// Finds the k nearest points of each query. The result is unique: the same bits on every backend and for every number
/// of threads.
///
/// Neighbors are ascending by (squared distance, index), so ties go to the lowest index. They are indices into the
/// query's own cloud. A row with fewer than k neighbors is padded. Non-finite points are never neighbors, and
/// non-finite queries have none. Squared distances that overflow are +inf, and tie.
///
/// @param exec       number of threads; blocks until done
/// @param points     `[clouds, n]` or ragged, meters, three coordinates, host memory
/// @param queries    `[clouds, m]` or ragged, with the same number of clouds and the scalar type of the points
/// @param params     see knn_params
/// @param output     see knn_output
/// @param workspace  at least knn_workspace_bytes() bytes, 256-byte aligned, host memory
/// @return ok | bad_argument (k out of range, a radius that is negative or NaN, an output that is too small, batches of
///         different sizes, more than 2^30 points in a cloud, a misaligned workspace) | workspace_too_small. On failure
///         nothing is written. If offsets of points or queries are invalid (see batch), all rows are empty, and the
///         report counts these offsets.
/// Complexity: O(n log n) to sort the points in k-d tree order, and O(log n + k) for a query near its neighbors; O(n)
/// for a query that is equally far from all points. Uses AVX-512, or AVX2 with FMA, if the processor has it.
/// Thread-safe: concurrent calls must not share output or workspace.
template <class Points, class Queries>
result knn(host_exec exec, batch<Points> const& points, batch<Queries> const& queries, knn_params const& params,
           knn_output<typename Points::scalar> const& output, bytes workspace) noexcept {
  return detail::named(detail::knn_host(exec, points, queries, false, params, output, workspace),
                       FARPOINT_WORKSPACE_OF("knn"));
}

/// knn() with the points as queries: each point is its own nearest neighbor, unless the parameters exclude it. Faster
/// than passing the points as queries.
template <class Points>
result knn(host_exec exec, batch<Points> const& points, knn_params const& params,
           knn_output<typename Points::scalar> const& output, bytes workspace) noexcept {
  return detail::named(detail::knn_host(exec, points, points, true, params, output, workspace),
                       FARPOINT_WORKSPACE_OF("knn"));
}

/// Does not compile: the workspace is missing.
template <class Points, class Queries>
result knn(host_exec, batch<Points> const&, batch<Queries> const&, knn_params const&,
           knn_output<typename Points::scalar> const&) noexcept {
  FARPOINT_NEEDS_WORKSPACE("knn", Points);
}
template <class Points>
result knn(host_exec, batch<Points> const&, knn_params const&, knn_output<typename Points::scalar> const&) noexcept {
  FARPOINT_NEEDS_WORKSPACE("knn", Points);
}

#if defined(__cpp_exceptions)

/// Result of knn(), with the memory that holds it.
template <class Scalar>
struct knn_neighbors {
  index_t k = 0;
  std::vector<std::int32_t> indices;  ///< `[queries, k]`; -1 past the last neighbor
  std::vector<Scalar> distances;      ///< `[queries, k]`, squared (m^2); +inf past the last neighbor
};

/// Deprecated name of knn_neighbors, until 0.2.
template <class Scalar>
using knn_neighbours [[deprecated("farpoint: use knn_neighbors")]] = knn_neighbors<Scalar>;

namespace detail {

/// Lists in vectors.
/// @param search  `search(output)`: writes the lists, and returns a result
template <class Scalar, class Search>
knn_neighbors<Scalar> knn_in_vectors(index_t queries, index_t k, Search const& search) {
  if (k < 1 || k > max_neighbors) throw std::invalid_argument{"knn: k is not between 1 and 1,024"};
  auto const size = static_cast<std::size_t>(queries * k);
  knn_neighbors<Scalar> found{k, std::vector<std::int32_t>(size), std::vector<Scalar>(size)};
  require_ok(search(knn_output<Scalar>{found.indices, found.distances}));
  return found;
}

template <class Points, class Queries>
auto knn_in_vectors(host_exec exec, batch<Points> const& points, batch<Queries> const& queries, bool self,
                    knn_params const& params) {
  host_workspace const workspace{host_search_bytes(exec, points, queries, self)};
  return knn_in_vectors<typename Points::scalar>(queries.points().size(), params.k, [&](auto const& output) {
    return knn_host(exec, points, queries, self, params, output, workspace.get());
  });
}

}  // namespace detail

/// knn() of one cloud in a host container: `auto found = farpoint::knn(points, {8, 0.5});`
///
/// Allocates the workspace and the result.
/// @param points  contiguous container of a type that has a point_layout, of two or three coordinates
/// @param exec    number of threads; all cores by default
/// @throws std::invalid_argument with the reason; std::bad_alloc
template <class Container, class = detail::host_elements<Container const>>
auto knn(Container const& points, knn_params const& params, host_exec exec = {}) {
  batch const cloud{detail::search_view(points)};
  return detail::knn_in_vectors(exec, cloud, cloud, true, params);
}

/// knn() of one cloud for queries other than the points, both in host containers.
template <class Container, class Queries, class = detail::host_elements<Container const>,
          class = detail::host_elements<Queries const>>
auto knn(Container const& points, Queries const& queries, knn_params const& params, host_exec exec = {}) {
  return detail::knn_in_vectors(exec, batch{detail::search_view(points)}, batch{detail::search_view(queries)}, false,
                                params);
}

/// @name knn() in containers, or among the points of a BVH, with k alone: `auto found = farpoint::knn(points, 8);`
/// @{
template <class Container, class = detail::host_elements<Container const>>
auto knn(Container const& points, index_t k, host_exec exec = {}) {
  return knn(points, knn_params{k}, exec);
}
template <class Source, class Queries, class = detail::host_elements<Queries const>>
auto knn(Source const& points, Queries const& queries, index_t k, host_exec exec = {}) {
  return knn(points, queries, knn_params{k}, exec);
}
/// @}

#endif  // defined(__cpp_exceptions)

FARPOINT_END_NAMESPACE

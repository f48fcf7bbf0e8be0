/// @file
/// Estimates normals, curvatures and covariances from neighbors: host backend.
#pragma once

#include <farpoint/core/workspace.hpp>
#include <farpoint/detail/search/normal_from_neighbors.hpp>
#include <farpoint/point_bvh.hpp>
#include <farpoint/types/point_bvh.hpp>

FARPOINT_BEGIN_NAMESPACE

namespace FARPOINT_HIDDEN detail {

/// normal_of(), compiled for several instruction sets.
template <class Points>
struct normal_pass {
  using scalar = typename Points::scalar;
  using function = void (*)(Points const&, index_t, neighbor_key<scalar> const*, int, normal_request const&,
                            normal_row<scalar>&) noexcept;

  FARPOINT_ALWAYS_INLINE static void run(Points const& cloud, index_t i, neighbor_key<scalar> const* keys, int count,
                                         normal_request const& wanted, normal_row<scalar>& found) noexcept {
    found = normal_of(cloud, cloud[i], keys, count, wanted);
  }
};

/// estimate_normals() for host_exec.
/// @param source  `points`, or their point_bvh
template <class Source, class Points>
result estimate_normals_host(host_exec exec, Source const& source, batch<Points> const& points,
                             normals_params const& params, normals_output<typename Points::scalar> const& output,
                             bytes workspace) noexcept {
  using scalar = typename Points::scalar;
  auto const normal_of_point = isa_dispatch<normal_pass<Points>>();
  normal_request const wanted = normal_request::of(params, output);
  auto const write = [&](index_t b, index_t i, auto const* keys, int count) {
    normal_row<scalar> found;
    normal_of_point(points[b], i, keys, count, wanted, found);
    write_normal(output, points.begin_of(b) + i, found);
  };
  auto const leave_empty = [&](index_t row) { write_normal(output, row, normal_row<scalar>{}); };
  auto const check = [&] { return check_normals(points.points().size(), params, output); };
  auto const answer = [&](auto const& search) {
    neighbors_by<scalar>(search, {params.k, params.max_radius}, list_consumer{write, leave_empty}, output.report);
  };
  return named(search_on_host(exec, source, points, true, workspace, check, answer),
               FARPOINT_WORKSPACE_OF("estimate_normals"));
}

}  // namespace detail

/// Returns the size in bytes of the workspace of estimate_normals() on the host, equal to knn_workspace_bytes() for
/// these points; 256-byte aligned memory.
template <class Points>
std::size_t estimate_normals_workspace_bytes(host_exec exec, batch<Points> const& points,
                                             normals_params const& params) noexcept {
  return knn_workspace_bytes(exec, points, knn_params{params.k});
}

/// Computes a number of bytes of workspace that suffices for estimate_normals() of all batches within the limits on the
/// host, for any number of neighbors. Monotonic in the limits. O(1).
/// @tparam Points  view type of the points, for example point_view<float>
/// @return ok | bad_argument; on failure `bound` is unchanged
template <class Points>
result estimate_normals_workspace_bound(host_exec exec, batch_limits const& limits, index_t,
                                        std::size_t& bound) noexcept {
  return detail::bound_host_search<typename Points::scalar>(exec, {limits.points, limits.clouds}, bound);
}

/// Estimates the surface normal and the curvature at each point. The normal is the direction in which the k nearest
/// points vary least, facing the viewpoint; the curvature is the surface variation (Pauly et al. 2002). The covariance
/// of these points is an output, too, as registration by generalized ICP (Segal et al. 2009) takes it.
///
/// The normal is (0, 0, 0) and the curvature 0 if the point is not finite, or if its neighbors, itself included, are
/// fewer than three or collinear. The covariance is 0 if the point is not finite. The result has the same bits on every
/// backend.
///
/// @param exec       number of threads; blocks until done
/// @param points     `[clouds, n]` or ragged, meters, three coordinates, host memory
/// @param params     see normals_params
/// @param output     see normals_output
/// @param workspace  at least estimate_normals_workspace_bytes() bytes, 256-byte aligned, host memory
/// @return ok | bad_argument | workspace_too_small; nothing is written on failure
/// Complexity: as knn(). Thread-safe: concurrent calls must not share output or workspace.
template <class Points>
result estimate_normals(host_exec exec, batch<Points> const& points, normals_params const& params,
                        normals_output<typename Points::scalar> const& output, bytes workspace) noexcept {
  return detail::estimate_normals_host(exec, points, points, params, output, workspace);
}

/// Returns 0: on the host, estimate_normals() by a BVH needs no workspace.
template <class Points>
std::size_t estimate_normals_workspace_bytes(host_exec, point_bvh<typename Points::scalar> const&, batch<Points> const&,
                                             normals_params const&) noexcept {
  return 0;
}

/// estimate_normals() by a BVH built from these points: same result. The workspace is unused; the parameter exists
/// because calls on a stream take one. Offsets of `points` that differ from the BVH's offsets are invalid: they are
/// counted (knn_report::bad_offsets), and all rows are empty.
/// @return ok | bad_argument (also if the number of points differs from the BVH's); on failure nothing is written
template <class Points>
result estimate_normals(host_exec exec, point_bvh<typename Points::scalar> const& index, batch<Points> const& points,
                        normals_params const& params, normals_output<typename Points::scalar> const& output,
                        bytes workspace = {}) noexcept {
  return detail::estimate_normals_host(exec, index, points, params, output, workspace);
}

#if defined(__cpp_exceptions)

/// Result of estimate_normals(), with the memory that holds it.
template <class Scalar>
struct estimated_normals {
  std::vector<Scalar> normals;     ///< `[points, 3]`: unit length, or (0, 0, 0) if undefined
  std::vector<Scalar> curvatures;  ///< `[points]`
};

namespace detail {

/// Normals and curvatures in vectors.
/// @param estimate  `estimate(output)`: writes them, and returns a result
template <class Scalar, class Estimate>
estimated_normals<Scalar> normals_in_vectors(index_t points, Estimate const& estimate) {
  auto const size = static_cast<std::size_t>(points);
  estimated_normals<Scalar> found{std::vector<Scalar>(3 * size), std::vector<Scalar>(size)};
  require_ok(estimate(normals_output<Scalar>{found.normals, found.curvatures}));
  return found;
}

}  // namespace detail

/// @name estimate_normals() of one cloud in a host container: `auto found = farpoint::estimate_normals(points);`
/// The container is contiguous, of a type that has a point_layout; `index` is a BVH of the points; `exec` is all cores
/// by default. The calls allocate the workspace and the result. They throw std::invalid_argument with the reason, or
/// std::bad_alloc.
/// @{
template <class Container, class = detail::host_elements<Container const>>
auto estimate_normals(Container const& points, normals_params const& params = {}, host_exec exec = {}) {
  batch const cloud{view_points(points)};
  using scalar = typename std::decay_t<decltype(cloud.points())>::scalar;
  host_scratch const workspace{estimate_normals_workspace_bytes(exec, cloud, params)};
  return detail::normals_in_vectors<scalar>(cloud.points().size(), [&](auto const& output) {
    return estimate_normals(exec, cloud, params, output, workspace);
  });
}

template <class Scalar, class Container, class = detail::host_elements<Container const>>
auto estimate_normals(point_bvh<Scalar> const& index, Container const& points, normals_params const& params = {},
                      host_exec exec = {}) {
  batch const cloud{view_points(points)};
  return detail::normals_in_vectors<Scalar>(
      cloud.points().size(), [&](auto const& output) { return estimate_normals(exec, index, cloud, params, output); });
}
/// @}

#endif  // defined(__cpp_exceptions)

FARPOINT_END_NAMESPACE

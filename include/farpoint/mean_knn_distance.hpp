/// @file
/// Mean squared distance to the k nearest points: host backend.
#pragma once

#include <farpoint/core/workspace.hpp>
#include <farpoint/detail/search/neighbor_means.hpp>
#include <farpoint/knn.hpp>
#include <farpoint/types/point_bvh.hpp>

FARPOINT_BEGIN_NAMESPACE

namespace FARPOINT_HIDDEN detail {

/// mean_knn_distance() for host_exec.
/// @param source  `points`, or their point_bvh
template <class Source, class Points>
result mean_knn_distance_host(host_exec exec, Source const& source, batch<Points> const& points,
                              mean_knn_distance_params const& params,
                              mean_knn_distance_output<typename Points::scalar> const& output,
                              bytes workspace) noexcept {
  using scalar = typename Points::scalar;
  auto const write = [&](index_t b, index_t i, auto const* keys, int count) {
    output.means[static_cast<std::size_t>(points.begin_of(b) + i)] = mean_distance2(keys, count);
  };
  auto const leave_empty = [&](index_t row) { output.means[static_cast<std::size_t>(row)] = no_distance<scalar>; };
  auto const check = [&] { return check_mean_distance(points.points().size(), params, output); };
  auto const answer = [&](auto const& search) {
    neighbors_by<scalar>(search, neighborhood_params{no_distance<double>, true}.with_k(params.k),
                         list_consumer{write, leave_empty}, output.report);
  };
  return named(search_on_host(exec, source, points, true, workspace, check, answer),
               FARPOINT_WORKSPACE_OF("mean_knn_distance"));
}

}  // namespace detail

/// Returns the size in bytes of the workspace of mean_knn_distance() on the host, equal to knn_workspace_bytes() for
/// these points; 256-byte aligned memory.
template <class Points>
std::size_t mean_knn_distance_workspace_bytes(host_exec exec, batch<Points> const& points,
                                              mean_knn_distance_params const& params) noexcept {
  return knn_workspace_bytes(exec, points, knn_params{params.k});
}

/// Computes a number of bytes of workspace that suffices for mean_knn_distance() of all batches within the limits on
/// the host, for any k. Monotonic in the limits. O(1).
/// @tparam Points  view type of the points, for example point_view<float>
/// @return ok | bad_argument; on failure `bound` is unchanged
template <class Points>
result mean_knn_distance_workspace_bound(host_exec exec, batch_limits const& limits, index_t,
                                         std::size_t& bound) noexcept {
  return detail::bound_host_search<typename Points::scalar>(exec, {limits.points, limits.clouds}, bound);
}

/// Computes the mean squared distance (m^2) of each point to its k nearest other points: a measure for outliers, and
/// with k = 3 the initial size of splats in 3D Gaussian splatting (Kerbl et al. 2023).
///
/// A point is excluded from its own neighbors by index, so a duplicate is a neighbor at distance 0. With fewer than k
/// other points, the mean is over all others; without other points, and for a non-finite point, it is +inf. The result
/// has the same bits on every backend: distances are added in ascending order.
///
/// @param exec       number of threads; blocks until done
/// @param points     `[clouds, n]` or ragged, meters, three coordinates, host memory
/// @param params     see mean_knn_distance_params
/// @param output     see mean_knn_distance_output
/// @param workspace  at least mean_knn_distance_workspace_bytes() bytes, 256-byte aligned, host memory
/// @return ok | bad_argument | workspace_too_small; on failure nothing is written
/// Complexity: as knn(). Thread-safe: concurrent calls must not share output or workspace.
template <class Points>
result mean_knn_distance(host_exec exec, batch<Points> const& points, mean_knn_distance_params const& params,
                         mean_knn_distance_output<typename Points::scalar> const& output, bytes workspace) noexcept {
  return detail::mean_knn_distance_host(exec, points, points, params, output, workspace);
}

/// Returns 0: on the host, mean_knn_distance() by a BVH needs no workspace.
template <class Points>
std::size_t mean_knn_distance_workspace_bytes(host_exec, point_bvh<typename Points::scalar> const&,
                                              batch<Points> const&, mean_knn_distance_params const&) noexcept {
  return 0;
}

/// mean_knn_distance() by a BVH built from these points: same result. The workspace is unused; the parameter exists
/// because calls on a stream take one. Offsets of `points` that differ from the BVH's offsets are invalid: they are
/// counted (knn_report::bad_offsets), and all means are +inf.
/// @return ok | bad_argument (also if the number of points differs from the BVH's); on failure nothing is written
template <class Points>
result mean_knn_distance(host_exec exec, point_bvh<typename Points::scalar> const& index, batch<Points> const& points,
                         mean_knn_distance_params const& params,
                         mean_knn_distance_output<typename Points::scalar> const& output,
                         bytes workspace = {}) noexcept {
  return detail::mean_knn_distance_host(exec, index, points, params, output, workspace);
}

#if defined(__cpp_exceptions)

/// @name mean_knn_distance() of one cloud in a host container: `auto means = farpoint::mean_knn_distance(points, 3);`
/// One mean per point. The container is contiguous, of a type that has a point_layout, of two or three coordinates;
/// `index` is a BVH of the points; `exec` is all cores by default. The calls allocate the workspace and the result.
/// They throw std::invalid_argument with the reason, or std::bad_alloc.
/// @{
template <class Container, class = detail::host_elements<Container const>>
auto mean_knn_distance(Container const& points, index_t k, host_exec exec = {}) {
  batch const cloud{detail::search_view(points)};
  using scalar = typename std::decay_t<decltype(cloud.points())>::scalar;
  std::vector<scalar> means(static_cast<std::size_t>(cloud.points().size()));
  host_scratch const workspace{mean_knn_distance_workspace_bytes(exec, cloud, {k})};
  detail::require_ok(mean_knn_distance(exec, cloud, {k}, {means}, workspace));
  return means;
}
template <class Scalar, class Container, class = detail::host_elements<Container const>>
auto mean_knn_distance(point_bvh<Scalar> const& index, Container const& points, index_t k, host_exec exec = {}) {
  batch const cloud{detail::search_view(points)};
  std::vector<Scalar> means(static_cast<std::size_t>(cloud.points().size()));
  detail::require_ok(mean_knn_distance(exec, index, cloud, {k}, {means}));
  return means;
}
/// @}

#endif  // defined(__cpp_exceptions)

FARPOINT_END_NAMESPACE

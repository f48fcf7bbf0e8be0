/// @file
/// The mean squared distance to the k nearest points: host backend.
#pragma once

#include <farpoint/core/workspace.hpp>
#include <farpoint/detail/search/mean_distance.hpp>
#include <farpoint/knn.hpp>
#include <farpoint/types/point_bvh.hpp>

FARPOINT_BEGIN_NAMESPACE

namespace detail {

/// mean_knn_distance() by a search_of_points or search_of_index, of the points among themselves.
template <class Search, class Points>
void mean_knn_distance_by(Search const& search, batch<Points> const& points, index_t k,
                          span<typename Points::scalar> means, knn_report* report) noexcept {
  using scalar = typename Points::scalar;
  exact method;
  method.exclude_self = true;
  auto const write = [&](index_t b, index_t i, auto const* keys, int count) {
    means[static_cast<std::size_t>(points.begin_of(b) + i)] = mean_distance2(keys, count);
  };
  auto const leave_empty = [&](index_t row) { means[static_cast<std::size_t>(row)] = no_distance<scalar>; };
  neighbours_by<scalar>(search, method, k, list_consumer{write, leave_empty}, report);
}

}  // namespace detail

/// Bytes of workspace that mean_knn_distance() needs on the host; 256-byte aligned memory. As many as
/// knn_workspace_bytes() for the same points.
template <class Points>
std::size_t mean_knn_distance_workspace_bytes(host_exec exec, batch<Points> const& points, index_t k) noexcept {
  return knn_workspace_bytes(exec, points, exact{}, k);
}

/// Bytes of workspace that are enough for mean_knn_distance() of all batches within the limits on the host, for so many
/// neighbours or fewer. Never less for higher limits. O(1).
/// @tparam Points  the view of the points: point_view<float>
/// @return ok | bad_argument; then `bound` stays as it is
template <class Points>
result mean_knn_distance_workspace_bound(host_exec exec, batch_limits const& limits, index_t,
                                         std::size_t& bound) noexcept {
  return detail::bound_host_search<typename Points::scalar>(exec, {limits.points, limits.clouds}, bound);
}

/// Computes the mean squared distance (m^2) of each point to its k nearest others: a measure of outliers, and with k =
/// 3 the initial size of splats in 3D Gaussian splatting (Kerbl et al. 2023).
///
/// A point is excluded from its own neighbours by index, so a duplicate is a neighbour at distance 0. With fewer than k
/// others, the mean is of those; with none, and for a point that is not finite, it is +inf. The same bits on every
/// backend: distances are added in ascending order.
///
/// @param exec       threads to use; blocks until done
/// @param points     `[clouds, n]` or ragged, metres, three coordinates, host memory
/// @param k          neighbours of a point, 1 to 1,024
/// @param means      `[points]`: one for each point of the view; those of points in no cloud are not written
/// @param workspace  at least mean_knn_distance_workspace_bytes() bytes, 256-byte aligned, host memory
/// @param report     optional, see knn_report; overwritten. Where offsets are wrong, all means are +inf
/// @return ok | bad_argument | workspace_too_small; nothing is written on failure
/// Complexity: as knn(). Thread-safe: concurrent calls must not share means or workspace.
template <class Points>
result mean_knn_distance(host_exec exec, batch<Points> const& points, index_t k, span<typename Points::scalar> means,
                         bytes workspace, knn_report* report = nullptr) noexcept {
  if (result const checked = detail::check_host_search(exec, points, points); !checked) return checked;
  if (result const checked = detail::check_mean_distance(points.points().size(), k, means); !checked) return checked;
  auto const answer = [&](auto const& search) { detail::mean_knn_distance_by(search, points, k, means, report); };
  return detail::named(detail::search_in_workspace(exec, points, points, true, workspace, answer),
                       FARPOINT_WORKSPACE_OF("mean_knn_distance"));
}

/// Bytes of workspace for mean_knn_distance() by a BVH: none on the host.
template <class Points>
std::size_t mean_knn_distance_workspace_bytes(host_exec, point_bvh<typename Points::scalar> const&,
                                              batch<Points> const&, index_t) noexcept {
  return 0;
}

/// mean_knn_distance() by a BVH that has been built of these very points: the same answer. The workspace is not needed:
/// calls on a stream take one.
/// Offsets of `points` that differ from the BVH's are wrong: they are counted (knn_report::bad_offsets), and all rows
/// are empty.
/// @return ok | bad_argument (also for another number of points than the BVH has); nothing is written on failure
template <class Points>
result mean_knn_distance(host_exec exec, point_bvh<typename Points::scalar> const& index, batch<Points> const& points,
                         index_t k, span<typename Points::scalar> means, [[maybe_unused]] bytes workspace = {},
                         knn_report* report = nullptr) noexcept {
  using index_type = point_bvh<typename Points::scalar>;
  if (result const checked = detail::check_host_search(exec, points, points); !checked) return checked;
  if (result const checked = detail::check_own_index(index, points); !checked) return checked;
  if (result const checked = detail::check_mean_distance(points.points().size(), k, means); !checked) return checked;
  detail::search_of_index<index_type, Points> const search{exec, index, points, true};
  detail::mean_knn_distance_by(search, points, k, means, report);
  return {};
}

#if defined(__cpp_exceptions)

/// mean_knn_distance() of one cloud in a host container, on all cores: `auto means =
/// farpoint::mean_knn_distance(points, 3);`, one for each point. Allocates the workspace and the answer.
/// @param points  contiguous container of a type that has a point_layout
/// @throws std::invalid_argument with the reason; std::bad_alloc
template <class Container, class = detail::host_elements<Container const>>
auto mean_knn_distance(Container const& points, index_t k) {
  batch const cloud{view_points(points)};
  using scalar = typename std::decay_t<decltype(cloud.points())>::scalar;
  std::vector<scalar> means(static_cast<std::size_t>(cloud.points().size()));
  host_scratch const workspace{mean_knn_distance_workspace_bytes(host_exec{}, cloud, k)};
  detail::require_ok(mean_knn_distance(host_exec{}, cloud, k, span<scalar>{means}, workspace));
  return means;
}

#endif  // defined(__cpp_exceptions)

FARPOINT_END_NAMESPACE

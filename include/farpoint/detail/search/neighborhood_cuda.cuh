/// @file
/// Hands the k nearest points of each point to a consumer, on a CUDA stream.
#pragma once

#include <farpoint/detail/search/packets/lists.cuh>
#include <farpoint/detail/search/with_index.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Bytes of workspace of a search for the k nearest of each point.
template <class Selector, class Points>
std::size_t neighbors_bytes(batch<Points> const& points, index_t k) noexcept {
  if (k > max_neighbors) return 0;
  return indexed_search_bytes<Selector>(points, no_memory{});
}

/// Sets the bytes that are enough for searches within the limits for the k nearest or fewer.
template <class Selector, class Points>
result bound_neighbors(batch_limits const& limits, index_t k, std::size_t& bound) noexcept {
  if (k < 0 || k > max_neighbors) return reject("limits: k is not between 0 and 1,024");
  return bound_indexed_search<Selector, Points>({limits.points, limits.clouds}, no_memory{}, bound);
}

/// Source of a search of points among themselves that builds its index in the workspace; a device_point_bvh is another.
struct own_points {};

/// Checks the points of a search among themselves.
template <class Points>
result check_source(own_points, batch<Points> const& points) noexcept {
  return check_device_search(points, points);
}

/// Builds the index and hands the list of each point to a consumer. Checks the workspace; the rest has been checked.
template <class Selector, class Points, class Consumer>
FARPOINT_HIDDEN result neighbors_on_device(cuda_exec exec, own_points, batch<Points> const& points,
                                           knn_request<typename Points::scalar> const& request,
                                           Consumer const& consumer, knn_report* report, bytes workspace) noexcept {
  return search_points_on_device<Selector>(exec, points, points, true, report, workspace, no_memory{}, request.k,
                                           [&](kernel_launcher& launcher, auto const& queries, bytes) {
                                             run_neighbor_lists<Selector>(launcher, queries, request, consumer, report);
                                           });
}

}  // namespace detail
FARPOINT_END_NAMESPACE

/// @file
/// Passes the nearest points of each query to a consumer of the caller's: host backend.
#pragma once

#include <farpoint/knn.hpp>
#include <farpoint/types/neighborhood.hpp>
#include <farpoint/types/point_bvh.hpp>

FARPOINT_BEGIN_NAMESPACE

namespace FARPOINT_HIDDEN detail {

/// for_each_neighborhood() for host_exec.
/// @param source  points, or a point_bvh
template <int K, class Source, class Queries, class Consumer>
result consume_on_host(host_exec exec, Source const& source, batch<Queries> const& queries, bool self,
                       neighborhood_params const& params, Consumer const& consumer, bytes workspace,
                       knn_report* report) noexcept {
  using scalar = typename Queries::scalar;
  check_consumer<Consumer, scalar, K>();
  auto const leave_empty = [&](index_t row) { consumer.leave_empty(row); };
  auto const write = [&](index_t b, index_t i, neighbor_key<scalar> const* keys, int) {
    index_t const row = queries.begin_of(b) + i;
    // There are no keys of a query that is not finite.
    if (keys == nullptr) return leave_empty(row);
    consumer(neighborhood_query<scalar>{b, i, row, queries[b][i]},
             neighborhood<scalar, K>::of([keys](int j) { return keys[j]; }));
  };
  auto const check = [&] { return check_neighborhoods(params); };
  auto const answer = [&](auto const& search) {
    neighbors_by<scalar>(search, params.with_k(K), list_consumer{write, leave_empty}, report);
  };
  return named(search_on_host(exec, source, queries, self, workspace, check, answer),
               FARPOINT_TOO_SMALL("for_each_neighborhood", "workspace", "knn_workspace_bytes"));
}

}  // namespace detail

/// Finds the K nearest points of each query and passes them to a consumer, without an array of neighbors in between:
/// for sums, densities, planes, and steps of a registration.
///
/// A consumer is a struct of the caller's, the same for host and device, with two members that return nothing:
///
///     operator()(neighborhood_query<Scalar> const& query, neighborhood<Scalar, K> const& list) const
///     leave_empty(index_t row) const
///
/// Exactly one of them is called for each query, once: leave_empty() if the query is not finite, or for all rows of the
/// view if offsets are invalid. Queries that are in no cloud of a ragged batch get no call. A list has the neighbors
/// that knn() writes, in the same order, to the bit; it is shorter than K if there are fewer, and may be empty.
///
/// The order of the calls is unspecified, and the threads of `exec` make several at once, so no call may depend on
/// another. A call may write memory that belongs to its row, and change shared memory by atomic operations. It must not
/// throw.
///
/// @tparam K         number of neighbors per query, 1 to 32
/// @param exec       number of threads; blocks until done
/// @param points     `[clouds, n]` or ragged, meters, three coordinates, host memory
/// @param queries    `[clouds, m]` or ragged, with the same number of clouds and the scalar type of the points
/// @param params     see neighborhood_params
/// @param consumer   see above
/// @param workspace  at least knn_workspace_bytes(exec, points, queries, knn_params{K}) bytes, 256-byte aligned, host
///                   memory
/// @param report     optional, see knn_report; overwritten
/// @return ok | bad_argument | workspace_too_small, as knn(); on failure the consumer is not called
/// Complexity: as knn(). Thread-safe: concurrent calls must not share the workspace.
template <int K, class Points, class Queries, class Consumer>
result for_each_neighborhood(host_exec exec, batch<Points> const& points, batch<Queries> const& queries,
                             neighborhood_params const& params, Consumer const& consumer, bytes workspace,
                             knn_report* report = nullptr) noexcept {
  return detail::consume_on_host<K>(exec, points, queries, false, params, consumer, workspace, report);
}

/// for_each_neighborhood() with the points as queries: each point is its own nearest neighbor, unless the parameters
/// exclude it. The workspace has knn_workspace_bytes(exec, points, knn_params{K}) bytes.
template <int K, class Points, class Consumer>
result for_each_neighborhood(host_exec exec, batch<Points> const& points, neighborhood_params const& params,
                             Consumer const& consumer, bytes workspace, knn_report* report = nullptr) noexcept {
  return detail::consume_on_host<K>(exec, points, points, true, params, consumer, workspace, report);
}

/// for_each_neighborhood() among the points of a BVH: same lists as for the points themselves. The workspace has
/// knn_workspace_bytes(exec, index, queries) bytes, or is empty: then queries in random order take up to twice the
/// time.
template <int K, class Queries, class Consumer>
result for_each_neighborhood(host_exec exec, point_bvh<typename Queries::scalar> const& index,
                             batch<Queries> const& queries, neighborhood_params const& params, Consumer const& consumer,
                             bytes workspace = {}, knn_report* report = nullptr) noexcept {
  return detail::consume_on_host<K>(exec, index, queries, false, params, consumer, workspace, report);
}

FARPOINT_END_NAMESPACE

/// @file
/// The k nearest neighbours, on a CUDA stream. See knn.hpp.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/detail/search/knn_cuda.cuh>

FARPOINT_BEGIN_NAMESPACE

/// Bytes of device workspace that knn() needs on the current GPU; 256-byte aligned memory.
///
/// O(1): a function of the sizes of points and queries; 0 for points that are refused. A point takes 29 bytes in float
/// and 46 in double. Queries that are not the points take as much as points if
/// there are more than an eighth as many: a BVH of the queries gives them an order.
template <class Selector = knn_selector, class Points, class Queries>
std::size_t knn_workspace_bytes(cuda_exec, batch<Points> const& points, batch<Queries> const& queries, exact const&,
                                index_t) noexcept {
  return detail::indexed_search_bytes<Selector>(points,
                                                detail::query_order_of<Selector>(queries, points.points().size()));
}

/// The same where the queries are the points.
template <class Selector = knn_selector, class Points>
std::size_t knn_workspace_bytes(cuda_exec, batch<Points> const& points, exact const&, index_t) noexcept {
  return detail::indexed_search_bytes<Selector>(points,
                                                detail::query_order_of<Selector>(points, points.points().size(), true));
}

/// Bytes of device workspace that are enough for knn() of all searches within the limits on any GPU, whatever k. Never
/// less for higher limits. O(1).
/// @tparam Points    the view of the points: point_view<float>
/// @tparam Selector  that of the calls
/// @return ok | bad_argument; then `bound` stays as it is
template <class Points, class Selector = knn_selector>
result knn_workspace_bound(cuda_exec, search_limits const& limits, std::size_t& bound) noexcept {
  return detail::bound_indexed_search<Selector, Points>(limits, detail::order_of_at_most<Selector, Points>(limits),
                                                        bound);
}

/// knn(), enqueued on a stream: the same answer as that of the host overload, to the bit.
///
/// Only enqueues: no synchronisation, no allocation; may be captured in a graph. `points`, `queries`, `output` and
/// `workspace` refer to device memory that must stay valid until the stream has passed the call.
///
/// @tparam Selector  tuning; affects the speed only
/// @return ok | bad_argument | workspace_too_small | cuda_failure. Never clears or returns a pending error of other
///         work.
/// Complexity: as the host overload. A memset and a launch build the index and one searches; another memset and
/// launch build a BVH of queries that are not the points. They wait for room for one block, not for the whole device.
/// Lists of up to 64 (32 in double) are in registers, longer ones in shared memory. At most 2^30 points. Thread-safe:
/// concurrent calls must not share output or workspace.
template <class Selector = knn_selector, class Points, class Queries>
result knn(cuda_exec exec, batch<Points> const& points, batch<Queries> const& queries, exact const& method, index_t k,
           knn_output<typename Points::scalar> const& output, bytes workspace) noexcept {
  return detail::named(detail::knn_cuda<Selector>(exec, points, queries, false, method, k, output, workspace),
                       FARPOINT_WORKSPACE_OF("knn"));
}

/// The same where the queries are the points: each is its own nearest neighbour, unless the method excludes it. Faster
/// than passing the points as queries.
template <class Selector = knn_selector, class Points>
result knn(cuda_exec exec, batch<Points> const& points, exact const& method, index_t k,
           knn_output<typename Points::scalar> const& output, bytes workspace) noexcept {
  return detail::named(detail::knn_cuda<Selector>(exec, points, points, true, method, k, output, workspace),
                       FARPOINT_WORKSPACE_OF("knn"));
}

FARPOINT_END_NAMESPACE

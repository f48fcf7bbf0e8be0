/// @file
/// Nearest neighbours on a CUDA stream. See knn.hpp for what knn() finds.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/detail/search/knn_cuda.cuh>

FARPOINT_BEGIN_NAMESPACE

/// Bytes of device workspace that knn() needs on the current GPU; 256-byte aligned memory. O(1): a function of the
/// sizes of points and queries; 0 for points that are refused. A point takes 29 bytes in float and 46 in double, a
/// query that is no point 16 bytes, from 16,384 of them on.
template <class Selector = knn_selector, class Points, class Queries>
std::size_t knn_workspace_bytes(cuda_exec, batch<Points> const& points, batch<Queries> const& queries, exact const&,
                                index_t) noexcept {
  return detail::indexed_search_bytes<Selector>(points, detail::query_order_of(queries, false));
}

/// For points that ask among themselves.
template <class Selector = knn_selector, class Points>
std::size_t knn_workspace_bytes(cuda_exec, batch<Points> const& points, exact const&, index_t) noexcept {
  return detail::indexed_search_bytes<Selector>(points, detail::query_order_of(points, true));
}

/// knn(), enqueued on a stream: the rules and the bits of the host overload.
///
/// Only enqueues: no synchronisation, no allocation; may be captured in a graph. Everything that `points`, `queries`
/// and `output` point to, and `workspace`, is device memory that must stay valid until the stream has passed the call.
///
/// @tparam Selector  tuning; changes the speed only
/// @return ok | bad_argument | workspace_too_small | cuda_failure. Never clears or returns an error of somebody else's.
///         Offsets that decrease or leave the view cannot be refused here: where the points' do, nobody has neighbours;
///         where the queries' do, their rows may be anything.
/// Complexity: that of the host overload. One launch that builds the index, whose blocks are all resident, and one for
/// the search; fourteen more that put queries in order that are not the points. Lists of up to 32 (16 in double) are in
/// registers, longer ones in shared memory. At most 2^30 points. Thread-safe: concurrent calls must not share output or
/// workspace.
template <class Selector = knn_selector, class Points, class Queries>
result knn(cuda_exec exec, batch<Points> const& points, batch<Queries> const& queries, exact const& method, index_t k,
           knn_output<typename Points::scalar> const& output, bytes workspace) noexcept {
  return detail::knn_cuda<Selector>(exec, points, queries, false, method, k, output, workspace);
}

/// The points ask among themselves: each is its own nearest neighbour, unless the method excludes it. Faster than
/// giving them as queries, with the same answer.
template <class Selector = knn_selector, class Points>
result knn(cuda_exec exec, batch<Points> const& points, exact const& method, index_t k,
           knn_output<typename Points::scalar> const& output, bytes workspace) noexcept {
  return detail::knn_cuda<Selector>(exec, points, points, true, method, k, output, workspace);
}

FARPOINT_END_NAMESPACE

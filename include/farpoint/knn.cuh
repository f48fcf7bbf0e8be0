/// @file
/// k nearest neighbors on a CUDA stream. See knn.hpp.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/detail/search/knn_cuda.cuh>

FARPOINT_BEGIN_NAMESPACE

/// Returns the size in bytes of the device workspace of knn() on the current GPU; 256-byte aligned memory.
///
/// O(1): depends on the sizes of points and queries; 0 for points that knn() rejects. A point takes 29 bytes in float
/// and 46 in double. A query takes the bytes of a point if the queries are not the points, are 12,288 or more, and more
/// than an eighth of the points: a BVH of the queries orders the queries.
template <class Selector = knn_selector, class Points, class Queries>
std::size_t knn_workspace_bytes(cuda_exec, batch<Points> const& points, batch<Queries> const& queries,
                                knn_params const&) noexcept {
  return detail::device_search_bytes<Selector>(points, queries, false);
}

/// Overload for queries that are the points.
template <class Selector = knn_selector, class Points>
std::size_t knn_workspace_bytes(cuda_exec, batch<Points> const& points, knn_params const&) noexcept {
  return detail::device_search_bytes<Selector>(points, points, true);
}

/// knn_workspace_bound() on the host, for device workspace on any GPU.
/// @tparam Selector  selector of the calls
/// @return ok | bad_argument; on failure `bound` is unchanged
template <class Points, class Selector = knn_selector>
result knn_workspace_bound(cuda_exec, search_limits const& limits, std::size_t& bound) noexcept {
  return detail::bound_indexed_search<Selector, Points>(limits, bound);
}

/// knn(), enqueued on a stream: same result as the host overload, to the bit.
///
/// Only enqueues: no synchronization, no allocation; may be captured in a graph. `points`, `queries`, `output` and
/// `workspace` refer to device memory, which must stay valid until the stream has executed the call.
///
/// @tparam Selector  tuning; affects the speed only
/// @return ok | bad_argument | workspace_too_small | cuda_failure. A pending error of other work is neither cleared nor
///         returned.
/// Complexity: as the host overload; O(queries * points of the largest cloud) for small clouds, which are searched
/// without an index by one launch: see knn_selector::scan_self. Otherwise a memset and a launch build the index and
/// one searches; another memset and launch build a BVH of queries that are not the points. Each launch needs room for
/// one block, not the whole device. Lists of up to 64 neighbors (32 in double) are in registers, longer ones in shared
/// memory. At most 2^30 points. Thread-safe: concurrent calls must not share output or workspace.
template <class Selector = knn_selector, class Points, class Queries>
result knn(cuda_exec exec, batch<Points> const& points, batch<Queries> const& queries, knn_params const& params,
           knn_output<typename Points::scalar> const& output, bytes workspace) noexcept {
  return detail::named(
      detail::knn_cuda<Selector, detail::query_kind::others>(exec, points, queries, params, output, workspace),
      FARPOINT_WORKSPACE_OF("knn"));
}

/// knn() with the points as queries: each point is its own nearest neighbor, unless the parameters exclude it. Faster
/// than passing the points as queries.
template <class Selector = knn_selector, class Points>
result knn(cuda_exec exec, batch<Points> const& points, knn_params const& params,
           knn_output<typename Points::scalar> const& output, bytes workspace) noexcept {
  return detail::named(
      detail::knn_cuda<Selector, detail::query_kind::points>(exec, points, points, params, output, workspace),
      FARPOINT_WORKSPACE_OF("knn"));
}

FARPOINT_END_NAMESPACE

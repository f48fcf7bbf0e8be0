/// @file
/// Passes the nearest points of each query to a consumer of the caller's, on a CUDA stream. See
/// for_each_neighborhood.hpp.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/core/profile_range.cuh>
#include <farpoint/detail/search/packets/consumer.cuh>
#include <farpoint/knn.cuh>
#include <farpoint/types/device_point_bvh.hpp>

FARPOINT_BEGIN_NAMESPACE

/// for_each_neighborhood(), enqueued on a stream: the same lists as on the host, to the bit.
///
/// Only enqueues: no synchronization, no allocation; may be captured in a graph. A consumer is trivially copyable, and
/// is copied at the call; its members are `__device__`, or `__host__ __device__` for both backends. A call runs in the
/// thread of the query, a lane of a warp whose other lanes may be inactive or have other queries: it must not
/// synchronize with other threads, by barriers or by operations of a warp, and has no shared memory. The list is in
/// registers as long as it is read by list.for_each(), or by indices that are constant after unrolling.
///
/// nvcc fuses a * b + c into one rounding, and a host compiler may not: a consumer computes the same bits on both if it
/// uses fma_rn(), mul_rn() and add_rn().
///
/// @tparam K         number of neighbors per query, 1 to 32
/// @tparam Selector  tuning; affects the speed only
/// @param exec       the stream
/// @param points     `[clouds, n]` or ragged, meters, three coordinates, device memory
/// @param queries    `[clouds, m]` or ragged, with the same number of clouds and the scalar type of the points
/// @param params     see neighborhood_params
/// @param consumer   see the host overload
/// @param workspace  at least knn_workspace_bytes<Selector>(exec, points, queries, knn_params{K}) bytes, 256-byte
///                   aligned, device memory
/// @param report     optional, see knn_report; device memory, overwritten
/// @return ok | bad_argument | workspace_too_small | cuda_failure, as knn(). On failure the consumer is not called. A
///         pending error of other work is neither cleared nor returned.
/// Complexity: as knn(), with one kernel for each K, type of points, and consumer, which takes 2 to 5 s to compile.
/// Thread-safe: concurrent calls must not share the workspace.
template <int K, class Selector = knn_selector, class Points, class Queries, class Consumer>
result for_each_neighborhood(cuda_exec exec, batch<Points> const& points, batch<Queries> const& queries,
                             neighborhood_params const& params, Consumer const& consumer, bytes workspace,
                             knn_report* report = nullptr) noexcept {
  detail::profile_range const range{"farpoint::for_each_neighborhood"};
  return detail::named(detail::consume_on_device<K, detail::query_kind::others, Selector>(exec, points, queries, params,
                                                                                          consumer, workspace, report),
                       FARPOINT_TOO_SMALL("for_each_neighborhood", "workspace", "knn_workspace_bytes"));
}

/// for_each_neighborhood() with the points as queries: each point is its own nearest neighbor, unless the parameters
/// exclude it. The workspace has knn_workspace_bytes<Selector>(exec, points, knn_params{K}) bytes.
template <int K, class Selector = knn_selector, class Points, class Consumer>
result for_each_neighborhood(cuda_exec exec, batch<Points> const& points, neighborhood_params const& params,
                             Consumer const& consumer, bytes workspace, knn_report* report = nullptr) noexcept {
  detail::profile_range const range{"farpoint::for_each_neighborhood"};
  return detail::named(detail::consume_on_device<K, detail::query_kind::points, Selector>(exec, points, points, params,
                                                                                          consumer, workspace, report),
                       FARPOINT_TOO_SMALL("for_each_neighborhood", "workspace", "knn_workspace_bytes"));
}

/// for_each_neighborhood() among the points of a BVH, enqueued on a stream: same lists and report as for the points
/// themselves, and the same guarantees. The workspace has knn_workspace_bytes<Selector>(exec, index, queries) bytes, or
/// is empty: then queries are answered in the order of the view, more slowly if there are many.
template <int K, class Selector = knn_selector, class Queries, class Consumer>
result for_each_neighborhood(cuda_exec exec, device_point_bvh<typename Queries::scalar> const& index,
                             batch<Queries> const& queries, neighborhood_params const& params, Consumer const& consumer,
                             bytes workspace = {}, knn_report* report = nullptr) noexcept {
  detail::profile_range const range{"farpoint::for_each_neighborhood (built index)"};
  return detail::named(detail::consume_on_device<K, detail::query_kind::others, Selector>(exec, index, queries, params,
                                                                                          consumer, workspace, report),
                       FARPOINT_TOO_SMALL("for_each_neighborhood", "workspace", "knn_workspace_bytes"));
}

FARPOINT_END_NAMESPACE

/// @file
/// Interpolates features between points, on a CUDA stream. See interpolate.hpp.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/core/profile_range.cuh>
#include <farpoint/detail/search/interpolate_cuda.cuh>
#include <farpoint/types/device_point_bvh.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Returns the size in bytes of the device workspace of interpolate() on the current GPU, equal to
/// knn_workspace_bytes() for these points and queries; 256-byte aligned memory. O(1).
template <class Selector = knn_selector, class Points, class Queries>
std::size_t interpolate_workspace_bytes(cuda_exec, batch<Points> const& points,
                                        batch<Queries> const& queries) noexcept {
  return detail::device_search_bytes<Selector>(points, queries, false);
}

/// interpolate_workspace_bound() on the host, for device workspace on any GPU.
/// @tparam Selector  selector of the calls
/// @return ok | bad_argument; on failure `bound` is unchanged
template <class Points, class Selector = knn_selector>
result interpolate_workspace_bound(cuda_exec, search_limits const& limits, std::size_t& bound) noexcept {
  return detail::bound_indexed_search<Selector, Points>(limits, bound);
}

/// interpolate(), enqueued on a stream: same result as the host overload, to the bit.
///
/// Only enqueues: no synchronization, no allocation; may be captured in a graph. All memory of the arguments is device
/// memory and must stay valid until the stream has executed the call.
///
/// @tparam Selector  tuning; affects the speed only
/// @return ok | bad_argument | workspace_too_small | cuda_failure. A pending error of other work is neither cleared nor
///         returned.
/// Complexity: construction of the index and of a BVH of the queries, one search per query, and O(queries * channels).
/// At most 2^30 points. Thread-safe: concurrent calls must not share output or workspace.
template <class Selector = knn_selector, class Points, class Queries>
result interpolate(cuda_exec exec, batch<Points> const& points, span<float const> features,
                   batch<Queries> const& queries, index_t channels, interpolate_output const& output,
                   bytes workspace) noexcept {
  detail::profile_range const range{"farpoint::interpolate"};
  return detail::named(detail::interpolate_cuda<Selector>(exec, points, features, queries, channels, output, workspace),
                       FARPOINT_WORKSPACE_OF("interpolate"));
}

/// Returns the size in bytes of the device workspace of interpolate() among the points of a BVH, equal to the one of
/// knn().
template <class Queries>
std::size_t interpolate_workspace_bytes(cuda_exec, device_point_bvh<typename Queries::scalar> const& index,
                                        batch<Queries> const& queries) noexcept {
  return detail::built_search_bytes<knn_selector>(index, queries, false);
}

/// interpolate() among the points of a BVH, enqueued on a stream: same result and report as for the points themselves,
/// whose features these are, and the same guarantees. The workspace is optional, as for knn() among the points of a
/// BVH.
/// @return as above
template <class Queries>
result interpolate(cuda_exec exec, device_point_bvh<typename Queries::scalar> const& index, span<float const> features,
                   batch<Queries> const& queries, index_t channels, interpolate_output const& output,
                   bytes workspace = {}) noexcept {
  detail::profile_range const range{"farpoint::interpolate (built index)"};
  return detail::named(
      detail::interpolate_cuda<knn_selector>(exec, index, features, queries, channels, output, workspace),
      FARPOINT_WORKSPACE_OF("interpolate"));
}

FARPOINT_END_NAMESPACE

/// @file
/// Estimates normals, curvatures and covariances from neighbors, on a CUDA stream. See estimate_normals.hpp.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/core/profile_range.cuh>
#include <farpoint/detail/search/neighbors_cuda.cuh>

FARPOINT_BEGIN_NAMESPACE

/// Returns the size in bytes of the device workspace of estimate_normals() on the current GPU; 256-byte aligned memory.
/// O(1). It holds the index.
template <class Selector = knn_selector, class Points>
std::size_t estimate_normals_workspace_bytes(cuda_exec, batch<Points> const& points,
                                             normals_params const& params) noexcept {
  return detail::neighbors_bytes<Selector>(points, params.k);
}

/// estimate_normals_workspace_bound() on the host, for device workspace on any GPU and with at most k neighbors.
/// @tparam Selector  selector of the calls
/// @return ok | bad_argument (also if k is above 1,024); on failure `bound` is unchanged
template <class Points, class Selector = knn_selector>
result estimate_normals_workspace_bound(cuda_exec, batch_limits const& limits, index_t k, std::size_t& bound) noexcept {
  return detail::bound_neighbors<Selector, Points>(limits, k, bound);
}

/// estimate_normals(), enqueued on a stream: same result as the host overload, to the bit.
///
/// Only enqueues: no synchronization, no allocation; may be captured in a graph. All memory of the arguments is device
/// memory and must stay valid until the stream has executed the call.
///
/// @tparam Selector  tuning; affects the speed only
/// @return ok | bad_argument | workspace_too_small | cuda_failure. A pending error of other work is neither cleared nor
///         returned.
/// Complexity: construction of the index and one search per point. At most 2^30 points. Thread-safe: concurrent calls
/// must not share output or workspace.
template <class Selector = knn_selector, class Points>
result estimate_normals(cuda_exec exec, batch<Points> const& points, normals_params const& params,
                        normals_output<typename Points::scalar> const& output, bytes workspace) noexcept {
  detail::profile_range const range{"farpoint::estimate_normals"};
  return detail::named(detail::estimate_normals_cuda<Selector>(exec, points, points, params, output, workspace),
                       FARPOINT_WORKSPACE_OF("estimate_normals"));
}

/// Returns the size in bytes of the device workspace of estimate_normals() by a BVH: 64 for a ragged batch, else 0.
template <class Points>
std::size_t estimate_normals_workspace_bytes(cuda_exec, device_point_bvh<typename Points::scalar> const& index,
                                             batch<Points> const& points, normals_params const&) noexcept {
  return detail::built_search_bytes<knn_selector>(index, points, true);
}

/// estimate_normals() by a BVH built from these points, enqueued on a stream: same result and same guarantees. Offsets
/// of `points` that differ from the BVH's offsets are invalid: they are counted (knn_report::bad_offsets), and all rows
/// are empty.
/// @return as above; also bad_argument if the number of points differs from the BVH's
template <class Selector = knn_selector, class Points>
result estimate_normals(cuda_exec exec, device_point_bvh<typename Points::scalar> const& index,
                        batch<Points> const& points, normals_params const& params,
                        normals_output<typename Points::scalar> const& output, bytes workspace = {}) noexcept {
  detail::profile_range const range{"farpoint::estimate_normals (built index)"};
  return detail::named(detail::estimate_normals_cuda<Selector>(exec, index, points, params, output, workspace),
                       FARPOINT_WORKSPACE_OF("estimate_normals"));
}

FARPOINT_END_NAMESPACE

/// @file
/// Builds a BVH over points once, for many searches: CUDA backend. See point_bvh.hpp.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/core/profile_range.cuh>
#include <farpoint/detail/search/knn_cuda.cuh>
#include <farpoint/types/device_point_bvh.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Bytes of device memory that build_point_bvh() needs, for the BVHs and for building them; 256-byte aligned. O(1),
/// from the sizes alone; 0 for points that are refused. 29 bytes a point in float, 46 in double.
template <class Selector = knn_selector, class Points>
std::size_t point_bvh_bytes(cuda_exec, batch<Points> const& points) noexcept {
  return detail::indexed_search_bytes<Selector>(points);
}

/// point_bvh_bound() on the host, for device memory on any GPU.
/// @tparam Selector  selector of the calls
/// @return ok | bad_argument; on failure `bound` is unchanged
template <class Points, class Selector = knn_selector>
result point_bvh_bound(cuda_exec, batch_limits const& limits, std::size_t& bound) noexcept {
  return detail::bound_indexed_search<Selector, Points>({limits.points, limits.clouds}, bound);
}

/// Builds the BVH of each cloud, enqueued on a stream. For points that have moved, build again into the same memory.
///
/// Only enqueues: no synchronization, no allocation; may be captured in a graph.
/// @param exec    the stream
/// @param points  `[clouds, n]` or ragged, meters, three coordinates, device memory
/// @param memory  at least point_bvh_bytes() bytes, 256-byte aligned, device memory; the BVHs live in it
/// @param index   set on success; what it refers to is ready once the stream has passed the call
/// @return ok | bad_argument | workspace_too_small | cuda_failure; as knn() for the same points
/// Complexity: O(n), a memset and one launch, which waits for room for one block. Thread-safe for different memory.
template <class Selector = knn_selector, class Points>
result build_point_bvh(cuda_exec exec, batch<Points> const& points, bytes memory,
                       device_point_bvh<typename Points::scalar>& index) noexcept {
  detail::profile_range const range{"farpoint::build_point_bvh"};
  if (result const checked = detail::check_search_on(exec, memory, points, points); !checked) return checked;
  auto const set = [&](detail::kernel_launcher&, auto const& built) {
    index = {built.index.index, points.size(), points.points().size(), points.offsets().data(),
             points.size() > 0 ? &built.index.state->faults : nullptr};
  };
  result const outcome = detail::indexed_search<Selector>(exec, points, memory, set);
  return detail::named(outcome, FARPOINT_TOO_SMALL("build_point_bvh", "memory", "point_bvh_bytes"));
}

/// Deprecated name of point_bvh_bytes(), until 0.2.
template <class... Selector, class Points>
[[deprecated("farpoint: use point_bvh_bytes")]] std::size_t point_index_bytes(cuda_exec exec,
                                                                              batch<Points> const& points) noexcept {
  return point_bvh_bytes<Selector...>(exec, points);
}

/// Deprecated name of build_point_bvh(), until 0.2.
template <class... Selector, class Points>
[[deprecated("farpoint: use build_point_bvh")]] result build_point_index(
    cuda_exec exec, batch<Points> const& points, bytes memory,
    device_point_bvh<typename Points::scalar>& index) noexcept {
  return build_point_bvh<Selector...>(exec, points, memory, index);
}

/// Returns the size in bytes of the device workspace of knn() among the points of a BVH, 256-byte aligned: 29 per query
/// in float, 46 in double, for a BVH of the queries that gives them an order along a curve; 0 if the queries are fewer
/// than 12,288 or at most an eighth of the points, which is faster without that order; and 64 more for ragged queries.
/// @tparam Selector  selector of the call
template <class Selector = knn_selector, class Queries>
std::size_t knn_workspace_bytes(cuda_exec, device_point_bvh<typename Queries::scalar> const& index,
                                batch<Queries> const& queries, knn_params const& = {}) noexcept {
  return detail::built_search_bytes<Selector>(index, queries, false);
}

/// knn() among the points of a BVH, enqueued on a stream: same result and report as for the points themselves, and the
/// same guarantees. The workspace may be empty: then queries are answered in the order of the view, more slowly if
/// there are many.
/// @return ok | bad_argument | workspace_too_small | cuda_failure
template <class Selector = knn_selector, class Queries>
result knn(cuda_exec exec, device_point_bvh<typename Queries::scalar> const& index, batch<Queries> const& queries,
           knn_params const& params, knn_output<typename Queries::scalar> const& output,
           bytes workspace = {}) noexcept {
  return detail::named(
      detail::knn_cuda<Selector, detail::query_kind::others>(exec, index, queries, params, output, workspace),
      FARPOINT_WORKSPACE_OF("knn"));
}

FARPOINT_END_NAMESPACE

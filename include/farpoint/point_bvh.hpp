/// @file
/// Builds a BVH over points once, for many searches: host backend.
#pragma once

#include <farpoint/core/batch.hpp>
#include <farpoint/core/check.hpp>
#include <farpoint/core/host_exec.hpp>
#include <farpoint/core/status.hpp>
#include <farpoint/core/workspace.hpp>
#include <farpoint/detail/search/knn_host.hpp>
#include <farpoint/knn.hpp>
#include <farpoint/types/knn.hpp>
#include <farpoint/types/point_bvh.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Returns the size in bytes of the host memory of build_point_bvh(), for the BVHs and their construction; 256-byte
/// aligned. Equal to the workspace of knn() with the points as queries.
template <class Points>
std::size_t point_bvh_bytes(host_exec exec, batch<Points> const& points) noexcept {
  return detail::host_search_plan<typename Points::scalar>{exec, points, 0}.bytes();
}

/// Computes a number of bytes of host memory that suffices for build_point_bvh() of all batches within the limits.
/// Monotonic in the limits. O(1).
/// @tparam Points  view type of the points, for example point_view<float>
/// @return ok | bad_argument; on failure `bound` is unchanged
template <class Points>
result point_bvh_bound(host_exec exec, batch_limits const& limits, std::size_t& bound) noexcept {
  return detail::bound_host_search<typename Points::scalar>(exec, {limits.points, limits.clouds}, bound);
}

/// Builds the BVH of each cloud. If points move, call it again with the same memory.
///
/// @param exec    number of threads; blocks until done
/// @param points  `[clouds, n]` or ragged, meters, three coordinates, host memory
/// @param memory  at least point_bvh_bytes() bytes, 256-byte aligned, host memory; the BVHs live in it
/// @param index   set on success
/// @return ok | bad_argument | workspace_too_small; as knn() for the same points
/// Complexity: O(n log n): passes over the points for each level of a tree. Thread-safe for different memory.
template <class Points>
result build_point_bvh(host_exec exec, batch<Points> const& points, bytes memory,
                       point_bvh<typename Points::scalar>& index) noexcept {
  if (result const checked = detail::check_host_search(exec, points, points); !checked) return checked;
  detail::host_search_plan<typename Points::scalar> const plan{exec, points, 0};
  if (result const checked = detail::check_workspace(
          memory, plan.bytes(), FARPOINT_TOO_SMALL("build_point_bvh", "memory", "point_bvh_bytes"));
      !checked)
    return checked;
  auto const arrays = plan.cut(memory.data());
  auto const bad_offsets = static_cast<unsigned long long>(detail::count_bad_offsets(points));
  // With invalid offsets, every cloud is empty, wherever it begins.
  auto const used = bad_offsets == 0 ? points : batch<Points>::ragged(points.points(), points.offsets(), 0);
  detail::build_on_host(plan, arrays, used);
  if (points.size() > 0) arrays.index.clouds[points.size()] = {used.begin_of(points.size()), 0};
  index = {arrays.index,
           points.size(),
           points.points().size(),
           points.offsets().data(),
           detail::count_left_out(used, arrays.index),
           bad_offsets};
  return {};
}

/// Deprecated name of point_bvh_bytes(), until 0.2.
template <class Points>
[[deprecated("farpoint: use point_bvh_bytes")]] std::size_t point_index_bytes(host_exec exec,
                                                                              batch<Points> const& points) noexcept {
  return point_bvh_bytes(exec, points);
}

/// Deprecated name of build_point_bvh(), until 0.2.
template <class Points>
[[deprecated("farpoint: use build_point_bvh")]] result build_point_index(
    host_exec exec, batch<Points> const& points, bytes memory, point_bvh<typename Points::scalar>& index) noexcept {
  return build_point_bvh(exec, points, memory, index);
}

/// Returns the size in bytes of the workspace in which a search among the points of a BVH sorts its queries; 256-byte
/// aligned. O(1). A query takes 16 bytes in float and 28 in double, a thread 64.
template <class Queries>
std::size_t knn_workspace_bytes(host_exec exec, point_bvh<typename Queries::scalar> const& index,
                                batch<Queries> const& queries, knn_params const& = {}) noexcept {
  return detail::index_search_plan<Queries>{exec, index.size(), queries}.bytes();
}

/// knn() among the points of a BVH: same result as for the points themselves.
///
/// @param exec       number of threads; blocks until done
/// @param index      BVHs of the points
/// @param queries    `[clouds, m]` or ragged, with one cloud per BVH and its scalar type, host memory
/// @param params     see knn_params
/// @param output     see knn_output
/// @param workspace  at least knn_workspace_bytes() bytes, 256-byte aligned, host memory; or empty: then queries in
///                   random order take up to twice the time
/// @return ok | bad_argument | workspace_too_small; on failure nothing is written
template <class Queries>
result knn(host_exec exec, point_bvh<typename Queries::scalar> const& index, batch<Queries> const& queries,
           knn_params const& params, knn_output<typename Queries::scalar> const& output,
           bytes workspace = {}) noexcept {
  return detail::named(detail::knn_host(exec, index, queries, false, params, output, workspace),
                       FARPOINT_WORKSPACE_OF("knn"));
}

#if defined(__cpp_exceptions)

/// BVH of one cloud, with the memory that holds it.
template <class Scalar>
struct point_bvh_of_cloud {
  host_scratch memory;
  point_bvh<Scalar> index;
};

/// build_point_bvh() of one cloud in a host container: `auto built = farpoint::build_point_bvh(points);`. Pass
/// `built.index` to the searches.
/// @param points  contiguous container of a type that has a point_layout, of two or three coordinates
/// @param exec    number of threads; all cores by default
/// @throws std::invalid_argument with the reason; std::bad_alloc
template <class Container, class = detail::host_elements<Container const>>
auto build_point_bvh(Container const& points, host_exec exec = {}) {
  batch const cloud{detail::search_view(points)};
  using scalar = typename std::decay_t<decltype(cloud.points())>::scalar;
  point_bvh_of_cloud<scalar> built{host_scratch{point_bvh_bytes(exec, cloud)}, {}};
  detail::require_ok(build_point_bvh(exec, cloud, built.memory, built.index));
  return built;
}

/// knn() among the points of a BVH of one cloud, for queries in a host container: `auto found =
/// farpoint::knn(built.index, queries, 8);`
///
/// Allocates the workspace and the result.
/// @param queries  contiguous container of a type that has a point_layout, of two or three coordinates
/// @param exec     number of threads; all cores by default
/// @throws std::invalid_argument with the reason; std::bad_alloc
template <class Scalar, class Queries, class = detail::host_elements<Queries const>>
auto knn(point_bvh<Scalar> const& index, Queries const& queries, knn_params const& params, host_exec exec = {}) {
  batch const asked{detail::search_view(queries)};
  host_scratch const workspace{knn_workspace_bytes(exec, index, asked)};
  return detail::knn_in_vectors<Scalar>(asked.points().size(), params.k, [&](auto const& output) {
    return knn(exec, index, asked, params, output, workspace);
  });
}

#endif  // defined(__cpp_exceptions)

FARPOINT_END_NAMESPACE

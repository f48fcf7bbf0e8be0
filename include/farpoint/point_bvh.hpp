/// @file
/// Builds a BVH over points once, for many searches: host backend.
#pragma once

#include <farpoint/core/batch.hpp>
#include <farpoint/core/check.hpp>
#include <farpoint/core/host_exec.hpp>
#include <farpoint/core/status.hpp>
#include <farpoint/detail/search/knn_host.hpp>
#include <farpoint/types/knn.hpp>

FARPOINT_BEGIN_NAMESPACE

/// The BVHs of a batch of clouds, in memory that build_point_bvh() has filled. Non-owning, trivially copyable;
/// searching is thread-safe. The points are no longer needed: a BVH has copies of them.
template <class Scalar>
class point_bvh {
 public:
  point_bvh() = default;
  point_bvh(detail::point_bvh_arrays<Scalar> const& arrays, index_t clouds, unsigned long long left_out,
            unsigned long long bad_offsets) noexcept
      : arrays_{arrays}, clouds_{clouds}, left_out_{left_out}, bad_offsets_{bad_offsets} {}

  /// Clouds.
  index_t size() const noexcept { return clouds_; }
  /// The BVH of cloud b, b < size().
  point_bvh_ref<Scalar> operator[](index_t b) const noexcept { return arrays_[b]; }
  /// Points that are not finite: they are in no BVH.
  unsigned long long non_finite_points() const noexcept { return left_out_; }
  /// Wrong offsets of the points: if there are any, all BVHs are empty.
  unsigned long long bad_offsets() const noexcept { return bad_offsets_; }
  detail::point_bvh_arrays<Scalar> const& arrays() const noexcept { return arrays_; }

 private:
  detail::point_bvh_arrays<Scalar> arrays_{};
  index_t clouds_ = 0;
  unsigned long long left_out_ = 0;
  unsigned long long bad_offsets_ = 0;
};

/// Bytes of host memory that build_point_bvh() needs, for the BVHs and for building them; 256-byte aligned. As many as
/// the workspace of knn().
template <class Points>
std::size_t point_bvh_bytes(host_exec exec, batch<Points> const& points) noexcept {
  return detail::host_search_plan<typename Points::scalar>{exec, points, 0}.bytes();
}

/// Builds the BVH of each cloud. For points that have moved, build again into the same memory.
///
/// @param exec    threads to use; blocks until done
/// @param points  `[clouds, n]` or ragged, metres, three coordinates, host memory
/// @param memory  at least point_bvh_bytes() bytes, 256-byte aligned, host memory; the BVHs live in it
/// @param index   set on success
/// @return ok | bad_argument | workspace_too_small; as knn() for the same points
/// Complexity: O(n), two passes over the points and a radix sort. Thread-safe for different memory.
template <class Points>
result build_point_bvh(host_exec exec, batch<Points> const& points, bytes memory,
                       point_bvh<typename Points::scalar>& index) noexcept {
  using scalar = typename Points::scalar;
  if (result const checked = detail::check_host_search(exec, points, points); !checked) return checked;
  detail::host_search_plan<scalar> const plan{exec, points, 0};
  if (result const checked = detail::check_workspace(memory, plan.bytes()); !checked) return checked;
  auto const arrays = plan.cut(memory.data());
  auto const bad_offsets = static_cast<unsigned long long>(detail::count_bad_offsets(points));
  // Clouds that may have no point are empty wherever they begin.
  auto const used = bad_offsets == 0 ? points : batch<Points>::ragged(points.points(), points.offsets(), 0);
  detail::build_on_host(plan, arrays, used);
  index = {arrays.index, points.size(), detail::count_left_out(used, arrays.index), bad_offsets};
  return {};
}

/// knn() among the points of a BVH: the same answer as for the points themselves. Needs no workspace.
///
/// @param exec     threads to use; blocks until done
/// @param index    the BVHs of the points
/// @param queries  as many clouds as there are BVHs, of their scalar type, host memory
/// @param method   exact
/// @param k        neighbours of a query, 1 to 1,024
/// @param output   see knn_output
/// @return ok | bad_argument; nothing is written on failure
template <class Queries>
result knn(host_exec exec, point_bvh<typename Queries::scalar> const& index, batch<Queries> const& queries,
           exact const& method, index_t k, knn_output<typename Queries::scalar> const& output) noexcept {
  using scalar = typename Queries::scalar;
  index_t const rows = queries.points().size();
  if (result const checked = detail::check_threads(exec); !checked) return checked;
  if (result const checked = detail::check_queries(queries, index.size()); !checked) return checked;
  if (result const checked = detail::check_knn(rows, method, k, output); !checked) return checked;

  detail::knn_writer<Queries> const writer{queries, k, output};
  auto const own = static_cast<unsigned long long>(detail::count_bad_offsets(queries));
  if (auto const bad_offsets = index.bad_offsets() + own; bad_offsets > 0) {
    for (index_t row = 0; row < rows; ++row) writer.leave_empty(row);
    if (output.report != nullptr) *output.report = {0, 0, bad_offsets};
    return {};
  }
  detail::for_each_cloud_plan const plan{exec, index.size(), rows, queries.largest(), static_cast<double>(rows) * 400,
                                         {}};
  unsigned long long const bad = detail::search_built_on_host(plan, index.arrays(), queries, false,
                                                              detail::nearest_task<scalar>(method, k, writer));
  if (output.report != nullptr) *output.report = {index.non_finite_points(), bad, 0};
  return {};
}

FARPOINT_END_NAMESPACE

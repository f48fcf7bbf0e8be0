/// @file
/// Builds the indices of the points in a workspace and searches them, on a CUDA stream.
#pragma once

#include <farpoint/core/check_pointers.cuh>
#include <farpoint/core/cuda_exec.cuh>
#include <farpoint/detail/bvh/plan.cuh>
#include <farpoint/detail/search/check.hpp>
#include <farpoint/detail/search/report_faults.cuh>
#include <farpoint/grid/bad_offsets.cuh>
#include <farpoint/grid/kernel_launcher.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Checks the number of queries on a stream.
constexpr result check_device_queries(index_t queries) noexcept {
  return queries > max_queries_on_stream ? reject("queries: cuda_exec takes at most 2^36; split the call") : result{};
}

/// Checks the clouds of queries of built indices on a stream: one for each index. Offsets cannot be read here.
template <class Queries>
result check_device_index_queries(batch<Queries> const& queries, index_t indices) noexcept {
  result const checked = check_device_queries(queries.points().size());
  return checked ? check_index_queries(queries, indices) : checked;
}

/// Checks the numbers of points and clouds of indices that are built on a stream.
/// @param reason  the sentence of a refusal
constexpr result check_device_bvh_sizes(index_t points, index_t clouds, char const* reason) noexcept {
  return points > max_bvh_points || clouds > max_bvh_clouds_on_stream ? reject(reason) : result{};
}

/// Checks the arguments that all searches share: points and queries. Their offsets cannot be read here.
template <class Points, class Queries>
result check_device_search(batch<Points> const& points, batch<Queries> const& queries) noexcept {
  static_assert(std::is_same_v<typename Points::scalar, typename Queries::scalar>,
                "farpoint: points and queries must both be double, or neither");
  if (result const checked = check_bvh_points(points); !checked) return checked;
  constexpr char const* reason = "points: cuda_exec takes at most 2^30 points and 2^29 - 1 clouds";
  if (result const checked = check_device_bvh_sizes(points.points().size(), points.size(), reason); !checked) {
    return checked;
  }
  result const checked = check_device_queries(queries.points().size());
  return checked ? check_queries(queries, points.size()) : checked;
}

/// Checks what all searches on a stream have in common: arrays that a kernel can reach, where that is asked for, and
/// clouds that can be searched.
template <class Points, class Queries, class... Arrays>
FARPOINT_HIDDEN result check_search_on(cuda_exec exec, bytes workspace, batch<Points> const& points,
                                       batch<Queries> const& queries, Arrays const&... arrays) noexcept {
  result const reachable = check_pointers(exec, workspace, points, queries, arrays...);
  return reachable ? check_device_search(points, queries) : reachable;
}

/// The same for searches among the points of so many indices.
template <class Queries, class... Arrays>
FARPOINT_HIDDEN result check_queries_on(cuda_exec exec, bytes workspace, batch<Queries> const& queries, index_t indices,
                                        Arrays const&... arrays) noexcept {
  result const reachable = check_pointers(exec, workspace, queries, arrays...);
  return reachable ? check_device_index_queries(queries, indices) : reachable;
}

/// Bytes for the index and for what `cut(cutter)` takes behind it; 0 for points that are refused.
template <class Selector, class Points, class Cut>
std::size_t indexed_search_bytes(batch<Points> const& points, Cut const& cut) noexcept {
  if (!check_device_search(points, points) || points.size() == 0) return 0;
  workspace_cutter cutter;
  static_cast<void>(bvh_plan<Selector, Points>{points}.cut(cutter));
  static_cast<void>(cut(cutter));
  return cutter.used();
}

/// Sets the bytes that are enough for all searches within the limits, with what `cut(cutter)` takes behind the index.
template <class Selector, class Points, class Cut>
result bound_indexed_search(search_limits const& limits, Cut const& cut, std::size_t& bound) noexcept {
  if (result const checked = check_limits(limits); !checked) return checked;
  constexpr char const* reason = "limits: cuda_exec takes at most 2^30 points and 2^29 - 1 clouds";
  if (result const checked = check_device_bvh_sizes(limits.points, limits.clouds, reason); !checked) return checked;
  if (limits.queries > max_queries_on_stream) return reject("limits: cuda_exec takes at most 2^36 queries");
  bound = indexed_search_bytes<Selector>(largest_batch<Points>({limits.points, limits.clouds}), cut);
  return {};
}

/// Enqueues a look at the queries' offsets, if they are not those of the points, after the index has been built.
/// @param bad_offsets  point_bvh_faults::bad_offsets, added to
template <class Points, class Queries>
FARPOINT_HIDDEN void look_at_offsets(kernel_launcher& launcher, batch<Points> const& points,
                                     batch<Queries> const& queries, unsigned* bad_offsets) noexcept {
  if (has_own_offsets(points, queries)) count_bad_offsets(launcher, queries, bad_offsets, nullptr);
}

/// Enqueues the report of an index in a workspace: its points that are not finite, and all wrong offsets.
/// @param report  cleared already; may be null
template <class Points, class Report>
FARPOINT_HIDDEN void report_built(kernel_launcher& launcher, bvh_build_args<Points> const& built,
                                  Report* report) noexcept {
  if (built.points.size() > 0) report_faults(launcher, &built.state->faults, {}, {}, nullptr, report);
}

/// Enqueues the building of the index, and what `search(launcher, index, memory)` enqueues.
/// @param cut  cuts the search's memory
template <class Selector, class Points, class Cut, class Search>
FARPOINT_HIDDEN result indexed_search(cuda_exec exec, batch<Points> const& points, bytes workspace, Cut const& cut,
                                      Search const& search) noexcept {
  std::size_t const needed = indexed_search_bytes<Selector>(points, cut);
  if (result const checked = check_workspace(workspace, needed); !checked) return checked;
  workspace_cutter cutter{workspace.data()};
  bvh_plan<Selector, Points> const plan{points};
  bvh_build_args<Points> const index = plan.cut(cutter);
  auto const memory = cut(cutter);
  kernel_launcher launcher{exec.stream};
  if (points.size() > 0) launcher.then([&] { return plan.launch(index, exec); });
  if (launcher.error() == cudaSuccess) search(launcher, index, memory);
  return cuda_failure(launcher.error(), "a search: a kernel or a memset could not be enqueued");
}

}  // namespace detail
FARPOINT_END_NAMESPACE

/// @file
/// Builds the indices of points in a workspace and searches them, on a CUDA stream.
#pragma once

#include <farpoint/core/check_pointers.cuh>
#include <farpoint/core/cuda_exec.cuh>
#include <farpoint/detail/bvh/plan.cuh>
#include <farpoint/detail/search/check.hpp>
#include <farpoint/detail/search/query_order.cuh>
#include <farpoint/detail/search/report_faults.cuh>
#include <farpoint/detail/search/scan/queries.hpp>
#include <farpoint/grid/bad_offsets.cuh>
#include <farpoint/grid/kernel_launcher.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Checks the number of queries on a stream.
constexpr result check_device_queries(index_t queries) noexcept {
  return queries > max_queries_on_stream ? reject("queries: cuda_exec takes at most 2^36; split the call") : result{};
}

/// Checks the clouds of queries on a stream: one for each built index. Offsets are in device memory and not read.
template <class Queries>
result check_device_index_queries(batch<Queries> const& queries, index_t indices) noexcept {
  result const checked = check_device_queries(queries.points().size());
  return checked ? check_index_queries(queries, indices) : checked;
}

/// Checks the numbers of points and clouds of indices that are built on a stream.
/// @param reason  message of a failure
constexpr result check_device_bvh_sizes(index_t points, index_t clouds, char const* reason) noexcept {
  return points > max_bvh_points || clouds > max_bvh_clouds_on_stream ? reject(reason) : result{};
}

/// Checks the points and queries of a search. Offsets are in device memory and not read.
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

/// Checks the arguments of a search on a stream: whether kernels can reach the arrays, if that check is enabled, and
/// whether the clouds can be searched.
template <class Points, class Queries, class... Arrays>
FARPOINT_HIDDEN result check_search_on(cuda_exec exec, bytes workspace, batch<Points> const& points,
                                       batch<Queries> const& queries, Arrays const&... arrays) noexcept {
  result const reachable = check_pointers(exec, workspace, points, queries, arrays...);
  return reachable ? check_device_search(points, queries) : reachable;
}

/// Checks the arguments of a search on a stream with `indices` built indices.
template <class Queries, class... Arrays>
FARPOINT_HIDDEN result check_queries_on(cuda_exec exec, bytes workspace, batch<Queries> const& queries, index_t indices,
                                        Arrays const&... arrays) noexcept {
  result const reachable = check_pointers(exec, workspace, queries, arrays...);
  return reachable ? check_device_index_queries(queries, indices) : reachable;
}

/// Cuts no memory, for a search that needs none besides the index.
struct no_memory {
  bytes operator()(workspace_cutter&) const noexcept { return {}; }
};

/// Bytes of the index and of the memory that `cut(cutter)` takes after it; 0 for invalid points.
template <class Selector, class Points, class Cut>
std::size_t indexed_search_bytes(batch<Points> const& points, Cut const& cut) noexcept {
  if (!check_device_search(points, points) || points.size() == 0) return 0;
  workspace_cutter cutter;
  static_cast<void>(bvh_plan<Selector, Points>{points}.cut(cutter));
  static_cast<void>(cut(cutter));
  return cutter.used();
}

/// Sets `bound` to bytes that suffice for all searches within the limits, with the memory that `cut(cutter)` takes.
template <class Selector, class Points, class Cut>
result bound_indexed_search(search_limits const& limits, Cut const& cut, std::size_t& bound) noexcept {
  if (result const checked = check_limits(limits); !checked) return checked;
  constexpr char const* reason = "limits: cuda_exec takes at most 2^30 points and 2^29 - 1 clouds";
  if (result const checked = check_device_bvh_sizes(limits.points, limits.clouds, reason); !checked) return checked;
  if (limits.queries > max_queries_on_stream) return reject("limits: cuda_exec takes at most 2^36 queries");
  bound = indexed_search_bytes<Selector>(largest_batch<Points>({limits.points, limits.clouds}), cut);
  return {};
}

/// Enqueues a check of the queries' offsets, if they differ from the points', after the build of the index.
/// @param bad_offsets  point_bvh_faults::bad_offsets, to which bad offsets are added
template <class Points, class Queries>
FARPOINT_HIDDEN void look_at_offsets(kernel_launcher& launcher, batch<Points> const& points,
                                     batch<Queries> const& queries, unsigned* bad_offsets) noexcept {
  if (has_own_offsets(points, queries)) count_bad_offsets(launcher, queries, bad_offsets, nullptr);
}

/// Enqueues the report of an index in a workspace: non-finite points and all bad offsets.
/// @param report  cleared already; may be null
template <class Points, class Report>
FARPOINT_HIDDEN void report_built(kernel_launcher& launcher, bvh_build_args<Points> const& built,
                                  Report* report) noexcept {
  if (built.points.size() > 0) report_faults(launcher, &built.state->faults, {}, {}, nullptr, report);
}

/// Enqueues the build of the index, and then the kernels of `search(launcher, index, memory)`.
/// @param cut  cuts the memory of the search
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

/// Memory of query_order_of() in the memory of a search.
inline bytes order_in(bytes memory) noexcept {
  return memory;
}
template <class Memory>
bytes order_in(Memory const& memory) noexcept {
  return memory.order;
}

/// Calls `answer(launcher, queries)` with queries of points without an index. As search_points_on_device().
/// @param bad_offsets  device memory
/// @param lanes        as in scanned_queries
template <class Points, class Queries, class Report, class Answer>
FARPOINT_HIDDEN result scan_on_device(cuda_exec exec, batch<Points> const& points, batch<Queries> const& queries,
                                      Report* report, unsigned* bad_offsets, index_t lanes,
                                      Answer const& answer) noexcept {
  kernel_launcher launcher{exec.stream};
  if (report != nullptr) launcher.clear(report, sizeof *report);
  scanned_queries<Points, Queries> asked{points, queries, report == nullptr ? nullptr : &report->non_finite_points,
                                         lanes};
  if (points.is_ragged() || queries.is_ragged()) {
    unsigned long long* const reported = report == nullptr ? nullptr : &report->bad_offsets;
    launcher.clear(bad_offsets, sizeof *bad_offsets);
    count_bad_offsets(launcher, points, bad_offsets, reported);
    if (has_own_offsets(points, queries)) count_bad_offsets(launcher, queries, bad_offsets, reported);
    asked.stop_at_bad_offsets(bad_offsets);
  }
  answer(launcher, asked);
  return cuda_failure(launcher.error(), "a search: a kernel or a memset could not be enqueued");
}

/// Builds the index in the workspace, puts the queries in order, and calls `answer(launcher, queries, memory)`, which
/// enqueues the search. Checks the workspace; the rest has been checked. Small clouds are searched without an index:
/// `queries` are scanned_queries then.
/// @param self    true if the queries are the points
/// @param report  optional; cleared, then wrong offsets and non-finite points are counted
/// @param cut     cuts `memory`: bytes of query_order_of(), or a struct with these bytes as `order`
/// @param k       see is_scanned()
template <class Selector, class Points, class Queries, class Report, class Cut, class Answer>
FARPOINT_HIDDEN result search_points_on_device(cuda_exec exec, batch<Points> const& points,
                                               batch<Queries> const& queries, bool self, Report* report,
                                               bytes workspace, Cut const& cut, index_t k,
                                               Answer const& answer) noexcept {
  if constexpr (larger(Selector::scan_self, Selector::scan_others) > 0) {
    if (is_scanned<Selector>(points, queries, self, k)) {
      std::size_t const needed = indexed_search_bytes<Selector>(points, cut);
      if (result const checked = check_workspace(workspace, needed); !checked) return checked;
      workspace_cutter none;
      auto const memory = cut(none);
      index_t const lanes = k > 0 ? Selector::scan_lanes : Selector::scan_lanes_by_index;
      return scan_on_device(exec, points, queries, report, reinterpret_cast<unsigned*>(workspace.data()), lanes,
                            [&](kernel_launcher& launcher, auto const& asked) { answer(launcher, asked, memory); });
    }
  }
  auto const search = [&](kernel_launcher& launcher, bvh_build_args<Points> const& built, auto const& memory) {
    unsigned* const bad_offsets = &built.state->faults.bad_offsets;
    look_at_offsets(launcher, points, queries, bad_offsets);
    if (report != nullptr) launcher.clear(report, sizeof *report);
    report_built(launcher, built, report);
    search_queries<Queries> asked{queries, built.index, self};
    asked.stop_at_bad_offsets(bad_offsets);
    order_queries<Selector>(exec, launcher, asked, order_in(memory));
    answer(launcher, asked, memory);
  };
  return indexed_search<Selector>(exec, points, workspace, cut, search);
}

}  // namespace detail
FARPOINT_END_NAMESPACE

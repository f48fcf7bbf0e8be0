/// @file
/// Searches by a device_point_bvh, on a CUDA stream.
#pragma once

#include <farpoint/detail/search/neighbourhood_cuda.cuh>
#include <farpoint/detail/search/query_order.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Memory of queries that are not the points; none without a workspace.
struct built_search_memory {
  query_order_memory order;
  unsigned* bad_offsets;  ///< count of points and queries; null where threads look at the queries' offsets, if any

  template <class Queries>
  static built_search_memory cut(workspace_cutter& cutter, batch<Queries> const& queries) noexcept {
    unsigned* const bad_offsets = queries.is_ragged() ? cutter.take<unsigned>(1) : nullptr;
    return {query_order_of(queries)(cutter), bad_offsets};
  }
};

/// Bytes of workspace with which queries are answered in the order of the leaves.
template <class Queries>
std::size_t built_search_bytes(batch<Queries> const& queries) noexcept {
  workspace_cutter cutter;
  static_cast<void>(built_search_memory::cut(cutter, queries));
  return cutter.used();
}

/// Looks at the offsets, puts the queries in order if there is a workspace, and calls `answer(launcher, queries)`,
/// which enqueues the search. The arguments have been checked, but for the workspace.
template <class Index, class Queries, class Report, class Answer>
FARPOINT_HIDDEN result index_search_on_device(cuda_exec exec, Index const& index, batch<Queries> const& queries,
                                              Report* report, bytes workspace, Answer const& answer) noexcept {
  workspace_cutter cutter{workspace.data()};
  auto const memory = workspace.empty() ? built_search_memory{} : built_search_memory::cut(cutter, queries);
  if (result const checked = check_workspace(workspace, cutter.used()); !checked) return checked;
  kernel_launcher launcher{exec.stream};
  if (report != nullptr) launcher.clear(report, sizeof *report);
  if (memory.bad_offsets != nullptr) launcher.clear(memory.bad_offsets, sizeof *memory.bad_offsets);
  count_bad_offsets(launcher, queries, index.bad_offsets(), memory.bad_offsets,
                    report == nullptr ? nullptr : &report->bad_offsets);
  if (queries.size() > 0) {
    search_queries<Queries> asked{queries, index.arrays(), false};
    bool const is_counted = memory.bad_offsets != nullptr;
    asked.stop_at_bad_offsets(is_counted ? memory.bad_offsets : index.bad_offsets(), is_counted);
    order_queries(launcher, asked, most_leaves(index.points(), index.size()), memory.order);
    answer(launcher, asked);
  }
  return cuda_failure(launcher.error(), "a search: a kernel or a memset could not be enqueued");
}

/// Calls `answer(launcher, queries)`, which enqueues the search of the points that the index has been built of.
template <class Index, class Points, class Report, class Answer>
FARPOINT_HIDDEN result index_search_of_points(cuda_exec exec, Index const& index, batch<Points> const& points,
                                              Report* report, Answer const& answer) noexcept {
  kernel_launcher launcher{exec.stream};
  search_queries<Points> queries{points, index.arrays(), true};
  queries.stop_at_bad_offsets(index.bad_offsets());
  if (report != nullptr) launcher.clear(report, sizeof *report);
  run_left_out(launcher, points, index.arrays(), index.bad_offsets(), report);
  answer(launcher, queries);
  return cuda_failure(launcher.error(), "a search: a kernel or a memset could not be enqueued");
}

/// Bytes of workspace of neighbours_of_index().
template <class Points>
std::size_t neighbours_of_index_bytes(batch<Points> const& points, index_t k) noexcept {
  workspace_cutter cutter;
  if (k <= max_neighbours) static_cast<void>(lists_of(points, k)(cutter));
  return cutter.used();
}

/// neighbours_on_device() of the points that the index has been built of.
template <class Selector, class Index, class Points, class Consumer>
FARPOINT_HIDDEN result neighbours_of_index(cuda_exec exec, Index const& index, batch<Points> const& points,
                                           knn_request<typename Points::scalar> const& request,
                                           Consumer const& consumer, knn_report* report, bytes workspace) noexcept {
  auto const lists = lists_of(points, request.k);
  workspace_cutter cutter{workspace.data()};
  auto* const memory = lists(cutter);
  if (result const checked = check_workspace(workspace, cutter.used()); !checked) return checked;
  return index_search_of_points(
      exec, index, points, report, [&](kernel_launcher& launcher, search_queries<Points> const& queries) {
        run_neighbour_lists<Selector>(launcher, queries, request, consumer, report, lists, memory);
      });
}

}  // namespace detail
FARPOINT_END_NAMESPACE

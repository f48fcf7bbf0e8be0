/// @file
/// Searches by a device_point_bvh, on a CUDA stream.
#pragma once

#include <farpoint/detail/search/neighborhood_cuda.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Memory of queries that are not the points; none without a workspace.
struct built_search_memory {
  bytes order;            ///< of query_order_of()
  unsigned* bad_offsets;  ///< count of points and queries; null where threads check the queries' offsets, if any

  /// @param points  number of points of the index
  /// @param counts  offsets may be wrong
  template <class Selector, class Queries>
  static built_search_memory cut(workspace_cutter& cutter, batch<Queries> const& queries, index_t points,
                                 bool counts) noexcept {
    unsigned* const bad_offsets = counts ? cutter.take<unsigned>(1) : nullptr;
    return {query_order_of<Selector>(queries, points)(cutter), bad_offsets};
  }
};

/// Bytes of workspace with which queries are answered in the order of the leaves.
/// @param points  number of points of the index
template <class Selector, class Queries>
std::size_t built_search_bytes(batch<Queries> const& queries, index_t points, bool counts) noexcept {
  workspace_cutter cutter;
  static_cast<void>(built_search_memory::cut<Selector>(cutter, queries, points, counts));
  return cutter.used();
}
template <class Selector, class Queries>
std::size_t built_search_bytes(batch<Queries> const& queries, index_t points) noexcept {
  return built_search_bytes<Selector>(queries, points, queries.is_ragged());
}

/// Enqueues the report of a search by an index, and a count of all offsets that are wrong.
/// @param bad_offsets  set to the count; may be null
/// @param report       may be null
template <class Index, class Report>
FARPOINT_HIDDEN void report_by_index(kernel_launcher& launcher, Index const& index, index_offsets const& points,
                                     index_offsets const& queries, unsigned* bad_offsets, Report* report) noexcept {
  if (report != nullptr) launcher.clear(report, sizeof *report);
  if (bad_offsets != nullptr) launcher.clear(bad_offsets, sizeof *bad_offsets);
  report_faults(launcher, index.faults(), points, queries, bad_offsets, report);
}

/// Checks the offsets, puts the queries in order if there is a workspace, and calls `answer(launcher, queries)`, which
/// enqueues the search. The arguments have been checked, but for the workspace.
/// @param points  offsets of the points that the index was built of, where the search needs the points again
template <class Selector = knn_selector, class Index, class Queries, class Report, class Answer>
FARPOINT_HIDDEN result index_search_on_device(cuda_exec exec, Index const& index, batch<Queries> const& queries,
                                              Report* report, bytes workspace, Answer const& answer,
                                              index_offsets const& points = {}) noexcept {
  bool const counts = queries.is_ragged() || points.count > 0;
  workspace_cutter cutter{workspace.data()};
  auto const memory = workspace.empty() ? built_search_memory{}
                                        : built_search_memory::cut<Selector>(cutter, queries, index.points(), counts);
  if (result const checked = check_workspace(workspace, cutter.used()); !checked) return checked;
  kernel_launcher launcher{exec.stream};
  report_by_index(launcher, index, points, index_offsets::of_queries(index, queries), memory.bad_offsets, report);
  if (queries.size() > 0) {
    search_queries<Queries> asked{queries, index.arrays(), false};
    bool const is_counted = memory.bad_offsets != nullptr;
    asked.stop_at_bad_offsets(is_counted ? memory.bad_offsets : index.bad_offsets(), is_counted);
    order_queries<Selector>(exec, launcher, asked, memory.order);
    answer(launcher, asked);
  }
  return cuda_failure(launcher.error(), "a search: a kernel or a memset could not be enqueued");
}

template <class Index, class Queries, class... Arrays, class = decltype(std::declval<Index>().faults())>
FARPOINT_HIDDEN result check_search_on(cuda_exec exec, bytes workspace, Index const& index,
                                       batch<Queries> const& queries, Arrays const&... arrays) noexcept {
  return check_queries_on(exec, workspace, queries, index.size(), arrays...);
}

/// Calls `answer(launcher, queries)`, which enqueues a search among points, whose index is built in the workspace, or
/// among those of a device_point_bvh. The arguments have been checked, but for the workspace.
/// @param k  see is_scanned()
template <class Selector, query_kind Kind, class Points, class Queries, class Report, class Answer>
FARPOINT_HIDDEN result search_on_device(cuda_exec exec, batch<Points> const& points, batch<Queries> const& queries,
                                        Report* report, bytes workspace, index_t k, Answer const& answer) noexcept {
  constexpr bool self = Kind == query_kind::points;
  auto const order = query_order_of<Selector>(queries, points.points().size(), self);
  return search_points_on_device<Selector>(
      exec, points, queries, self, report, workspace, order, k,
      [&](kernel_launcher& launcher, auto const& asked, bytes) { answer(launcher, asked); });
}
template <class Selector, query_kind Kind, class Index, class Queries, class Report, class Answer>
FARPOINT_HIDDEN result search_on_device(cuda_exec exec, Index const& index, batch<Queries> const& queries,
                                        Report* report, bytes workspace, index_t, Answer const& answer) noexcept {
  static_assert(Kind == query_kind::others);
  return index_search_on_device<Selector>(exec, index, queries, report, workspace, answer);
}

/// Cuts the count of wrong offsets of a search of an index's own points; null where none can be wrong.
template <class Index, class Points>
unsigned* cut_bad_offsets(workspace_cutter& cutter, Index const& index, batch<Points> const& points) noexcept {
  return index_offsets::of_points(index, points).count > 0 ? cutter.take<unsigned>(1) : nullptr;
}

/// Calls `answer(launcher, queries)`, which enqueues the search of the points that the index has been built of.
/// @param bad_offsets  of cut_bad_offsets()
template <class Index, class Points, class Report, class Answer>
FARPOINT_HIDDEN result index_search_of_points(cuda_exec exec, Index const& index, batch<Points> const& points,
                                              unsigned* bad_offsets, Report* report, Answer const& answer) noexcept {
  kernel_launcher launcher{exec.stream};
  search_queries<Points> queries{points, index.arrays(), true};
  queries.stop_at_bad_offsets(bad_offsets != nullptr ? bad_offsets : index.bad_offsets());
  report_by_index(launcher, index, index_offsets::of_points(index, points), {}, bad_offsets, report);
  answer(launcher, queries);
  return cuda_failure(launcher.error(), "a search: a kernel or a memset could not be enqueued");
}

/// Bytes of workspace of neighbors_on_device() by an index.
template <class Index, class Points>
std::size_t neighbors_of_index_bytes(Index const& index, batch<Points> const& points) noexcept {
  workspace_cutter cutter;
  static_cast<void>(cut_bad_offsets(cutter, index, points));
  return cutter.used();
}

template <class Index, class Points>
result check_source(Index const& index, batch<Points> const& points) noexcept {
  return check_own_index(index, points);
}

/// neighbors_on_device() of the points that the index has been built of.
template <class Selector, class Index, class Points, class Consumer>
FARPOINT_HIDDEN result neighbors_on_device(cuda_exec exec, Index const& index, batch<Points> const& points,
                                           knn_request<typename Points::scalar> const& request,
                                           Consumer const& consumer, knn_report* report, bytes workspace) noexcept {
  workspace_cutter cutter{workspace.data()};
  unsigned* const bad_offsets = cut_bad_offsets(cutter, index, points);
  if (result const checked = check_workspace(workspace, cutter.used()); !checked) return checked;
  return index_search_of_points(exec, index, points, bad_offsets, report,
                                [&](kernel_launcher& launcher, search_queries<Points> const& queries) {
                                  run_neighbor_lists<Selector>(launcher, queries, request, consumer, report);
                                });
}

}  // namespace detail
FARPOINT_END_NAMESPACE

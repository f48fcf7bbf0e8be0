/// @file
/// The CUDA backend of knn().
#pragma once

#include <farpoint/core/check_pointers.cuh>
#include <farpoint/core/profile_range.cuh>
#include <farpoint/detail/search/knn_warp_per_query.cuh>
#include <farpoint/detail/search/query_order.cuh>
#include <farpoint/detail/search/with_index.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Enqueues the kernel for the length of the lists.
template <class Selector, class Queries>
FARPOINT_HIDDEN void launch_knn(kernel_launcher& launcher, knn_cuda_args<Queries> const& args) noexcept {
  if (args.request.k > most_in_packets<typename Queries::scalar>) {
    launch_warp_per_query(launcher, args, args.threads);
  } else {
    launch_packets<Selector>(launcher, args, args.threads);
  }
}

/// Indices that have been built, and the request.
template <class Queries>
struct knn_search {
  using scalar = typename Queries::scalar;

  point_bvh_arrays<scalar> index;
  index_t points;               ///< of all clouds
  unsigned const* bad_offsets;  ///< count; see search_queries
  bool looks_at_offsets;        ///< the count is of the points' offsets only
  batch<Queries> queries;
  bool self;  ///< the queries are the points
  exact method;
  index_t k;
  knn_output<scalar> output;
};

/// Enqueues the ordering of the queries and the search.
template <class Selector, class Queries>
FARPOINT_HIDDEN void search_knn(kernel_launcher& launcher, knn_search<Queries> const& search,
                                query_order_memory const& memory) noexcept {
  using scalar = typename Queries::scalar;
  if (search.queries.size() == 0) return;
  search_queries<Queries> queries{search.queries, search.index, search.self};
  queries.stop_at_bad_offsets(search.bad_offsets, !search.looks_at_offsets);
  if (!search.self) order_queries(launcher, queries, most_leaves(search.points, search.queries.size()), memory);
  knn_request<scalar> const request{static_cast<int>(search.k), squared_radius<scalar>(search.method.max_radius),
                                    search.method.exclude_self};
  launch_knn<Selector>(launcher, knn_cuda_args<Queries>{queries, queries.threads(), request, search.output});
}

/// knn() for cuda_exec.
template <class Selector, class Points, class Queries>
FARPOINT_HIDDEN result knn_cuda(cuda_exec exec, batch<Points> const& points, batch<Queries> const& queries, bool self,
                                exact const& method, index_t k, knn_output<typename Points::scalar> const& output,
                                bytes workspace) noexcept {
  profile_range const range{"farpoint::knn"};
  result const reachable =
      check_pointers(exec, workspace, points, queries, output.indices, output.distances, output.counts, output.report);
  if (!reachable) return reachable;
  if (result const checked = check_device_search(points, queries); !checked) return checked;
  if (result const checked = check_knn(queries.points().size(), method, k, output); !checked) return checked;
  return indexed_search<Selector>(
      exec, points, workspace, query_order_of(queries, self),
      [&](kernel_launcher& launcher, auto const& built, query_order_memory const& memory) {
        unsigned* const bad_offsets = &built.state->bad_offsets;
        look_at_offsets(launcher, points, queries, bad_offsets);
        if (output.report != nullptr) launcher.clear(output.report, sizeof *output.report);
        run_left_out(launcher, points, built.index, bad_offsets, output.report);
        knn_search<Queries> const search{
            built.index, points.points().size(), bad_offsets, false, queries, self, method, k, output};
        search_knn<Selector>(launcher, search, memory);
      });
}

/// Memory of knn() among the points of a device_point_bvh; none without a workspace.
struct built_search_memory {
  query_order_memory order;
  unsigned* bad_offsets;  ///< count of points and queries; null where threads look at the queries' offsets, if any

  template <class Queries>
  static built_search_memory cut(workspace_cutter& cutter, batch<Queries> const& queries) noexcept {
    unsigned* const bad_offsets = queries.is_ragged() ? cutter.take<unsigned>(1) : nullptr;
    return {query_order_of(queries)(cutter), bad_offsets};
  }
};

/// knn() for cuda_exec among the points of a device_point_bvh. Without a workspace the queries are answered in the
/// order of the view.
template <class Selector, class Index, class Queries>
FARPOINT_HIDDEN result knn_of_index_cuda(cuda_exec exec, Index const& index, batch<Queries> const& queries,
                                         exact const& method, index_t k,
                                         knn_output<typename Queries::scalar> const& output, bytes workspace) noexcept {
  if (result const checked = check_queries(queries, index.size()); !checked) return checked;
  if (result const checked = check_knn(queries.points().size(), method, k, output); !checked) return checked;
  workspace_cutter cutter{workspace.data()};
  auto const memory = workspace.empty() ? built_search_memory{} : built_search_memory::cut(cutter, queries);
  if (result const checked = check_workspace(workspace, cutter.used()); !checked) return checked;
  kernel_launcher launcher{exec.stream};
  if (output.report != nullptr) launcher.clear(output.report, sizeof *output.report);
  if (memory.bad_offsets != nullptr) launcher.clear(memory.bad_offsets, sizeof *memory.bad_offsets);
  count_bad_offsets(launcher, queries, index.bad_offsets(), memory.bad_offsets,
                    output.report == nullptr ? nullptr : &output.report->bad_offsets);
  bool const is_counted = memory.bad_offsets != nullptr;
  knn_search<Queries> const search{index.arrays(),
                                   index.points(),
                                   is_counted ? memory.bad_offsets : index.bad_offsets(),
                                   !is_counted,
                                   queries,
                                   false,
                                   method,
                                   k,
                                   output};
  search_knn<Selector>(launcher, search, memory.order);
  return cuda_failure(launcher.error(), "knn: a kernel or a memset could not be enqueued");
}

}  // namespace detail
FARPOINT_END_NAMESPACE

/// @file
/// The CUDA backend of knn().
#pragma once

#include <farpoint/detail/search/knn_warp_per_query.cuh>
#include <farpoint/detail/search/query_order.cuh>
#include <farpoint/detail/search/with_index.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Enqueues the kernel for the length of the lists.
template <class Selector, class Queries>
FARPOINT_HIDDEN void launch_knn(kernel_launcher& launcher, knn_cuda_args<Queries> const& args) noexcept {
  index_t const threads = larger(args.threads, args.rows);
  if (args.request.k > most_in_packets<typename Queries::scalar>) {
    launch_warp_per_query(launcher, args, threads);
  } else {
    launch_packets<Selector>(launcher, args, threads);
  }
}

/// Indices that have been built, and the request.
template <class Queries>
struct knn_search {
  using scalar = typename Queries::scalar;

  point_bvh_arrays<scalar> index;
  index_t points;               ///< of all clouds
  unsigned const* bad_offsets;  ///< see knn_cuda_args
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
  if (!search.self) order_queries(launcher, queries, most_leaves(search.points, search.queries.size()), memory);
  knn_request<scalar> const request{static_cast<int>(search.k), squared_radius<scalar>(search.method.max_radius),
                                    search.method.exclude_self};
  index_t const rows = search.queries.points().size();
  launch_knn<Selector>(
      launcher, knn_cuda_args<Queries>{queries, queries.threads(), rows, search.bad_offsets, request, search.output});
}

/// knn() for cuda_exec.
template <class Selector, class Points, class Queries>
FARPOINT_HIDDEN result knn_cuda(cuda_exec exec, batch<Points> const& points, batch<Queries> const& queries, bool self,
                                exact const& method, index_t k, knn_output<typename Points::scalar> const& output,
                                bytes workspace) noexcept {
  if (result const checked = check_device_search(points, queries); !checked) return checked;
  if (result const checked = check_knn(queries.points().size(), method, k, output); !checked) return checked;
  return indexed_search<Selector>(
      exec, points, workspace, query_order_of(queries, self),
      [&](kernel_launcher& launcher, auto const& built, query_order_memory const& memory) {
        if (output.report != nullptr) {
          launcher.clear(output.report, sizeof *output.report);
          run_left_out(launcher, points, built.index, &output.report->non_finite_points);
        }
        knn_search<Queries> const search{
            built.index, points.points().size(), &built.state->bad_offsets, queries, self, method, k, output};
        search_knn<Selector>(launcher, search, memory);
      });
}

/// knn() for cuda_exec among the points of a device_point_bvh. Without a workspace the queries are answered in the
/// order of the view.
template <class Selector, class Index, class Queries>
FARPOINT_HIDDEN result knn_of_index_cuda(cuda_exec exec, Index const& index, batch<Queries> const& queries,
                                         exact const& method, index_t k,
                                         knn_output<typename Queries::scalar> const& output, bytes workspace) noexcept {
  if (result const checked = check_queries(queries, index.size()); !checked) return checked;
  if (result const checked = check_knn(queries.points().size(), method, k, output); !checked) return checked;
  workspace_cutter cutter{workspace.data()};
  query_order_memory const memory = query_order_of(queries, workspace.empty())(cutter);
  if (result const checked = check_workspace(workspace, cutter.used()); !checked) return checked;
  kernel_launcher launcher{exec.stream};
  if (output.report != nullptr) launcher.clear(output.report, sizeof *output.report);
  knn_search<Queries> const search{index.arrays(), index.points(), index.bad_offsets(), queries, false, method, k,
                                   output};
  search_knn<Selector>(launcher, search, memory);
  return cuda_failure(launcher.error(), "knn: a kernel or a memset could not be enqueued");
}

}  // namespace detail
FARPOINT_END_NAMESPACE

/// @file
/// The CUDA backend of estimate_normals() and mean_knn_distance(): hands the list of each point to a consumer.
#pragma once

#include <farpoint/detail/search/neighbor_means.hpp>
#include <farpoint/detail/search/normal_from_neighbors.hpp>
#include <farpoint/detail/search/packets/kernel.cuh>
#include <farpoint/detail/search/scan/kernel.cuh>
#include <farpoint/detail/search/warp_per_query.cuh>
#include <farpoint/detail/search/with_index.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Queries, which are points of the index, whose lists go to a consumer, as in register_lists.
template <class Queries, class Consumer>
struct consumed_lists_args : packet_queries<Queries> {
  using scalar = typename Queries::scalar;
  using key = neighbor_key<scalar>;
  static constexpr int min_capacity = 4;
  static constexpr int max_capacity = max_in_registers<scalar>;
  static constexpr bool keeps_lists = true;

  Consumer consumer;

  __device__ void leave_empty(index_t row) const noexcept {
    if (row >= 0) consumer.leave_empty(row);
  }
  template <int Capacity>
  __device__ FARPOINT_ALWAYS_INLINE void finish(search_query<scalar> const& mine,
                                                warp_topk<scalar, Capacity> const& found,
                                                typename warp_topk<scalar, Capacity>::storage&) const noexcept {
    int const k = this->request.k;
    // In a struct: for a plain array the compiler would share one memory location with warp_topk's array of this type,
    // and thereby take warp_topk's array out of registers.
    struct {
      key at[Capacity];
    } keys;
#pragma unroll
    for (int j = 0; j < Capacity; ++j) {
      if (j >= Capacity - k) keys.at[j - (Capacity - k)] = found[j];
    }
    int const count = mine.exists() ? count_keys(keys.at, k) : 0;
    count_in_report_by_warp(this->counters.found, static_cast<unsigned long long>(count));
    if (mine.exists()) consumer(mine, keys.at, count);
  }
  __device__ void consume(search_query<scalar> const& mine, key const* keys, int count) const noexcept {
    consumer(mine, keys, count);
  }
};

/// Enqueues the kernel for any k: a warp answers 32 queries together, or one after another if their lists are too long
/// for registers.
template <class Selector, class Asked, class Consumer>
FARPOINT_HIDDEN void run_neighbor_lists(kernel_launcher& launcher, Asked const& asked,
                                        knn_request<typename Asked::scalar> const& request, Consumer const& consumer,
                                        knn_report* report) noexcept {
  using scalar = typename Asked::scalar;
  using args_type = consumed_lists_args<typename Asked::queries_type, Consumer>;
  args_type const args{{asked, request, non_finite_counter(report)}, consumer};
  if constexpr (Asked::is_scanned) {
    launch_scan_nearest(launcher, args, asked);
  } else if (request.k <= max_in_registers<scalar>) {
    launch_packets<Selector, query_kind::points>(launcher, args, asked.threads());
  } else {
    launch_warp_per_query<neighbor_key<scalar>>(launcher, args, asked.threads());
  }
}

/// Bytes of workspace of a search for the k nearest of each point.
template <class Selector, class Points>
std::size_t neighbors_bytes(batch<Points> const& points, index_t k) noexcept {
  return k > max_neighbors ? 0 : indexed_search_bytes<Selector>(points);
}

/// Sets the bytes that are enough for searches within the limits for the k nearest or fewer.
template <class Selector, class Points>
result bound_neighbors(batch_limits const& limits, index_t k, std::size_t& bound) noexcept {
  if (k < 0 || k > max_neighbors) return reject("limits: k is not between 0 and 1,024");
  return bound_indexed_search<Selector, Points>({limits.points, limits.clouds}, bound);
}

/// Hands the list of each point to a consumer. Checks the workspace; the rest has been checked.
/// @param source  `points`, or their device_point_bvh
template <class Selector, class Source, class Points, class Consumer>
FARPOINT_HIDDEN result neighbors_on_device(cuda_exec exec, Source const& source, batch<Points> const& points,
                                           knn_request<typename Points::scalar> const& request,
                                           Consumer const& consumer, knn_report* report, bytes workspace) noexcept {
  if constexpr (!std::is_same_v<Source, batch<Points>>) {
    result const checked = check_workspace(workspace, built_search_bytes<Selector>(source, points, true));
    if (!checked) return checked;
  }
  auto const answer = [&](kernel_launcher& launcher, auto const& asked, bytes) {
    run_neighbor_lists<Selector>(launcher, asked, request, consumer, report);
  };
  return search_on_device<Selector>(exec, source, points, true, report, workspace, request.k, answer);
}

/// Consumer that estimates normals.
template <class Points>
struct normals_writer {
  using scalar = typename Points::scalar;

  batch<Points> points;
  normal_request wanted;
  normals_output<scalar> output;

  template <class Key>
  FARPOINT_HD void operator()(search_query<scalar> const& q, Key const* keys, int count) const noexcept {
    write_normal(output, q.row, normal_of(points[q.cloud], q.at, keys, count, wanted));
  }
  FARPOINT_HD void leave_empty(index_t row) const noexcept { write_normal(output, row, normal_row<scalar>{}); }
};

/// estimate_normals() for cuda_exec.
/// @param source  `points`, or their device_point_bvh
template <class Selector, class Source, class Points>
FARPOINT_HIDDEN result estimate_normals_cuda(cuda_exec exec, Source const& source, batch<Points> const& points,
                                             normals_params const& params,
                                             normals_output<typename Points::scalar> const& output,
                                             bytes workspace) noexcept {
  result const searchable = check_search_on<true>(exec, workspace, source, points, output.normals, output.curvatures,
                                                  output.covariances, output.report);
  if (!searchable) return searchable;
  if (result const checked = check_normals(points.points().size(), params, output); !checked) return checked;
  normals_writer<Points> const writer{points, normal_request::of(params, output), output};
  auto const request = request_of<typename Points::scalar>(knn_params{params.k, params.max_radius});
  return neighbors_on_device<Selector>(exec, source, points, request, writer, output.report, workspace);
}

/// Consumer that averages distances.
template <class Scalar>
struct mean_distance_writer {
  span<Scalar> means;

  template <class Key>
  FARPOINT_HD void operator()(search_query<Scalar> const& q, Key const* keys, int count) const noexcept {
    means[static_cast<std::size_t>(q.row)] = mean_distance2(keys, count);
  }
  FARPOINT_HD void leave_empty(index_t row) const noexcept {
    means[static_cast<std::size_t>(row)] = no_distance<Scalar>;
  }
};

/// mean_knn_distance() for cuda_exec.
/// @param source  `points`, or their device_point_bvh
template <class Selector, class Source, class Points>
FARPOINT_HIDDEN result mean_knn_distance_cuda(cuda_exec exec, Source const& source, batch<Points> const& points,
                                              mean_knn_distance_params const& params,
                                              mean_knn_distance_output<typename Points::scalar> const& output,
                                              bytes workspace) noexcept {
  using scalar = typename Points::scalar;
  result const searchable = check_search_on<true>(exec, workspace, source, points, output.means, output.report);
  if (!searchable) return searchable;
  if (result const checked = check_mean_distance(points.points().size(), params, output); !checked) return checked;
  knn_request<scalar> const request{static_cast<int>(params.k), no_distance<scalar>, true};
  mean_distance_writer<scalar> const writer{output.means};
  return neighbors_on_device<Selector>(exec, source, points, request, writer, output.report, workspace);
}

}  // namespace detail
FARPOINT_END_NAMESPACE

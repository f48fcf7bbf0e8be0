/// @file
/// Passes the nearest points of each query to a consumer of the caller's, on a CUDA stream. See
/// for_each_neighborhood.hpp.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/core/profile_range.cuh>
#include <farpoint/knn.cuh>
#include <farpoint/types/neighborhood.hpp>

FARPOINT_BEGIN_NAMESPACE

namespace FARPOINT_HIDDEN detail {

/// Capacity of the lists of K neighbors.
constexpr int packet_capacity(int k) noexcept {
  return k == 1 ? 1 : k <= 4 ? 4 : k <= 8 ? 8 : k <= 16 ? 16 : 32;
}

/// Arguments of packet_kernel() whose lists go to a consumer of for_each_neighborhood().
template <class Queries, class Consumer, int K>
struct consumer_args : packet_queries<Queries> {
  using scalar = typename Queries::scalar;
  static constexpr int min_capacity = packet_capacity(K);
  static constexpr int max_capacity = min_capacity;

  Consumer consumer;

  __device__ void leave_empty(index_t row) const noexcept {
    if (row >= 0) consumer.leave_empty(row);
  }
  template <int Capacity>
  __device__ FARPOINT_ALWAYS_INLINE void finish(search_query<scalar> const& mine,
                                                warp_topk<scalar, Capacity> const& found,
                                                typename warp_topk<scalar, Capacity>::storage&) const noexcept {
    if (!mine.exists()) return;
    auto const list = neighborhood<scalar, K>::of([&](int j) { return found[Capacity - K + j]; });
    consumer(neighborhood_query<scalar>{mine.cloud, mine.index, mine.row, mine.at}, list);
  }
};

/// Enqueues the kernel that finds the K nearest points of each query and passes them to a consumer.
template <int K, query_kind Kind, class Selector, class Asked, class Consumer>
FARPOINT_HIDDEN void run_consumer(kernel_launcher& launcher, Asked const& asked,
                                  knn_request<typename Asked::scalar> const& request, Consumer const& consumer,
                                  knn_report* report) noexcept {
  static_assert(std::is_trivially_copyable_v<Consumer>,
                "farpoint: a consumer is copied to the device, and must be trivially copyable");
  using args_type = consumer_args<typename Asked::queries_type, Consumer, K>;
  static_assert(sizeof(external_args<args_type>) <= 4096,
                "farpoint: a consumer has at most 3 KiB; it may point to more in device memory");
  args_type const args{{asked, request, non_finite_counter(report)}, consumer};
  if constexpr (Asked::is_scanned) {
    launch_scan<packet_capacity(K)>(launcher, args, asked);
  } else {
    launch_packets<Selector, Kind>(launcher, args, asked.threads());
  }
}

/// for_each_neighborhood() for cuda_exec.
/// @param source  points, or a device_point_bvh
template <int K, query_kind Kind, class Selector, class Source, class Queries, class Consumer>
FARPOINT_HIDDEN result consume_on_device(cuda_exec exec, Source const& source, batch<Queries> const& queries,
                                         neighborhood_params const& params, Consumer const& consumer, bytes workspace,
                                         knn_report* report) noexcept {
  using scalar = typename Queries::scalar;
  check_consumer<Consumer, scalar, K>();
  if (result const checked = check_search_on(exec, workspace, source, queries, report); !checked) return checked;
  if (result const checked = check_neighborhoods(params); !checked) return checked;
  auto const answer = [&](kernel_launcher& launcher, auto const& asked, bytes) {
    run_consumer<K, Kind, Selector>(launcher, asked, request_of<scalar>(params.with_k(K)), consumer, report);
  };
  return named(
      search_on_device<Selector>(exec, source, queries, Kind == query_kind::points, report, workspace, K, answer),
      FARPOINT_TOO_SMALL("for_each_neighborhood", "workspace", "knn_workspace_bytes"));
}

}  // namespace detail

/// for_each_neighborhood(), enqueued on a stream: the same lists as on the host, to the bit.
///
/// Only enqueues: no synchronization, no allocation; may be captured in a graph. All memory of the arguments is device
/// memory; the workspace has knn_workspace_bytes<Selector>(exec, points, queries, knn_params{K}) bytes, 256-byte
/// aligned. A consumer is trivially copyable, and is copied at the call; its members are `__device__`, or `__host__
/// __device__` for both backends. A call runs in the thread of the query, a lane of a warp whose other lanes may be
/// inactive or have other queries: it must not synchronize with other threads, by barriers or by operations of a warp,
/// and has no shared memory. The list is in registers as long as it is read by list.for_each(), or by indices that are
/// constant after unrolling.
///
/// nvcc fuses a * b + c into one rounding, and a host compiler may not: a consumer computes the same bits on both if it
/// uses fma_rn(), mul_rn() and add_rn().
///
/// @tparam K         number of neighbors per query, 1 to 32
/// @tparam Selector  tuning; affects the speed only
/// @return ok | bad_argument | workspace_too_small | cuda_failure, as knn(). On failure the consumer is not called. A
///         pending error of other work is neither cleared nor returned.
/// Complexity: as knn(), with one kernel for each K, type of points, and consumer, which takes 2 to 5 s to compile.
/// Thread-safe: concurrent calls must not share the workspace.
template <int K, class Selector = knn_selector, class Points, class Queries, class Consumer>
result for_each_neighborhood(cuda_exec exec, batch<Points> const& points, batch<Queries> const& queries,
                             neighborhood_params const& params, Consumer const& consumer, bytes workspace,
                             knn_report* report = nullptr) noexcept {
  detail::profile_range const range{"farpoint::for_each_neighborhood"};
  return detail::consume_on_device<K, detail::query_kind::others, Selector>(exec, points, queries, params, consumer,
                                                                            workspace, report);
}

/// for_each_neighborhood() with the points as queries: each point is its own nearest neighbor, unless the parameters
/// exclude it. The workspace has knn_workspace_bytes<Selector>(exec, points, knn_params{K}) bytes.
template <int K, class Selector = knn_selector, class Points, class Consumer>
result for_each_neighborhood(cuda_exec exec, batch<Points> const& points, neighborhood_params const& params,
                             Consumer const& consumer, bytes workspace, knn_report* report = nullptr) noexcept {
  detail::profile_range const range{"farpoint::for_each_neighborhood"};
  return detail::consume_on_device<K, detail::query_kind::points, Selector>(exec, points, points, params, consumer,
                                                                            workspace, report);
}

/// for_each_neighborhood() among the points of a BVH, enqueued on a stream: same lists and report as for the points
/// themselves, and the same guarantees. The workspace has knn_workspace_bytes<Selector>(exec, index, queries) bytes, or
/// is empty: then queries are answered in the order of the view, more slowly if there are many.
template <int K, class Selector = knn_selector, class Queries, class Consumer>
result for_each_neighborhood(cuda_exec exec, device_point_bvh<typename Queries::scalar> const& index,
                             batch<Queries> const& queries, neighborhood_params const& params, Consumer const& consumer,
                             bytes workspace = {}, knn_report* report = nullptr) noexcept {
  detail::profile_range const range{"farpoint::for_each_neighborhood (built index)"};
  return detail::consume_on_device<K, detail::query_kind::others, Selector>(exec, index, queries, params, consumer,
                                                                            workspace, report);
}

FARPOINT_END_NAMESPACE

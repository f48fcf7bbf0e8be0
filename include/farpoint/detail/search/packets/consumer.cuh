/// @file
/// The CUDA backend of for_each_neighborhood().
#pragma once

#include <farpoint/detail/search/packets/kernel.cuh>
#include <farpoint/detail/search/scan/kernel.cuh>
#include <farpoint/detail/search/with_index.cuh>
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
  return search_on_device<Selector>(exec, source, queries, Kind == query_kind::points, report, workspace, K, answer);
}

}  // namespace detail
FARPOINT_END_NAMESPACE

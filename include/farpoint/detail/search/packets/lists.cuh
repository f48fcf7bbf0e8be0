/// @file
/// Hands lists of nearest neighbors to a consumer.
#pragma once

#include <farpoint/detail/search/packets/kernel.cuh>
#include <farpoint/detail/search/query_kernel.cuh>
#include <farpoint/detail/search/scan/kernel.cuh>
#include <farpoint/detail/search/warp_per_query.cuh>

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
template <class Selector, class Queries, class Consumer>
FARPOINT_HIDDEN void run_neighbor_lists(kernel_launcher& launcher, search_queries<Queries> const& queries,
                                        knn_request<typename Queries::scalar> const& request, Consumer const& consumer,
                                        knn_report* report) noexcept {
  using scalar = typename Queries::scalar;
  consumed_lists_args<Queries, Consumer> const args{{queries, request, non_finite_counter(report)}, consumer};
  if (request.k <= max_in_registers<scalar>) {
    launch_packets<Selector, query_kind::points>(launcher, args, queries.threads());
  } else {
    launch_warp_per_query<neighbor_key<scalar>>(launcher, args, queries.threads());
  }
}

template <class Selector, class Points, class Queries, class Consumer>
FARPOINT_HIDDEN void run_neighbor_lists(kernel_launcher& launcher, scanned_queries<Points, Queries> const& queries,
                                        knn_request<typename Queries::scalar> const& request, Consumer const& consumer,
                                        knn_report* report) noexcept {
  using args = consumed_lists_args<Queries, Consumer>;
  launch_scan_nearest(launcher, args{{queries, request, non_finite_counter(report)}, consumer}, queries);
}

}  // namespace detail
FARPOINT_END_NAMESPACE

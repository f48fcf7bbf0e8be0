/// @file
/// Lists of the nearest neighbours for a consumer: a warp answers 32 queries together.
#pragma once

#include <farpoint/detail/search/knn_packet.cuh>
#include <farpoint/detail/search/neighbour_lists.hpp>
#include <farpoint/detail/search/query_kernel.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Queries, whose lists go to a consumer, and counters that may be left out; see query_args and register_lists.
template <class Queries, class Consumer>
struct packet_lists_args {
  search_queries<Queries> queries;
  index_t threads;
  knn_request<typename Queries::scalar> request;
  Consumer consumer;
  unsigned long long* found;
  unsigned long long* non_finite;
};

template <class Queries, int Capacity, int BlockSize, class Consumer>
__global__ void __launch_bounds__(BlockSize) packet_lists_kernel(packet_lists_args<Queries, Consumer> const work) {
  using key = neighbour_key<typename Queries::scalar>;
  using list = warp_topk<typename Queries::scalar, Capacity>;
  constexpr int warps = BlockSize / cuda_warp::lanes;
  static_assert(packets_fit<typename Queries::scalar, Capacity>(warps),
                "farpoint: a block_size of knn_selector that shared memory is too small for");
  __shared__ typename list::storage candidates[warps];
  __shared__ packet_memory<typename Queries::scalar> shared[warps];
  int const warp = static_cast<int>(threadIdx.x) / cuda_warp::lanes;
  index_t const thread = index_t{blockIdx.x} * BlockSize + threadIdx.x;
  index_t bad_row = -1;
  search_query<typename Queries::scalar> query;
  if (thread < work.threads) query = work.queries.of_thread(thread, bad_row);
  if (bad_row >= 0) work.consumer.leave_empty(bad_row);
  count_in_report_by_warp(work.non_finite, bad_row >= 0 ? 1u : 0u);
  if (cuda_warp::ballot(query.exists()) == 0) return;

  int const k = work.request.k;
  std::uint32_t const excluded = query.exists() ? work.request.excluded(query.index) : no_index;
  list found{candidates[warp], k, key{work.request.radius2, no_index}, excluded};
  search_together(work.queries, query, shared[warp], found);
  key keys[Capacity];
#pragma unroll
  for (int j = 0; j < Capacity; ++j) {
    if (j >= Capacity - k) keys[j - (Capacity - k)] = found[j];
  }
  int const count = query.exists() ? count_keys(keys, k) : 0;
  count_in_report_by_warp(work.found, static_cast<unsigned long long>(count));
  if (query.exists()) work.consumer(query, keys, count);
}

/// Enqueues it, for k up to most_in_packets.
template <class Selector, class Queries, class Consumer>
FARPOINT_HIDDEN cudaError_t run_packet_lists(search_queries<Queries> const& queries,
                                             knn_request<typename Queries::scalar> const& request,
                                             Consumer const& consumer, cudaStream_t stream,
                                             unsigned long long* found = nullptr,
                                             unsigned long long* non_finite = nullptr) noexcept {
  constexpr int block_size = Selector::block_size;
  constexpr int most = most_in_packets<typename Queries::scalar>;
  using work_type = packet_lists_args<Queries, Consumer>;
  using kernel_type = void (*)(work_type const);
  work_type const work{queries, queries.threads(), request, consumer, found, non_finite};
  if (work.threads == 0) return cudaSuccess;
  kernel_type const kernel = request.k <= 4    ? kernel_type{packet_lists_kernel<Queries, 4, block_size, Consumer>}
                             : request.k <= 8  ? kernel_type{packet_lists_kernel<Queries, 8, block_size, Consumer>}
                             : request.k <= 16 ? kernel_type{packet_lists_kernel<Queries, 16, block_size, Consumer>}
                                               : kernel_type{packet_lists_kernel<Queries, most, block_size, Consumer>};
  cudaLaunchConfig_t launch{};
  launch.gridDim = dim3(static_cast<unsigned>((work.threads + block_size - 1) / block_size));
  launch.blockDim = dim3(block_size);
  launch.stream = stream;
  return launch_kernel(kernel, launch, work);
}

}  // namespace detail
FARPOINT_END_NAMESPACE

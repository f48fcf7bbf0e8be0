/// @file
/// Kernel of long lists: a warp answers its queries one after another, their lists in shared memory.
#pragma once

#include <farpoint/block/dynamic_shared.cuh>
#include <farpoint/detail/search/knn_args.cuh>
#include <farpoint/detail/search/warp_per_query.hpp>
#include <farpoint/tuning/knn.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Writes the list of a query to its row. All lanes call it.
template <class Args, class Key>
__device__ void write_row(Args const& args, index_t row, Key const* keys, int count) noexcept {
  int const k = args.request.k;
  for (int j = cuda_warp::lane(); j < k; j += cuda_warp::lanes) {
    write_neighbor(args, row * k + j, j < count ? keys[j] : Key{typename Args::scalar(0), no_index});
  }
  if (!args.output.counts.empty() && cuda_warp::lane() == 0) args.output.counts.set(row, count);
}

template <class Args>
struct warp_per_query_args {
  Args args;  ///< as in packet_kernel(), with the output of knn_cuda_args or with `consume(query, keys, count)`
  int each;   ///< queries of a warp
};

/// A block of one warp for some queries, one after another; then each lane consumes a list if Args::keeps_lists.
/// @tparam Key  order of the lists
template <class Key, class Args>
__global__ void __launch_bounds__(cuda_warp::lanes) warp_per_query_kernel(warp_per_query_args<Args> const all) {
  Args const& args = all.args;
  int const each = all.each;
  using scalar = typename Args::scalar;
  Key* const keys = static_cast<Key*>(dynamic_shared());
  int const lane = cuda_warp::lane();
  index_t bad_row = -1;
  search_query<scalar> mine;
  if (lane < each) mine = args.query_of(index_t{blockIdx.x} * each + lane, bad_row);
  args.leave_empty(bad_row);
  args.count_non_finite(bad_row >= 0);
  int const k = args.request.k;
  int count = 0;  ///< length of the list of the lane's query
  for (int from = 0; from < each; ++from) {
    search_query<scalar> const query = cuda_warp::shuffle(mine, from);
    if (!query.exists()) continue;
    // A kept list is at the begin of the memory of the search; the next search takes the memory behind it.
    Key* const found = Args::keeps_lists ? keys + from * k : keys;
    int const length =
        search_by_warp<cuda_warp>(args.queries.index_of(query), query, args.request, args.limit2(query), found);
    if (lane == from) count = length;
    if constexpr (!Args::keeps_lists) {
      write_row(args, query.row, found, length);
      cuda_warp::sync();
    }
  }
  count_in_report_by_warp(args.counters.found, static_cast<unsigned long long>(count));
  if constexpr (Args::keeps_lists) {
    if (mine.exists()) args.consume(mine, keys + lane * k, count);
  }
}

/// Enqueues it, for any k.
template <class Key, class Args>
FARPOINT_HIDDEN void launch_warp_per_query(kernel_launcher& launcher, Args const& args, index_t threads) noexcept {
  if (threads == 0) return;
  int const k = args.request.k;
  int const room = collected_topk<cuda_warp, Key>::room_for(k);
  constexpr int max_keys = kept_lists_bytes / int{sizeof(Key)};
  int const kept = smaller(larger(1 + (max_keys - room) / k, 1), kept_lists_per_warp);
  int const each = Args::keeps_lists ? kept : knn_queries_per_warp;
  int const keys = Args::keeps_lists ? (each - 1) * k + room : room;
  cudaLaunchConfig_t config = launch_config(blocks_for(threads, each), cuda_warp::lanes, launcher.stream());
  config.dynamicSmemBytes = static_cast<std::size_t>(keys) * sizeof(Key);
  launcher.launch(warp_per_query_kernel<Key, Args>, config, {args, each});
}

}  // namespace detail
FARPOINT_END_NAMESPACE

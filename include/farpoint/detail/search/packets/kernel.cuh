/// @file
/// Kernel of short lists of nearest neighbors: a warp answers 32 queries together.
#pragma once

#include <farpoint/detail/search/knn_request.hpp>
#include <farpoint/detail/search/packets/search.hpp>
#include <farpoint/grid/blocks_that_fit.hpp>
#include <farpoint/grid/kernel_launcher.cuh>
#include <farpoint/tuning/knn.hpp>
#include <farpoint/warp/count_in_report.cuh>
#include <farpoint/warp/warp_topk.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Largest k if rows are written from the lists. Lists of 64 doubles take more registers than a thread has; one warp
/// per query is then faster.
template <class Scalar>
inline constexpr int max_rows_in_packets = 2 * max_in_registers<Scalar>;

/// Bytes of shared memory of `warps` warps and their lists.
template <class Scalar, int Capacity>
FARPOINT_HD constexpr std::size_t packet_shared_bytes(int warps) noexcept {
  using list = warp_topk<Scalar, Capacity>;
  return static_cast<std::size_t>(warps) * (sizeof(typename list::storage) + sizeof(packet_memory<Scalar>));
}

/// Threads per block: the selector's, or the largest part of these, in whole warps, for which 48 KiB suffice: the
/// shared memory of a block on every device without an opt-in.
template <class Scalar, int Capacity>
constexpr int packet_block_size(int chosen) noexcept {
  int const warps = chosen / cuda_warp::lanes;
  int parts = 1;
  while (warps % parts != 0 || packet_shared_bytes<Scalar, Capacity>(warps / parts) > 48 * 1024) ++parts;
  return chosen / parts;
}

/// Number of blocks that a multiprocessor should hold: the minimum that `Args` states, or fewer if shared memory
/// does not suffice; 0 for any number.
template <class Args, int Capacity>
constexpr int packet_blocks(int block_size) noexcept {
  return smaller(
      Args::min_blocks(Capacity, block_size),
      blocks_that_fit(block_size, packet_shared_bytes<typename Args::scalar, Capacity>(block_size / cuda_warp::lanes)));
}

/// Queries of packet_kernel(), and what is asked for: base of arguments whose `finish` does not write rows of k.
template <class Queries>
struct packet_queries {
  using scalar = typename Queries::scalar;
  static constexpr bool is_external = false;

  search_queries<Queries> queries;
  knn_request<scalar> request;
  query_counters counters;

  static constexpr int min_blocks(int, int) noexcept { return 0; }

  __device__ search_query<scalar> query_of(index_t thread, index_t& bad_row) const noexcept {
    return queries.of_thread(thread, bad_row);
  }
  __device__ void count_non_finite(bool is_bad) const noexcept {
    count_in_report_by_warp(counters.non_finite, is_bad && !queries.has_bad_offsets() ? 1u : 0u);
  }
  __device__ scalar limit2(search_query<scalar> const&) const noexcept { return request.radius2; }
};

/// Arguments of a kernel for queries that are not the points.
template <class Args>
struct external_args : Args {
  static constexpr bool is_external = true;

  float max_spread;      ///< see packet_limits
  int queries_per_warp;  ///< 32, or 1, which all lanes answer

  /// Number of threads for so many queries.
  FARPOINT_HD index_t threads(index_t count) const noexcept {
    return divide_up(count, index_t{queries_per_warp}) * cuda_warp::lanes;
  }
  __device__ search_query<typename Args::scalar> query_of(index_t thread, index_t& bad_row) const noexcept {
    index_t const lane = thread % cuda_warp::lanes;
    if (lane >= queries_per_warp) return {};
    return Args::query_of(thread / cuda_warp::lanes * queries_per_warp + lane, bad_row);
  }
};

/// Answers 32 queries per warp. `Args` has the queries, `request`, and operations on the lists:
///
///   query_of(thread, bad_row)           as search_queries::of_thread(), for every thread of the grid
///   leave_empty(row)                    writes the row of a query without neighbors; -1: no row
///   limit2(mine)                        squared distance that neighbors are within; called by all lanes
///   count_non_finite(is_bad)            called by all lanes
///   finish<Capacity>(mine, found, free) called by all lanes of a warp that has a query; `free` is shared memory
///
/// and constants: min_capacity, max_capacity, is_external, which external_args sets, and min_blocks(capacity,
/// block_size) per multiprocessor, 0 for any number.
template <class Args, int Capacity, int BlockSize>
__global__ void __launch_bounds__(BlockSize, packet_blocks<Args, Capacity>(BlockSize)) packet_kernel(Args const args) {
  using scalar = typename Args::scalar;
  using list = warp_topk<scalar, Capacity>;
  constexpr int warps = BlockSize / cuda_warp::lanes;
  __shared__ typename list::storage candidates[warps];
  __shared__ packet_memory<scalar> shared[warps];
  int const warp = static_cast<int>(threadIdx.x) / cuda_warp::lanes;
  index_t bad_row = -1;
  search_query<scalar> const mine = args.query_of(index_t{blockIdx.x} * BlockSize + threadIdx.x, bad_row);
  args.leave_empty(bad_row);
  args.count_non_finite(bad_row >= 0);
  if (cuda_warp::ballot(mine.exists()) == 0) return;
  int const k = args.request.k;
  std::uint32_t const excluded = mine.exists() ? args.request.excluded(mine.index) : no_index;
  list found{candidates[warp], k, {args.limit2(mine), no_index}, excluded};
  if constexpr (Args::is_external) {
    packet_limits const limits{args.max_spread, packet_max_turns<Capacity>};
    search_external<cuda_warp>(args.queries, mine, k, limits, shared[warp], found);
  } else {
    search_together<cuda_warp>(args.queries, mine, shared[warp], found);
  }
  args.finish(mine, found, candidates[warp]);
}

/// Calls `run(capacity)` with the least capacity for lists of k, a std::integral_constant. Capacities are powers of two
/// from `Capacity`, but not 2, to `Max`.
template <int Capacity, int Max, class Run>
void with_capacity(int k, Run const& run) noexcept {
  if constexpr (Capacity < Max) {
    if (k > Capacity) return with_capacity<larger(2 * Capacity, 4), Max>(k, run);
  }
  run(std::integral_constant<int, Capacity>{});
}

/// Enqueues the kernel for the k of `args`, with at least `threads` threads.
template <class Selector, class Args>
FARPOINT_HIDDEN void launch_packet_kernel(kernel_launcher& launcher, Args const& args, index_t threads) noexcept {
  static_assert(is_block_size(Selector::block_size),
                "farpoint: knn_selector::block_size must be whole warps of threads");
  with_capacity<Args::min_capacity, Args::max_capacity>(args.request.k, [&](auto least) {
    constexpr int capacity = decltype(least)::value;
    constexpr int block_size = packet_block_size<typename Args::scalar, capacity>(Selector::block_size);
    launcher.launch_for(threads, block_size, packet_kernel<Args, capacity, block_size>, args);
  });
}

/// Adds to `args` what the kernel for queries that are not the points needs.
template <class Selector, class Args>
external_args<Args> external_args_of(Args const& args) noexcept {
  index_t const queries = args.queries.threads();
  if (args.queries.are_in_leaf_order()) return {args, Selector::max_spread_in_order, cuda_warp::lanes};
  if (queries < Selector::warp_per_query_below) return {args, Selector::max_spread, 1};
  return {args, queries < Selector::per_lane_below ? -1.0f : Selector::max_spread, cuda_warp::lanes};
}

/// Kind of queries, where a call knows it: each has kernels of its own, which take seconds to compile.
enum class query_kind { points, others };

/// Enqueues the kernel for k up to Args::max_capacity, with at least `threads` threads.
template <class Selector, query_kind Kind, class Args>
FARPOINT_HIDDEN void launch_packets(kernel_launcher& launcher, Args const& args, index_t threads) noexcept {
  if constexpr (Kind == query_kind::others) {
    auto const all = external_args_of<Selector>(args);
    launch_packet_kernel<Selector>(launcher, all, all.threads(threads));
  } else {
    launch_packet_kernel<Selector>(launcher, args, threads);
  }
}

}  // namespace detail
FARPOINT_END_NAMESPACE

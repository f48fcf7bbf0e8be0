/// @file
/// Kernel of short lists of nearest neighbours: a warp answers 32 queries together.
#pragma once

#include <farpoint/detail/search/knn_request.hpp>
#include <farpoint/detail/search/packets/traversal.cuh>
#include <farpoint/detail/search/queries.hpp>
#include <farpoint/grid/blocks_that_fit.hpp>
#include <farpoint/grid/kernel_launcher.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Largest k whose lists fit in registers, in addition to the registers of a consumer of the lists.
template <class Scalar>
inline constexpr int most_in_packets = sizeof(Scalar) == 4 ? 32 : 16;

/// Largest k if rows are written from the lists. Lists of 64 doubles take more registers than a thread has; one warp
/// per query is then faster.
template <class Scalar>
inline constexpr int most_rows_in_packets = 2 * most_in_packets<Scalar>;

/// Not inlined: inlining would take registers from the search that follows, and few queries take this path.
template <class Scalar>
__device__ __noinline__ std::uint32_t leaf_near_apart(point_bvh_ref<Scalar> index, vec<Scalar, 3> q) noexcept {
  return index.leaf_near(q);
}

/// Fills the lists of a warp's queries, cloud by cloud.
template <class Queries, int Capacity>
__device__ void search_together(search_queries<Queries> const& queries,
                                search_query<typename Queries::scalar> const& mine,
                                packet_memory<typename Queries::scalar>& shared,
                                warp_topk<typename Queries::scalar, Capacity>& found) noexcept {
  vec<typename Queries::scalar, 3> const q = mine.at;
  for (unsigned left = cuda_warp::ballot(mine.exists()); left != 0;) {
    int const first = lowest_bit(left);
    index_t const cloud = cuda_warp::shuffle(mine.cloud, first);
    bool const is_here = mine.cloud == cloud;
    auto const index = queries.index_of(cloud);
    __syncwarp();
    if (int const level = cuda_warp::lane(); level < point_bvh_levels) {
      shared.levels[level] = queries.boxes_of(cloud, level);
    }
    std::uint32_t start = mine.start;
    if (is_here && start == no_index) start = leaf_near_apart(index, q);
    found.activate(is_here);
    packet_traversal<typename Queries::scalar, Capacity> traversal{found, shared, q};
    traversal.search(index, cuda_warp::shuffle(start, first), q);
    left &= ~cuda_warp::ballot(is_here);
  }
}

/// Number of blocks that a multiprocessor should hold: the minimum that `Args` states, or fewer if shared memory
/// does not suffice; 0 for any number.
template <class Args, int Capacity>
constexpr int packet_blocks(int block_size) noexcept {
  return smaller(
      Args::min_blocks(Capacity, block_size),
      blocks_that_fit(block_size, packet_shared_bytes<typename Args::scalar, Capacity>(block_size / cuda_warp::lanes)));
}

/// Answers 32 queries per warp. `Args` has the queries, `request`, and operations on the lists:
///
///   query_of(thread, bad_row)           as search_queries::of_thread(), for every thread of the grid
///   leave_empty(row)                    writes the row of a query without neighbours; -1: no row
///   limit2(mine)                        squared distance that neighbours are within; called by all lanes
///   count_non_finite(is_bad)            called by all lanes
///   finish<Capacity>(mine, found, free) called by all lanes of a warp that has a query; `free` is shared memory
///
/// and constants: least_capacity, most_capacity, and min_blocks(capacity, block_size) per multiprocessor, 0 for any
/// number.
template <class Args, int Capacity, int BlockSize>
__global__ void __launch_bounds__(BlockSize, packet_blocks<Args, Capacity>(BlockSize)) packet_kernel(Args const args) {
  using scalar = typename Args::scalar;
  using list = warp_topk<scalar, Capacity>;
  constexpr int warps = BlockSize / cuda_warp::lanes;
  static_assert(packets_fit<scalar, Capacity>(warps),
                "farpoint: a block_size of knn_selector that shared memory is too small for");
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
  search_together(args.queries, mine, shared[warp], found);
  args.finish(mine, found, candidates[warp]);
}

/// Enqueues the kernel for lists longer than most_in_packets. Blocks are halved if the selector's do not fit.
template <class Selector, class Args>
FARPOINT_HIDDEN void launch_long_packets(kernel_launcher& launcher, Args const& args, index_t threads) noexcept {
  constexpr int capacity = Args::most_capacity;
  constexpr int asked = Selector::block_size;
  constexpr bool fits = packets_fit<typename Args::scalar, capacity>(asked / cuda_warp::lanes);
  constexpr int block_size = fits ? asked : asked / 2;
  launcher.launch_for(threads, block_size, packet_kernel<Args, capacity, block_size>, args);
}

/// Enqueues the kernel for k up to Args::most_capacity, with at least `threads` threads.
template <class Selector, class Args>
FARPOINT_HIDDEN void launch_packets(kernel_launcher& launcher, Args const& args, index_t threads) noexcept {
  constexpr int block_size = Selector::block_size;
  static_assert(is_block_size(block_size), "farpoint: knn_selector::block_size must be whole warps of threads");
  constexpr int least = Args::least_capacity;
  constexpr int most = most_in_packets<typename Args::scalar>;
  using kernel_type = void (*)(Args const);
  int const k = args.request.k;
  if constexpr (Args::most_capacity > most) {
    if (k > most) return launch_long_packets<Selector>(launcher, args, threads);
  }
  kernel_type const kernel = k <= least ? kernel_type{packet_kernel<Args, least, block_size>}
                             : k <= 4   ? kernel_type{packet_kernel<Args, 4, block_size>}
                             : k <= 8   ? kernel_type{packet_kernel<Args, 8, block_size>}
                             : k <= 16  ? kernel_type{packet_kernel<Args, 16, block_size>}
                                        : kernel_type{packet_kernel<Args, most, block_size>};
  launcher.launch_for(threads, block_size, kernel, args);
}

}  // namespace detail
FARPOINT_END_NAMESPACE

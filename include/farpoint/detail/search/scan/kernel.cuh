/// @file
/// Kernels that search small clouds without an index: blocks load their cloud into shared memory.
#pragma once

#include <farpoint/detail/search/knn_args.cuh>
#include <farpoint/detail/search/scan/scan.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

template <class Args, class Points>
struct scan_args {
  Args args;  ///< as in packet_kernel(), queries in the order of the view
  batch<Points> points;
  unsigned long long* non_finite_points;
  int warp_bits;  ///< see scanned_queries
};

/// Loads points of a cloud. All threads of the block call it. Returns the number of non-finite points of the thread.
template <class Points, class Tile>
__device__ unsigned load_tile(Points const& cloud, index_t first, int size, Tile& tile) noexcept {
  // Several loads are in flight at once.
  constexpr int at_once = 4;
  unsigned left_out = 0;
  for (int from = static_cast<int>(threadIdx.x); from < divide_up(size, Tile::fill) * Tile::fill;
       from += at_once * search_block_size) {
    vec<typename Points::scalar, 3> points[at_once];
#pragma unroll
    for (int j = 0; j < at_once; ++j) {
      int const i = from + j * search_block_size;
      points[j] = i < size ? cloud[first + i] : Tile::missing();
    }
#pragma unroll
    for (int j = 0; j < at_once; ++j) {
      int const i = from + j * search_block_size;
      bool const is_there = is_finite(points[j]);
      left_out += i < size && !is_there ? 1u : 0u;
      if (i < Tile::capacity) tile.set(i, is_there ? points[j] : Tile::missing());
    }
  }
  return left_out;
}

/// Calls `look(tile, size, first)` for the points of a cloud, a tile at a time, and counts non-finite points. All
/// threads of the block call it.
template <class Points, class Look>
__device__ FARPOINT_ALWAYS_INLINE void for_each_tile(Points const& cloud, unsigned long long* non_finite_points,
                                                     Look const& look) noexcept {
  using tile_type = scan_tile<typename Points::scalar>;
  __shared__ tile_type tile;
  unsigned left_out = 0;
  for (index_t first = 0; first < cloud.size(); first += tile_type::capacity) {
    int const size = static_cast<int>(smaller(cloud.size() - first, index_t{tile_type::capacity}));
    __syncthreads();
    left_out += load_tile(cloud, first, size, tile);
    __syncthreads();
    look(tile, size, static_cast<std::uint32_t>(first));
  }
  count_in_report_by_warp(non_finite_points, left_out);
}

/// Writes the row of a query that is not finite, and counts it. Returns the query of the calling lane.
template <class Args>
__device__ search_query<typename Args::scalar> scanned_query(Args const& args, scan_share const& share,
                                                             bool is_owner) noexcept {
  index_t bad_row = -1;
  auto const mine = args.query_of(share.row < 0 ? args.queries.threads() : share.row, bad_row);
  if (!is_owner) bad_row = -1;
  args.leave_empty(bad_row);
  args.count_non_finite(bad_row >= 0);
  return mine;
}

/// Finds the nearest points of up to 32 queries per warp. If a warp has fewer, several lanes share the points of a
/// query, and their lists are merged in the end.
template <class Args, class Points, int Capacity>
__global__ void __launch_bounds__(search_block_size) scan_nearest_kernel(scan_args<Args, Points> const all) {
  using scalar = typename Args::scalar;
  using list = warp_topk<scalar, Capacity>;
  __shared__ typename list::storage candidates[1 << scan_warps_bits];
  Args const& args = all.args;
  int const each = 1 << all.warp_bits;
  int const part = cuda_warp::lane() >> all.warp_bits;
  scan_share const share{args.queries, all.warp_bits, blockIdx.x, static_cast<int>(threadIdx.x)};
  search_query<scalar> mine = scanned_query(args, share, part == 0);
  if (share.cloud < 0) return;
  bool const has_queries = cuda_warp::ballot(mine.exists()) != 0;
  std::uint32_t const excluded = mine.exists() ? args.request.excluded(mine.index) : no_index;
  auto& shared = candidates[threadIdx.x / cuda_warp::lanes];
  // Only the list that the others are merged into is padded to the capacity.
  list found{shared, part == 0 ? args.request.k : Capacity, {args.limit2(mine), no_index}, excluded};
  found.activate(mine.exists());
  for_each_tile(all.points[share.cloud], share.is_first ? all.non_finite_points : nullptr,
                [&](auto const& tile, int size, std::uint32_t first) {
                  if (!has_queries) return;
                  scan_nearest<cuda_warp>(tile, size, first, part, cuda_warp::lanes >> all.warp_bits, mine.at, found);
                });
  if (!has_queries) return;
#pragma unroll 1
  for (int mask = each; mask < cuda_warp::lanes; mask *= 2) found.merge_lane(mask);
  if (part != 0) mine = {};
  args.finish(mine, found, shared);
}

/// Finds the points of the lowest indices within the radius, or counts all for k = 0; a warp answers its queries one
/// after another.
/// @tparam Args  knn_cuda_args
template <class Args, class Points>
__global__ void __launch_bounds__(search_block_size) scan_lowest_kernel(scan_args<Args, Points> const all) {
  using scalar = typename Args::scalar;
  Args const& args = all.args;
  int const each = 1 << all.warp_bits;
  int const max = args.request.k;
  int const lane = cuda_warp::lane();
  scan_share const share{args.queries, all.warp_bits, blockIdx.x, static_cast<int>(threadIdx.x)};
  search_query<scalar> const mine = scanned_query(args, share, lane < each);
  if (share.cloud < 0) return;
  int count = 0;
  for_each_tile(
      all.points[share.cloud], share.is_first ? all.non_finite_points : nullptr,
      [&](auto const& tile, int size, std::uint32_t first) {
        for (int from = 0; from < each; ++from) {
          search_query<scalar> const query = cuda_warp::shuffle(mine, from);
          int const before = cuda_warp::shuffle(count, from);
          if (!query.exists() || (max > 0 && before >= max)) continue;
          scan_request<scalar> const request{query.at, args.limit2(query), args.request.excluded(query.index), max};
          int const found =
              scan_lowest<cuda_warp>(tile, size, first, request, before, [&](int j, std::uint32_t index, scalar d) {
                write_neighbor(args, query.row * max + j, neighbor_key<scalar>{d, index});
              });
          if (lane == from) count = found;
        }
      });
  for (int from = 0; from < each; ++from) {
    index_t const row = cuda_warp::shuffle(mine.exists() ? mine.row : index_t{-1}, from);
    int const found = cuda_warp::shuffle(count, from);
    for (int j = found + lane; j < max && row >= 0; j += cuda_warp::lanes) {
      write_neighbor(args, row * max + j, neighbor_key<scalar>{scalar(0), no_index});
    }
  }
  if (lane < each && mine.exists() && !args.output.counts.empty()) args.output.counts.set(mine.row, count);
  count_in_report_by_warp(args.counters.found, static_cast<unsigned long long>(count));
}

/// Enqueues the search for the nearest points with lists of a capacity, or scan_lowest_kernel() for a capacity of 0.
template <int Capacity, class Args, class Points, class Queries>
FARPOINT_HIDDEN void launch_scan(kernel_launcher& launcher, Args const& args,
                                 scanned_queries<Points, Queries> const& asked) noexcept {
  void (*kernel)(scan_args<Args, Points> const) = nullptr;
  if constexpr (Capacity > 0) {
    kernel = scan_nearest_kernel<Args, Points, Capacity>;
  } else {
    kernel = scan_lowest_kernel<Args, Points>;
  }
  launcher.launch_for(asked.blocks() * search_block_size, search_block_size, kernel,
                      {args, asked.points, asked.non_finite_points, asked.warp_bits});
}

/// Enqueues the search for the nearest points, for k up to max_in_registers.
template <class Args, class Points, class Queries>
FARPOINT_HIDDEN void launch_scan_nearest(kernel_launcher& launcher, Args const& args,
                                         scanned_queries<Points, Queries> const& asked) noexcept {
  // Lists of one would have a kernel of their own, which takes a second to compile.
  with_capacity<4, max_in_registers<typename Args::scalar>>(
      args.request.k, [&](auto capacity) { launch_scan<decltype(capacity)::value>(launcher, args, asked); });
}

}  // namespace detail
FARPOINT_END_NAMESPACE

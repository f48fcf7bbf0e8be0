/// @file
/// Radix sort with three launches for each digit: count the digits of all tiles, scan the counts, scatter.
#pragma once

#include <farpoint/block/block_radix_rank.cuh>
#include <farpoint/grid/radix_sweep.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

inline constexpr int radix_tile_threads = 256;
inline constexpr int radix_tile_items = 16;
inline constexpr std::uint32_t radix_tile_size = radix_tile_threads * radix_tile_items;
static_assert(radix_tile_threads == radix_digits, "farpoint: one thread a digit");

struct radix_tile_args {
  std::uint32_t const* keys;
  std::uint32_t const* values;
  std::uint32_t* sorted_keys;
  std::uint32_t* sorted_values;
  std::uint32_t* counts;  ///< `[digits, tiles]`: first how often a digit is in a tile, then in the tiles before it
  std::uint32_t* totals;  ///< `[digits]`
  radix_size size;
  radix_digit digit;
};

/// Words of memory: the counts and the totals.
constexpr std::size_t radix_tile_words(std::size_t size) noexcept {
  return radix_digits * (divide_up(size, std::size_t{radix_tile_size}) + 1);
}

/// Counts the digits of a tile; a block each. A template so that only programs that sort compile it.
template <class Args>
__global__ void __launch_bounds__(radix_tile_threads) radix_count_kernel(Args const args) {
  __shared__ std::uint32_t digits[radix_digits];
  std::uint32_t const size = args.size.get();
  std::uint32_t const tiles = radix_tiles(size, radix_tile_size);
  if (blockIdx.x >= tiles) return;
  digits[threadIdx.x] = 0;
  __syncthreads();
  std::uint32_t const first = blockIdx.x * radix_tile_size;
#pragma unroll
  for (int i = 0; i < radix_tile_items; ++i) {
    std::uint32_t const at = i * radix_tile_threads + threadIdx.x;
    if (at < size - first) atomicAdd(&digits[args.digit(args.keys[first + at])], 1u);
  }
  __syncthreads();
  args.counts[std::size_t{threadIdx.x} * tiles + blockIdx.x] = digits[threadIdx.x];
}

/// Sums the counts of a digit over the tiles before each; a warp each.
template <class Args>
__global__ void __launch_bounds__(radix_tile_threads) radix_scan_kernel(Args const args) {
  constexpr std::uint32_t lanes = cuda_warp::lanes;
  std::uint32_t const digit = (blockIdx.x * radix_tile_threads + threadIdx.x) / lanes;
  auto const lane = static_cast<std::uint32_t>(cuda_warp::lane());
  std::uint32_t const tiles = radix_tiles(args.size.get(), radix_tile_size);
  std::uint32_t* const row = args.counts + std::size_t{digit} * tiles;
  std::uint32_t before = 0;
  for (std::uint32_t first = 0; first < tiles; first += lanes) {
    std::uint32_t const tile = first + lane;
    std::uint32_t const count = tile < tiles ? row[tile] : 0;
    std::uint32_t const sum = cuda_warp::inclusive_sum(count);
    if (tile < tiles) row[tile] = before + sum - count;
    before += cuda_warp::shuffle(sum, lanes - 1);
  }
  if (lane == 0) args.totals[digit] = before;
}

/// Sorts a tile by its digit and puts each key behind those of lower digits and earlier tiles; a block each.
template <class Args>
__global__ void __launch_bounds__(radix_tile_threads) radix_scatter_kernel(Args const args) {
  using rank_type = block_radix_rank<radix_tile_threads>;
  __shared__ typename rank_type::storage rank;
  __shared__ std::uint32_t tile_keys[radix_tile_size];
  __shared__ std::uint32_t tile_values[radix_tile_size];
  __shared__ std::uint32_t digits[radix_digits];
  std::uint32_t const size = args.size.get();
  std::uint32_t const tiles = radix_tiles(size, radix_tile_size);
  if (blockIdx.x >= tiles) return;
  std::uint32_t const first = blockIdx.x * radix_tile_size;
  std::uint32_t const left = size - first;

  std::uint32_t begin = 0;
  typename rank_type::scan_type{rank.scan}.ExclusiveSum(args.totals[threadIdx.x], begin);
  begin += args.counts[std::size_t{threadIdx.x} * tiles + blockIdx.x];
  std::uint32_t keys[radix_tile_items];
  std::uint32_t places[radix_tile_items];
#pragma unroll
  for (int i = 0; i < radix_tile_items; ++i) {
    std::uint32_t const at = rank_type::template place_of<radix_tile_items>(i);
    // Padding has the highest digit and comes last: the sort is stable.
    keys[i] = at < left ? args.keys[first + at] : ~0u;
  }
  auto const mine = rank_type{rank}.rank(keys, places, args.digit, [](std::uint32_t) {});
  // A digit's entry says where its first key goes, less its place in the tile.
  digits[threadIdx.x] = begin - mine.begin;
#pragma unroll
  for (int i = 0; i < radix_tile_items; ++i) {
    std::uint32_t const at = rank_type::template place_of<radix_tile_items>(i);
    tile_keys[places[i]] = keys[i];
    if (at < left) tile_values[places[i]] = args.values[first + at];
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < radix_tile_items; ++i) {
    std::uint32_t const at = i * radix_tile_threads + threadIdx.x;
    if (at >= left) continue;
    std::uint32_t const key = tile_keys[at];
    std::uint32_t const to = digits[args.digit(key)] + at;
    args.sorted_keys[to] = key;
    args.sorted_values[to] = tile_values[at];
  }
}

}  // namespace detail
FARPOINT_END_NAMESPACE

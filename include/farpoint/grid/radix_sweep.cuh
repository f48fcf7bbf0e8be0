/// @file
/// Radix sort with one launch per digit (Adinets and Merrill 2022, "Onesweep: A Faster Least Significant Digit Radix
/// Sort for GPUs").
#pragma once

#include <farpoint/block/dynamic_shared.cuh>
#include <farpoint/block/radix_tile.cuh>
#include <farpoint/core/atomic.hpp>
#include <farpoint/core/math.hpp>

#include <cub/block/block_radix_rank.cuh>
#include <cub/block/block_scan.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Number of keys, known on the host or only in device memory.
struct radix_size {
  std::uint32_t most;
  std::uint32_t const* device_size;  ///< null if the number is `most`

  __device__ std::uint32_t get() const noexcept { return device_size == nullptr ? most : *device_size; }
};

/// Number of tiles that hold `keys` keys. Unlike divide_up() it does not overflow for any number of keys.
FARPOINT_HD constexpr std::uint32_t radix_tiles(std::uint32_t keys, std::uint32_t tile_size) noexcept {
  return keys / tile_size + (keys % tile_size != 0 ? 1 : 0);
}

inline constexpr int radix_max_passes = 32 / radix_bits;

/// Memory of a sort by sweeps, except the sums of its tiles; all zero when it starts.
struct radix_sweep_memory {
  std::uint32_t tickets[radix_max_passes];               ///< number of tiles taken in each pass
  std::uint32_t counted;                                 ///< number of blocks that have counted their keys
  std::uint32_t begins[radix_max_passes][radix_digits];  ///< counts of the digits, then the first position of each
  std::uint32_t carries[2][radix_digits];                ///< next position of each digit after a portion; two buffers

  static constexpr std::size_t words() noexcept { return sizeof(radix_sweep_memory) / sizeof(std::uint32_t); }
};

struct radix_histogram_args {
  std::uint32_t const* keys;
  radix_size size;
  int bits;
  radix_sweep_memory* memory;
  std::uint32_t* sums;            ///< `[tiles, digits]` of the sweeps
  std::uint32_t sweep_tile_size;  ///< number of keys per tile of the sweeps
};

/// Counts the digits of all passes; the last block to finish turns the counts into first positions. Also clears the
/// sums of the actual tiles: a memset before the size is known would clear the sums of the maximum number of tiles.
template <int Items>
__global__ void __launch_bounds__(radix_digits) radix_histogram_kernel(radix_histogram_args const args) {
  using scan_type = CUB_NS_QUALIFIER::BlockScan<std::uint32_t, radix_digits>;
  __shared__ union {
    std::uint32_t counts[radix_max_passes][radix_digits];
    typename scan_type::TempStorage scan;
  } shared;
  __shared__ bool is_last;
  int const passes = radix_passes(args.bits);
#pragma unroll
  for (int pass = 0; pass < radix_max_passes; ++pass) shared.counts[pass][threadIdx.x] = 0;
  __syncthreads();

  std::uint32_t const size = args.size.get();
  std::uint32_t const sums = radix_tiles(size, args.sweep_tile_size) * radix_digits;
  for (std::uint32_t i = blockIdx.x * radix_digits + threadIdx.x; i < sums; i += gridDim.x * radix_digits) {
    args.sums[i] = 0;
  }
  std::uint32_t const low_bits = ~0u >> (32 - args.bits);
  constexpr std::uint32_t tile_size = radix_digits * Items;
  for (std::uint32_t tile = blockIdx.x; tile < radix_tiles(size, tile_size); tile += gridDim.x) {
    std::uint32_t const first = tile * tile_size + threadIdx.x;
    std::uint32_t const left = size - tile * tile_size;
    std::uint32_t keys[Items];
#pragma unroll
    for (int i = 0; i < Items; ++i) {
      keys[i] = i * radix_digits + threadIdx.x < left ? args.keys[first + i * radix_digits] & low_bits : 0;
    }
#pragma unroll
    for (int pass = 0; pass < radix_max_passes; ++pass) {
      if (pass >= passes) break;
#pragma unroll
      for (int i = 0; i < Items; ++i) {
        if (i * radix_digits + threadIdx.x < left) {
          atomicAdd(&shared.counts[pass][keys[i] >> pass * radix_bits & (radix_digits - 1)], 1u);
        }
      }
    }
  }
  __syncthreads();
  for (int pass = 0; pass < passes; ++pass) {
    std::uint32_t const count = shared.counts[pass][threadIdx.x];
    if (count != 0) atomicAdd(&args.memory->begins[pass][threadIdx.x], count);
  }

  // Release by one thread covers the block's additions, which __syncthreads() orders before it; acquire by one thread
  // of the last block covers the additions of all other blocks for the threads behind the next __syncthreads().
  __syncthreads();
  if (threadIdx.x == 0) {
    std::uint32_t before = 0;
    asm volatile("atom.acq_rel.gpu.add.u32 %0, [%1], 1;" : "=r"(before) : "l"(&args.memory->counted) : "memory");
    is_last = before == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last) return;
  for (int pass = 0; pass < passes; ++pass) {
    std::uint32_t* const begins = args.memory->begins[pass];
    std::uint32_t begin = 0;
    scan_type{shared.scan}.ExclusiveSum(atomic_load(&begins[threadIdx.x]), begin);
    begins[threadIdx.x] = begin;
    __syncthreads();
  }
}

/// Arguments of a sweep over the tiles of one portion.
struct radix_sweep_args {
  std::uint32_t const* keys;
  std::uint32_t const* values;
  std::uint32_t* sorted_keys;
  std::uint32_t* sorted_values;
  radix_size size;
  radix_digit digit;
  std::uint32_t* ticket;
  std::uint32_t const* begins;  ///< `[digits]`: position of the portion's first key with each digit
  std::uint32_t* next_begins;   ///< `[digits]`: output for the next portion; null for the last portion
  std::uint32_t* sums;          ///< `[tiles, digits]`
  std::uint32_t first_tile;     ///< first tile of the portion
  std::uint32_t end_tile;
  std::uint32_t pass;
};

/// State of the counts per digit of a tile: none, the tile's own count, or the sum up to its end. Flag and number share
/// one word, so no other memory needs to be ordered with it.
///
/// Every tile ends a pass with its sum. Passes alternate between two flags for it, so a word left by the previous pass
/// counts as having no state: one clear serves the whole sort.
class radix_lookback {
 public:
  __device__ explicit radix_lookback(radix_sweep_args const& args) noexcept
      : sums_{args.sums + std::size_t{args.first_tile} * radix_digits + threadIdx.x},
        has_sum_{args.pass % 2 == 0 ? 2u << 30 : 3u << 30} {}

  /// Publishes the tile's own count of the thread's digit.
  /// @param tile  index within the portion
  __device__ void publish(std::uint32_t tile, std::uint32_t count) const noexcept {
    atomic_store(word_of(tile), (tile == 0 ? has_sum_ : has_count) | count);
  }

  /// Publishes the sum up to the end of the tile.
  /// @return the sum up to its beginning, for which the call waits
  template <int Window>
  __device__ std::uint32_t look_back(std::uint32_t tile, std::uint32_t count) const noexcept {
    if (tile == 0) return 0;
    std::uint32_t const before = sum_before<Window>(tile);
    atomic_store(word_of(tile), has_sum_ | (before + count));
    return before;
  }

 private:
  static constexpr std::uint32_t has_count = 1u << 30;
  static constexpr std::uint32_t flags = 3u << 30;

  __device__ std::uint32_t* word_of(std::uint32_t tile) const noexcept {
    return sums_ + std::size_t{tile} * radix_digits;
  }

  /// Sums the preceding tiles. Ends at the first tile at the latest, which publishes a sum from the start.
  template <int Window>
  __device__ std::uint32_t sum_before(std::uint32_t end) const noexcept {
    std::uint32_t sum = 0;
    while (true) {
      std::uint32_t words[Window];
#pragma unroll
      for (int i = 0; i < Window; ++i) {
        auto const back = static_cast<std::uint32_t>(i) + 1;
        words[i] = back <= end ? atomic_load(word_of(end - back)) : 0;
      }
      std::uint32_t known = 0;
#pragma unroll
      for (int i = 0; i < Window; ++i) {
        std::uint32_t const flag = words[i] & flags;
        if (known != static_cast<std::uint32_t>(i) || (flag != has_count && flag != has_sum_)) continue;
        sum += words[i] & ~flags;
        if (flag == has_sum_) return sum;
        ++known;
      }
      end -= known;
    }
  }

  std::uint32_t* sums_;  ///< sums of the thread's digit, beginning at the first tile of the portion
  std::uint32_t has_sum_;
};

/// Sorts a tile by the digit in shared memory and writes its runs to their positions.
/// @tparam Apart      true to hold keys and values in shared memory at the same time, false to reuse the memory
/// @tparam HasValues  false: `values` may be null; the value of a key is then its index
template <int Threads, int Items, int Window, bool Apart, bool HasValues = true>
class radix_sweep {
  using place_type = radix_tile<Threads>;
  /// Ranking that counts first, so that later tiles get the counts early.
  using rank_type = CUB_NS_QUALIFIER::BlockRadixRankMatchEarlyCounts<Threads, radix_bits, false>;

 public:
  static constexpr std::uint32_t tile_size = Threads * Items;

  struct storage {
    union {
      typename rank_type::TempStorage rank;
      std::uint32_t words[tile_size];  ///< keys, then values unless `Apart`
    };
    std::uint32_t values[Apart ? tile_size : 1];
    std::uint32_t digits[radix_digits];  ///< position of a digit's first key minus its position in the tile
    std::uint32_t tile;
  };

  __device__ radix_sweep(radix_sweep_args const& args, storage& shared) noexcept : args_{args}, shared_{shared} {}

  /// Takes one tile and sorts it. Blocks take tiles when they run, so a running block has taken every tile that this
  /// one waits for.
  __device__ void run() const noexcept {
    if (threadIdx.x == 0) shared_.tile = atomicAdd(args_.ticket, 1u);
    __syncthreads();
    std::uint32_t const tile = shared_.tile;
    std::uint32_t const size = args_.size.get();
    if (tile < radix_tiles(size, tile_size)) sort_tile(tile, size - tile * tile_size);
  }

  /// @param left  number of keys from the first key of the tile on
  __device__ void sort_tile(std::uint32_t tile, std::uint32_t left) const noexcept {
    std::uint32_t const first = tile * tile_size;
    std::uint32_t const of_portion = tile - args_.first_tile;
    radix_lookback const lookback{args_};
    std::uint32_t keys[Items];
    int places[Items];
#pragma unroll
    for (int i = 0; i < Items; ++i) {
      std::uint32_t const at = place_type::template place_of<Items>(i);
      // Padding has the highest digit; the sort is stable, so it comes last. No later tile reads the counts of the last
      // tile.
      keys[i] = at < left ? args_.keys[first + at] : ~0u;
    }
    int first_place[1];
    std::uint32_t count = 0;
    rank_type{shared_.rank}.RankKeys(keys, places, radix_digit_extractor{args_.digit}, first_place,
                                     [&](int const(&counts)[1]) {
                                       if (!place_type::has_digit()) return;
                                       count = static_cast<std::uint32_t>(counts[0]);
                                       lookback.publish(of_portion, count);
                                     });
    std::uint32_t values[Items];
#pragma unroll
    for (int i = 0; i < Items; ++i) {
      std::uint32_t const at = place_type::template place_of<Items>(i);
      bool const is_place = !HasValues && args_.values == nullptr;
      values[i] = is_place ? first + at : at < left ? args_.values[first + at] : 0;
    }
    __syncthreads();
    put(shared_.words, keys, places);
    if (place_type::has_digit()) {
      std::uint32_t begin = args_.begins[threadIdx.x];
      begin += lookback.template look_back<Window>(of_portion, count);
      shared_.digits[threadIdx.x] = begin - static_cast<std::uint32_t>(first_place[0]);
      if (args_.next_begins != nullptr && tile + 1 == args_.end_tile) {
        args_.next_begins[threadIdx.x] = begin + count;
      }
    }
    if constexpr (Apart) put(shared_.values, values, places);
    __syncthreads();
    std::uint32_t to[Items];
    place_type::template for_each_sorted<Items>(left, [&](int i, std::uint32_t at) {
      std::uint32_t const key = shared_.words[at];
      to[i] = shared_.digits[args_.digit(key)] + at;
      args_.sorted_keys[to[i]] = key;
      if constexpr (Apart) args_.sorted_values[to[i]] = shared_.values[at];
    });
    if constexpr (Apart) return;
    __syncthreads();
    put(shared_.words, values, places);
    __syncthreads();
    place_type::template for_each_sorted<Items>(
        left, [&](int i, std::uint32_t at) { args_.sorted_values[to[i]] = shared_.words[at]; });
  }

 private:
  __device__ static void put(std::uint32_t* to, std::uint32_t const (&words)[std::size_t{Items}],
                             int const (&places)[std::size_t{Items}]) noexcept {
#pragma unroll
    for (int i = 0; i < Items; ++i) to[places[i]] = words[i];
  }

  radix_sweep_args const& args_;
  storage& shared_;
};

/// Kernel with dynamic shared memory, since the storage may exceed the limit of static shared memory.
template <int Threads, int Items, int Blocks, int Window, bool Apart>
__global__ void __launch_bounds__(Threads, Blocks) radix_sweep_kernel(radix_sweep_args const args) {
  using sweep = radix_sweep<Threads, Items, Window, Apart>;
  sweep{args, *static_cast<typename sweep::storage*>(dynamic_shared())}.run();
}

}  // namespace detail
FARPOINT_END_NAMESPACE

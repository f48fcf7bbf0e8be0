/// @file
/// Stable radix sort of 32-bit keys with 32-bit values in the caller's memory.
///
/// Own launches: cub::DeviceRadixSort ends with cudaPeekAtLastError(), and so fails for an error that somebody else
/// left pending. cooperative_radix_sort.cuh sorts within a kernel that does more.
#pragma once

#include <farpoint/warp/cuda_warp.cuh>

#include <cuda_runtime.h>
#include <cub/block/block_scan.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

inline constexpr int radix_bits = 8;
inline constexpr int radix_digits = 1 << radix_bits;
inline constexpr int radix_threads = 256;

/// Keys and values before and after a pass, and the counters between.
struct radix_pass {
  std::uint32_t const* keys;
  std::uint32_t const* values;
  std::uint32_t* sorted_keys;
  std::uint32_t* sorted_values;
  std::uint32_t* counts;  ///< `[digits, tiles]`: first how often a digit is in a tile, then in the tiles before it
  std::uint32_t* totals;  ///< `[digits]`
  std::uint32_t size;
  int shift;

  FARPOINT_HD std::uint32_t digit(std::uint32_t key) const noexcept { return key >> shift & (radix_digits - 1); }
};

/// The three steps of a pass, for a block of radix_threads threads. Between one and the next all blocks of the sort
/// have to meet.
/// @tparam Items  keys of a thread
template <int Items>
class radix_steps {
  using scan_type = CUB_NS_QUALIFIER::BlockScan<std::uint32_t, radix_threads>;
  static constexpr int lanes = cuda_warp::lanes;
  static constexpr int warps = radix_threads / lanes;

 public:
  static constexpr std::uint32_t tile_size = radix_threads * Items;
  /// Digits that a block scans at a time.
  static constexpr std::uint32_t digits_at_once = warps;
  static_assert(radix_digits == radix_threads, "farpoint: one thread a digit");

  struct storage {
    union {
      typename scan_type::TempStorage scan;
      std::uint32_t ranks[warps][radix_digits];
    };
    std::uint32_t keys[tile_size];
    std::uint32_t values[tile_size];
    std::uint32_t digits[radix_digits];
  };

  FARPOINT_HD static constexpr std::uint32_t tiles_of(std::uint32_t keys) noexcept {
    return (keys + (tile_size - 1)) / tile_size;
  }

  /// Counts the digits of a tile.
  __device__ static void count(radix_pass const& pass, std::uint32_t tile, storage& shared) noexcept {
    __syncthreads();
    shared.digits[threadIdx.x] = 0;
    __syncthreads();
    std::uint32_t const first = tile * tile_size;
#pragma unroll
    for (int i = 0; i < Items; ++i) {
      std::uint32_t const at = first + i * radix_threads + threadIdx.x;
      if (at < pass.size) atomicAdd(&shared.digits[pass.digit(pass.keys[at])], 1u);
    }
    __syncthreads();
    pass.counts[std::size_t{threadIdx.x} * tiles_of(pass.size) + tile] = shared.digits[threadIdx.x];
  }

  /// Sums the counts of some digits over the tiles before each, a warp for each digit.
  __device__ static void scan(radix_pass const& pass, std::uint32_t first_digit) noexcept {
    std::uint32_t const digit = first_digit + threadIdx.x / lanes;
    auto const lane = static_cast<std::uint32_t>(cuda_warp::lane());
    std::uint32_t const tiles = tiles_of(pass.size);
    std::uint32_t* const row = pass.counts + std::size_t{digit} * tiles;
    std::uint32_t before = 0;
    for (std::uint32_t first = 0; first < tiles; first += lanes) {
      std::uint32_t const tile = first + lane;
      std::uint32_t const count = tile < tiles ? row[tile] : 0;
      std::uint32_t sum = count;
#pragma unroll
      for (int step = 1; step < lanes; step *= 2) {
        std::uint32_t const other = __shfl_up_sync(~0u, sum, step);
        if (lane >= static_cast<std::uint32_t>(step)) sum += other;
      }
      if (tile < tiles) row[tile] = before + sum - count;
      before += __shfl_sync(~0u, sum, lanes - 1);
    }
    if (lane == 0) pass.totals[digit] = before;
  }

  /// Where the keys of each thread's digit begin; once before scatter().
  __device__ static std::uint32_t begin_of_digits(radix_pass const& pass, storage& shared) noexcept {
    std::uint32_t begin = 0;
    __syncthreads();
    scan_type{shared.scan}.ExclusiveSum(pass.totals[threadIdx.x], begin);
    return begin;
  }

  /// Sorts a tile by its digit and puts each key behind those of lower digits and earlier tiles.
  __device__ static void scatter(radix_pass const& pass, std::uint32_t tile, std::uint32_t begin,
                                 storage& shared) noexcept {
    begin += pass.counts[std::size_t{threadIdx.x} * tiles_of(pass.size) + tile];
    std::uint32_t const first = tile * tile_size;
    std::uint32_t const size = pass.size - first < tile_size ? pass.size - first : tile_size;
    // A warp has keys that follow one another, a row of 32 after the other.
    auto const warp = static_cast<int>(threadIdx.x) / lanes;
    std::uint32_t const mine = static_cast<std::uint32_t>(warp * Items * lanes + cuda_warp::lane());
    std::uint32_t keys[Items];
    std::uint32_t ranks[Items];
#pragma unroll
    for (int i = 0; i < Items; ++i) {
      std::uint32_t const at = mine + i * lanes;
      // Padding has the highest digit and comes last: the sort is stable.
      keys[i] = at < size ? pass.keys[first + at] : ~0u;
    }
    rank(pass, keys, ranks, shared.ranks[warp]);
    std::uint32_t const start = start_of_digits(shared);
    __syncthreads();
    // From here on a digit's entry says where its first key of this tile goes, less its place in the tile.
    shared.digits[threadIdx.x] = begin - start;
#pragma unroll
    for (int i = 0; i < Items; ++i) {
      std::uint32_t const to = shared.ranks[warp][pass.digit(keys[i])] + ranks[i];
      std::uint32_t const at = mine + i * lanes;
      shared.keys[to] = keys[i];
      if (at < size) shared.values[to] = pass.values[first + at];
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < Items; ++i) {
      std::uint32_t const at = i * radix_threads + threadIdx.x;
      if (at >= size) continue;
      std::uint32_t const key = shared.keys[at];
      std::uint32_t const to = shared.digits[pass.digit(key)] + at;
      pass.sorted_keys[to] = key;
      pass.sorted_values[to] = shared.values[at];
    }
  }

 private:
  /// Counts each digit in the warp's keys; a key's rank is how many of its digit the warp has before it.
  __device__ static void rank(radix_pass const& pass, std::uint32_t const (&keys)[Items], std::uint32_t (&ranks)[Items],
                              std::uint32_t* counts) noexcept {
    __syncthreads();
    int const lane = cuda_warp::lane();
#pragma unroll
    for (int d = 0; d < radix_digits; d += lanes) counts[d + lane] = 0;
    __syncwarp();
#pragma unroll
    for (int i = 0; i < Items; ++i) {
      std::uint32_t const digit = pass.digit(keys[i]);
      std::uint32_t const same = lanes_with(digit);
      std::uint32_t const before = counts[digit];
      auto const mine = static_cast<std::uint32_t>(__popc(same & ((1u << lane) - 1)));
      ranks[i] = before + mine;
      __syncwarp();
      if (mine == 0) counts[digit] = before + static_cast<std::uint32_t>(__popc(same));
      __syncwarp();
    }
    __syncthreads();
  }
  __device__ static std::uint32_t lanes_with(std::uint32_t digit) noexcept {
    std::uint32_t same = ~0u;
#pragma unroll
    for (int bit = 0; bit < radix_bits; ++bit) {
      bool const is_set = (digit >> bit & 1u) != 0;
      std::uint32_t const set = __ballot_sync(~0u, is_set);
      same &= is_set ? set : ~set;
    }
    return same;
  }

  /// Turns the counts of the warps into places in the tile; returns where the thread's digit starts.
  __device__ static std::uint32_t start_of_digits(storage& shared) noexcept {
    std::uint32_t counts[warps];
    std::uint32_t sum = 0;
#pragma unroll
    for (int warp = 0; warp < warps; ++warp) {
      counts[warp] = shared.ranks[warp][threadIdx.x];
      sum += counts[warp];
    }
    __syncthreads();
    std::uint32_t start = 0;
    scan_type{shared.scan}.ExclusiveSum(sum, start);
    __syncthreads();
    std::uint32_t before = start;
#pragma unroll
    for (int warp = 0; warp < warps; ++warp) {
      shared.ranks[warp][threadIdx.x] = before;
      before += counts[warp];
    }
    return start;
  }
};

/// Keys of a thread, in launches of their own.
inline constexpr int radix_items = 16;
inline constexpr int radix_tile = radix_threads * radix_items;

/// A pass whose number of keys the device may know.
struct radix_launch {
  radix_pass pass;
  std::uint32_t const* device_size;  ///< null: as the pass says

  __device__ radix_pass sized() const noexcept {
    radix_pass now = pass;
    if (device_size != nullptr) now.size = *device_size;
    return now;
  }
};

static __global__ void __launch_bounds__(radix_threads) radix_count_kernel(radix_launch const launch) {
  __shared__ radix_steps<radix_items>::storage shared;
  radix_pass const pass = launch.sized();
  if (blockIdx.x < radix_steps<radix_items>::tiles_of(pass.size)) {
    radix_steps<radix_items>::count(pass, blockIdx.x, shared);
  }
}

static __global__ void __launch_bounds__(radix_threads) radix_scan_kernel(radix_launch const launch) {
  radix_steps<radix_items>::scan(launch.sized(), blockIdx.x * radix_steps<radix_items>::digits_at_once);
}

static __global__ void __launch_bounds__(radix_threads) radix_scatter_kernel(radix_launch const launch) {
  __shared__ radix_steps<radix_items>::storage shared;
  radix_pass const pass = launch.sized();
  if (blockIdx.x >= radix_steps<radix_items>::tiles_of(pass.size)) return;
  std::uint32_t const begin = radix_steps<radix_items>::begin_of_digits(pass, shared);
  radix_steps<radix_items>::scatter(pass, blockIdx.x, begin, shared);
}

/// Memory of a sort beside its keys and values.
inline constexpr std::size_t radix_sort_counters(std::size_t size) noexcept {
  return radix_digits * ((size + radix_tile - 1) / radix_tile + 1);
}

/// Passes that a sort by the low `bits` bits takes: after an odd number the result is in the other buffer.
FARPOINT_HD constexpr int radix_passes(int bits) noexcept {
  return (bits + radix_bits - 1) / radix_bits;
}

/// Enqueues a stable sort by the low `bits` bits, less than 2^32 keys: three launches for every eight bits. `keys[0]`
/// and `values[0]` are the input; the result is in `[radix_passes(bits) % 2]`. Of `size` keys only as many are sorted
/// as the device says, if it says so.
FARPOINT_HIDDEN inline cudaError_t radix_sort(std::uint32_t* const (&keys)[2], std::uint32_t* const (&values)[2],
                                              std::uint32_t* counters, std::uint32_t size, int bits,
                                              cudaStream_t stream,
                                              std::uint32_t const* device_size = nullptr) noexcept {
  if (size == 0) return cudaSuccess;
  for (int i = 0; i < radix_passes(bits); ++i) {
    int const from = i % 2;
    radix_launch launch{{keys[from], values[from], keys[1 - from], values[1 - from], counters + radix_digits, counters,
                         size, i * radix_bits},
                        device_size};
    void* arguments[] = {&launch};
    std::uint32_t const tiles = radix_steps<radix_items>::tiles_of(size);
    struct {
      void const* kernel;
      std::uint32_t blocks;
    } const steps[] = {
        {reinterpret_cast<void const*>(radix_count_kernel), tiles},
        {reinterpret_cast<void const*>(radix_scan_kernel), radix_digits / radix_steps<radix_items>::digits_at_once},
        {reinterpret_cast<void const*>(radix_scatter_kernel), tiles}};
    for (auto const& step : steps) {
      cudaError_t const error =
          cudaLaunchKernel(step.kernel, dim3(step.blocks), dim3(radix_threads), arguments, 0, stream);
      if (error != cudaSuccess) return error;
    }
  }
  return cudaSuccess;
}

}  // namespace detail
FARPOINT_END_NAMESPACE

/// @file
/// Stable radix sort of 32-bit keys with 32-bit values in the caller's memory.
///
/// Own launches around CUB's block-wide sort: cub::DeviceRadixSort ends with cudaPeekAtLastError(), and so fails for an
/// error that somebody else left pending.
#pragma once

#include <farpoint/core/types.hpp>

#include <cuda_runtime.h>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_scan.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

inline constexpr int radix_bits = 8;
inline constexpr int radix_digits = 1 << radix_bits;
inline constexpr int radix_threads = 256;
inline constexpr int radix_items = 16;
inline constexpr int radix_tile = radix_threads * radix_items;

/// Keys and values before and after a pass, and the counters between.
struct radix_pass {
  std::uint32_t const* keys;
  std::uint32_t const* values;
  std::uint32_t* sorted_keys;
  std::uint32_t* sorted_values;
  std::uint32_t* counts;  ///< `[digits, tiles]`: first how often a digit is in a tile, then in the tiles before it
  std::uint32_t* totals;  ///< `[digits]`
  std::uint32_t most;     ///< keys that there can be
  std::uint32_t const* device_size;  ///< how many there are; null: `most`
  int shift;

  FARPOINT_HD static std::uint32_t tiles_of(std::uint32_t keys) noexcept {
    return (keys + (radix_tile - 1)) / radix_tile;
  }
  __device__ std::uint32_t size() const noexcept { return device_size == nullptr ? most : *device_size; }
  FARPOINT_HD std::uint32_t digit(std::uint32_t key) const noexcept { return key >> shift & (radix_digits - 1); }
};

/// Counts the digits of tile blockIdx.x.
static __global__ void __launch_bounds__(radix_threads) radix_count_kernel(radix_pass const pass) {
  __shared__ std::uint32_t count[radix_digits];
  std::uint32_t const size = pass.size();
  if (blockIdx.x >= pass.tiles_of(size)) return;
  count[threadIdx.x] = 0;
  __syncthreads();
  std::uint32_t const first = blockIdx.x * radix_tile;
#pragma unroll
  for (int i = 0; i < radix_items; ++i) {
    std::uint32_t const at = first + i * radix_threads + threadIdx.x;
    if (at < size) atomicAdd(&count[pass.digit(pass.keys[at])], 1u);
  }
  __syncthreads();
  pass.counts[std::size_t{threadIdx.x} * pass.tiles_of(size) + blockIdx.x] = count[threadIdx.x];
}

/// Sums the counts of digit blockIdx.x over the tiles before each.
static __global__ void __launch_bounds__(radix_threads) radix_scan_kernel(radix_pass const pass) {
  using scan_type = CUB_NS_QUALIFIER::BlockScan<std::uint32_t, radix_threads>;
  __shared__ typename scan_type::TempStorage storage;
  std::uint32_t const tiles = pass.tiles_of(pass.size());
  std::uint32_t* const row = pass.counts + std::size_t{blockIdx.x} * tiles;
  std::uint32_t before = 0;
  for (std::uint32_t first = 0; first < tiles; first += radix_threads) {
    std::uint32_t const tile = first + threadIdx.x;
    std::uint32_t value = tile < tiles ? row[tile] : 0;
    std::uint32_t sum = 0;
    scan_type{storage}.ExclusiveSum(value, value, sum);
    if (tile < tiles) row[tile] = before + value;
    before += sum;
    __syncthreads();
  }
  if (threadIdx.x == 0) pass.totals[blockIdx.x] = before;
}

/// Sorts tile blockIdx.x by its digit and puts each key behind those of lower digits and earlier tiles.
static __global__ void __launch_bounds__(radix_threads) radix_scatter_kernel(radix_pass const pass) {
  using sort_type = CUB_NS_QUALIFIER::BlockRadixSort<std::uint32_t, radix_threads, radix_items, std::uint32_t>;
  using scan_type = CUB_NS_QUALIFIER::BlockScan<std::uint32_t, radix_threads>;
  __shared__ union {
    typename sort_type::TempStorage sort;
    typename scan_type::TempStorage scan;
    std::uint32_t keys[radix_tile];
  } storage;
  __shared__ std::uint32_t start[radix_digits];
  static_assert(radix_digits == radix_threads, "farpoint: one thread a digit");
  std::uint32_t const all = pass.size();
  if (blockIdx.x >= pass.tiles_of(all)) return;

  std::uint32_t base = 0;
  scan_type{storage.scan}.ExclusiveSum(pass.totals[threadIdx.x], base);
  base += pass.counts[std::size_t{threadIdx.x} * pass.tiles_of(all) + blockIdx.x];
  __syncthreads();

  std::uint32_t const first = blockIdx.x * radix_tile;
  std::uint32_t const size = all - first < radix_tile ? all - first : radix_tile;
  std::uint32_t keys[radix_items];
  std::uint32_t values[radix_items];
#pragma unroll
  for (int i = 0; i < radix_items; ++i) {
    std::uint32_t const at = threadIdx.x * radix_items + i;
    // Padding has the highest digit and comes last: the sort is stable.
    keys[i] = at < size ? pass.keys[first + at] : ~0u;
    values[i] = at < size ? pass.values[first + at] : 0;
  }
  sort_type{storage.sort}.SortBlockedToStriped(keys, values, pass.shift, pass.shift + radix_bits);
  __syncthreads();

#pragma unroll
  for (int i = 0; i < radix_items; ++i) storage.keys[i * radix_threads + threadIdx.x] = keys[i];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < radix_items; ++i) {
    std::uint32_t const at = i * radix_threads + threadIdx.x;
    std::uint32_t const digit = pass.digit(keys[i]);
    if (at == 0 || pass.digit(storage.keys[at - 1]) != digit) start[digit] = at;
  }
  __syncthreads();
  // From here on a digit's entry says where its first key of this tile goes, less its place in the tile.
  std::uint32_t const offset = base - start[threadIdx.x];
  __syncthreads();
  start[threadIdx.x] = offset;
  __syncthreads();
#pragma unroll
  for (int i = 0; i < radix_items; ++i) {
    std::uint32_t const at = i * radix_threads + threadIdx.x;
    if (at >= size) continue;
    std::uint32_t const to = start[pass.digit(keys[i])] + at;
    pass.sorted_keys[to] = keys[i];
    pass.sorted_values[to] = values[i];
  }
}

/// Memory of a sort beside its keys and values.
inline constexpr std::size_t radix_sort_counters(std::size_t size) noexcept {
  return radix_digits * ((size + radix_tile - 1) / radix_tile + 1);
}

/// Passes that a sort by the low `bits` bits takes: after an odd number the result is in the other buffer.
inline constexpr int radix_passes(int bits) noexcept {
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
    radix_pass pass{keys[from], values[from], keys[1 - from], values[1 - from], counters + radix_digits,
                    counters,   size,         device_size,    i * radix_bits};
    void* arguments[] = {&pass};
    struct {
      void const* kernel;
      std::uint32_t blocks;
    } const steps[] = {{reinterpret_cast<void const*>(radix_count_kernel), pass.tiles_of(size)},
                       {reinterpret_cast<void const*>(radix_scan_kernel), radix_digits},
                       {reinterpret_cast<void const*>(radix_scatter_kernel), pass.tiles_of(size)}};
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

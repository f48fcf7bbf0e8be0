/// @file
/// Stable radix sort of 32-bit keys with 32-bit values, in phases of a running kernel.
#pragma once

#include <farpoint/grid/grid_phases.cuh>
#include <farpoint/grid/radix_sweep.cuh>

FARPOINT_BEGIN_NAMESPACE

/// Number of words of device memory that a phased_radix_sort of `size` keys needs in addition to keys and values.
constexpr index_t phased_radix_sort_workspace_words(index_t size, index_t tile_size) noexcept {
  return radix_digits * (detail::radix_max_passes + detail::divide_up(size, tile_size));
}

/// Sort of keys and values by the blocks of a launch, between other phases: no launch of its own, and no block waits
/// for a block that does not run.
///
/// Sorts as radix_sort() does, with one phase per eight bits, but leaves counting to the phase that produces the keys,
/// which has them in registers. All threads of a block call every function. Up to 2^30 keys. Stable.
///
///     a phase:         clear_counts() by one unit
///     a later phase:   the units produce the keys, count() them and call clear_sums(); add_counts() finishes
///     then:            sort(), called by all blocks
///
/// CUB has no equivalent: the host launches cub::DeviceRadixSort.
/// @tparam Threads  number of threads of a block, 256 or more, in whole warps
/// @tparam Items    number of keys that a thread sorts at a time
/// @tparam Window   number of tiles that a thread looks back at in one step
template <int Threads, int Items, int Window>
class phased_radix_sort {
  using sweep = detail::radix_sweep<Threads, Items, Window, false, false>;
  using tile_type = radix_tile<Threads>;
  static constexpr int max_passes = detail::radix_max_passes;

 public:
  static constexpr std::uint32_t tile_size = Threads * Items;

  struct storage {
    union {
      typename sweep::storage tile;
      std::uint32_t counts[max_passes][radix_digits];
    };
    std::uint32_t begins[max_passes][radix_digits];
  };

  /// @param workspace  `[phased_radix_sort_workspace_words(size, tile_size)]`, need not be initialized
  /// @param shared     shared memory of the block
  __device__ phased_radix_sort(std::uint32_t* workspace, storage& shared) noexcept
      : counts_{workspace}, sums_{workspace + max_passes * radix_digits}, shared_{shared} {}

  /// Clears the counts. Called by one block, in a phase before the keys are counted.
  __device__ void clear_counts() const noexcept {
    for (std::uint32_t i = threadIdx.x; i < max_passes * radix_digits; i += Threads) counts_[i] = 0;
  }
  /// Clears part `unit` of `units` of the tile sums, in a phase before sort().
  __device__ void clear_sums(std::uint32_t size, unsigned unit, unsigned units) const noexcept {
    std::uint32_t const words = detail::radix_tiles(size, tile_size) * radix_digits;
    for (std::uint32_t i = unit * Threads + threadIdx.x; i < words; i += units * Threads) sums_[i] = 0;
  }

  /// Clears the block's own counts before it counts keys in the next phase.
  __device__ void start_counting() const noexcept {
    for (int pass = 0; pass < max_passes; ++pass) {
      if (tile_type::has_digit()) shared_.counts[pass][threadIdx.x] = 0;
    }
    __syncthreads();
  }
  /// Counts a key of a sort by the low `bits` bits. Threads may call it independently.
  __device__ void count(std::uint32_t key, int bits) const noexcept {
#pragma unroll
    for (int pass = 0; pass < max_passes; ++pass) {
      if (pass * radix_bits >= bits) break;
      atomicAdd(&shared_.counts[pass][radix_digit::of_pass(pass, bits)(key)], 1u);
    }
  }
  /// Adds the block's counts since the last call to the counts of all blocks.
  __device__ void add_counts(int bits) const noexcept {
    __syncthreads();
    if (!tile_type::has_digit()) return;
    for (int pass = 0; pass < radix_passes(bits); ++pass) {
      std::uint32_t const count = shared_.counts[pass][threadIdx.x];
      if (count > 0) atomicAdd(&counts_[pass * radix_digits + threadIdx.x], count);
      shared_.counts[pass][threadIdx.x] = 0;
    }
  }

  /// Sorts by the low `bits` bits of keys that have been counted. The result is in `from` if radix_passes(bits) is
  /// even, in `to` if it is odd.
  /// @param phases      phases of the kernel
  /// @param from        `[size]`: input; overwritten. Without `values` the value of a key is its index.
  /// @param to          `[size]`: second buffer; must not overlap `from`
  /// @param size        number of keys
  /// @param bits        number of low bits of a key to sort by
  /// @param has_values  true if `from` has values
  __device__ void sort(grid_phases& phases, radix_words from, radix_words to, std::uint32_t size, int bits,
                       bool has_values) const noexcept {
    begin_digits(bits);
    std::uint32_t const tiles = detail::radix_tiles(size, tile_size);
    for (int pass = 0; pass < radix_passes(bits); ++pass) {
      detail::radix_sweep_args const args{from.keys,
                                          has_values || pass > 0 ? from.values : nullptr,
                                          to.keys,
                                          to.values,
                                          {size, nullptr},
                                          radix_digit::of_pass(pass, bits),
                                          nullptr,
                                          shared_.begins[pass],
                                          nullptr,
                                          sums_,
                                          0,
                                          tiles,
                                          static_cast<std::uint32_t>(pass)};
      phases.run(tiles, [&](unsigned tile) { sweep{args, shared_.tile}.sort_tile(tile, size - tile * tile_size); });
      radix_words const other = from;
      from = to;
      to = other;
    }
  }

 private:
  /// Turns the counts into the first position of each digit; one warp per pass.
  __device__ void begin_digits(int bits) const noexcept {
    constexpr int each = radix_digits / cuda_warp::lanes;
    int const pass = static_cast<int>(threadIdx.x) / cuda_warp::lanes;
    int const first = cuda_warp::lane() * each;
    if (pass < radix_passes(bits)) {
      std::uint32_t begins[each];
      std::uint32_t sum = 0;
#pragma unroll
      for (int i = 0; i < each; ++i) begins[i] = counts_[pass * radix_digits + first + i];
#pragma unroll
      for (int i = 0; i < each; ++i) {
        std::uint32_t const count = begins[i];
        begins[i] = sum;
        sum += count;
      }
      std::uint32_t const before = cuda_warp::exclusive_sum(sum);
#pragma unroll
      for (int i = 0; i < each; ++i) shared_.begins[pass][first + i] = before + begins[i];
    }
    __syncthreads();
  }

  std::uint32_t* counts_;  ///< `[passes, digits]`
  std::uint32_t* sums_;    ///< `[tiles, digits]`
  storage& shared_;
};

FARPOINT_END_NAMESPACE

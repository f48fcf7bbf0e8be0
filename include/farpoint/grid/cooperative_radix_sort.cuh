/// @file
/// Stable radix sort of 32-bit keys with 32-bit values by all blocks of a running kernel.
#pragma once

#include <farpoint/block/block_radix_rank.cuh>
#include <farpoint/core/math.hpp>
#include <farpoint/core/types.hpp>
#include <farpoint/grid/grid_barrier.cuh>

FARPOINT_BEGIN_NAMESPACE

namespace detail {

/// Blocks whose counts are added up.
inline constexpr index_t radix_group = 16;

}  // namespace detail

/// Words of device memory that a cooperative_radix_sort by up to `blocks` blocks needs beside its keys and values.
constexpr index_t cooperative_radix_sort_workspace_words(index_t blocks) noexcept {
  return radix_digits * (blocks + 2 * (blocks / detail::radix_group + 1));
}

/// All blocks of a grid sort keys and values together, in the middle of a cooperative kernel: no launch of its own.
///
/// Every function is called by all threads of all blocks, in step. The blocks are of one dimension and all resident, as
/// grid_barrier demands. Up to 2^32 - 1 keys. Stable.
///
/// Each block has a share of consecutive keys. A pass takes the blocks through two barriers: after the first they know
/// how many keys of each digit the others have, after the second the keys are where they belong. It reads and writes
/// each key and value once, and reads the keys once more where a share is more than one tile. Sums over groups of 16
/// blocks spare a block reading the counts of all.
///
/// CUB has no such sort: cub::DeviceRadixSort is launched by the host.
/// @tparam Threads  of a block, a multiple of 256
/// @tparam Items    keys that a thread sorts at a time; fewer than 65,536 a block
template <int Threads, int Items>
class cooperative_radix_sort {
  using rank_type = block_radix_rank<Threads>;
  using run = typename rank_type::run;
  static constexpr int lanes = cuda_warp::lanes;
  static constexpr std::uint32_t group_size = detail::radix_group;
  static_assert(Threads % radix_digits == 0, "farpoint: the number of threads must be a multiple of 256");

 public:
  static constexpr std::uint32_t tile_size = Threads * Items;

  struct storage {
    typename rank_type::storage rank;
    std::uint32_t words[tile_size];  ///< keys, and then values
    std::uint32_t before[Threads];
    std::uint32_t all[Threads];
    std::uint32_t digits[radix_digits];
  };

  /// The blocks pass a barrier between this and sort().
  /// @param barrier    of all blocks
  /// @param workspace  `[cooperative_radix_sort_workspace_words(num_blocks())]`, in any state
  /// @param shared     shared memory of the block
  __device__ cooperative_radix_sort(grid_barrier& barrier, std::uint32_t* workspace, storage& shared) noexcept
      : barrier_{barrier},
        groups_{detail::divide_up(num_blocks(), group_size)},
        sums_{workspace},
        counts_{workspace + 2 * groups_ * radix_digits},
        shared_{shared} {
    clear_sums();
  }

  /// The part of `size` keys that is this block's: the only keys of the input that it reads in the first pass.
  struct range {
    std::uint32_t begin;
    std::uint32_t end;
  };
  __device__ range share_of(std::uint32_t size) const noexcept {
    std::uint32_t const each = ((size + num_blocks() - 1) / num_blocks() + lanes - 1) / lanes * lanes;
    std::uint64_t const begin = std::uint64_t{block_rank()} * each;
    if (begin >= size) return {size, size};
    return {static_cast<std::uint32_t>(begin), size - begin < each ? size : static_cast<std::uint32_t>(begin) + each};
  }

  /// Sorts by the low `bits` bits, rounded up to whole digits of eight. After an even number of radix_passes(bits) the
  /// result is in `from`, after an odd number in `to`; all blocks see it.
  /// @param from        `[size]`: the input; not kept
  /// @param to          `[size]`, apart from `from`
  /// @param size        keys
  /// @param bits        0 to 32
  /// @param has_values  false: the values are not read, a key's value is its place in the input
  __device__ void sort(radix_words from, radix_words to, std::uint32_t size, int bits, bool has_values) noexcept {
    range const share = share_of(size);
    for (int shift = 0; shift < bits; shift += radix_bits) {
      if (share.end - share.begin <= tile_size) {
        pass_of_tile({from, to, shift, shift > 0 || has_values}, share);
      } else {
        pass_of_tiles({from, to, shift, shift > 0 || has_values}, share);
      }
      barrier_.sync();
      radix_words const other = from;
      from = to;
      to = other;
    }
  }

 private:
  struct pass {
    radix_words from;
    radix_words to;
    int shift;
    bool has_values;

    __device__ std::uint32_t digit(std::uint32_t key) const noexcept { return key >> shift & (radix_digits - 1); }
    __device__ auto digit_of() const noexcept {
      return [this](std::uint32_t key) { return digit(key); };
    }
  };

  /// A thread's part of a tile.
  struct tile {
    std::uint32_t size;  ///< of the whole
    std::uint32_t keys[Items];
    std::uint32_t values[Items];
    std::uint32_t places[Items];  ///< in the tile, when it is sorted
  };

  __device__ std::uint32_t block_rank() const noexcept { return static_cast<std::uint32_t>(barrier_.block_rank()); }
  __device__ std::uint32_t num_blocks() const noexcept { return static_cast<std::uint32_t>(barrier_.num_blocks()); }
  __device__ static bool has_digit() noexcept { return rank_type::has_digit(); }
  __device__ static std::uint32_t place_of(int i) noexcept { return rank_type::template place_of<Items>(i); }

  /// A share that is one tile is sorted in shared memory before the block knows where its keys go.
  __device__ void pass_of_tile(pass const& now, range const& share) noexcept {
    tile own;
    load(now, share, share.begin, own);
    run const mine = sort_tile(now, own);
    publish(mine.count);
    barrier_.sync();
    std::uint32_t to[Items];
    write_keys(now, own.size, begin_of_digit(), mine, to);
    put_values(own);
    write_values(now, own.size, to);
  }

  __device__ void pass_of_tiles(pass const& now, range const& share) noexcept {
    publish(count(now, share));
    barrier_.sync();
    std::uint32_t begin = begin_of_digit();
    tile own;
    load(now, share, share.begin, own);
    for (std::uint32_t first = share.begin; first < share.end; first += tile_size) {
      run const mine = sort_tile(now, own);
      std::uint32_t const size = own.size;
      std::uint32_t to[Items];
      write_keys(now, size, begin, mine, to);
      put_values(own);
      load(now, share, first + tile_size, own);
      write_values(now, size, to);
      begin += mine.count;
    }
  }

  /// How often the thread's digit is in the share.
  __device__ std::uint32_t count(pass const& now, range const& share) noexcept {
    if (has_digit()) shared_.digits[threadIdx.x] = 0;
    __syncthreads();
    for (std::uint32_t first = share.begin + threadIdx.x; first < share.end; first += tile_size) {
      std::uint32_t keys[Items];
#pragma unroll
      for (int i = 0; i < Items; ++i) {
        std::uint32_t const at = first + i * Threads;
        keys[i] = at < share.end ? now.from.keys[at] : 0;
      }
#pragma unroll
      for (int i = 0; i < Items; ++i) {
        if (first + i * Threads < share.end) atomicAdd(&shared_.digits[now.digit(keys[i])], 1u);
      }
    }
    __syncthreads();
    return has_digit() ? shared_.digits[threadIdx.x] : 0;
  }

  /// Tells the other blocks how many keys of the thread's digit this one has.
  __device__ void publish(std::uint32_t count) noexcept {
    std::uint32_t* const sums = sums_ + round_ % 2 * groups_ * radix_digits;
    if (has_digit()) {
      counts_[block_rank() * radix_digits + threadIdx.x] = count;
      if (count > 0) atomicAdd(&sums[block_rank() / group_size * radix_digits + threadIdx.x], count);
    }
    ++round_;
    clear_sums();
  }
  /// Those of the next pass: the blocks have read them, and meet before they add to them.
  __device__ void clear_sums() noexcept {
    if (block_rank() % group_size != 0 || !has_digit()) return;
    sums_[(round_ % 2 * groups_ + block_rank() / group_size) * radix_digits + threadIdx.x] = 0;
  }

  /// Where the first key of the block goes that has the thread's digit.
  __device__ std::uint32_t begin_of_digit() noexcept {
    constexpr std::uint32_t parts = Threads / radix_digits;
    std::uint32_t const digit = threadIdx.x % radix_digits;
    std::uint32_t const part = threadIdx.x / radix_digits;
    std::uint32_t const* const sums = sums_ + (round_ - 1) % 2 * groups_ * radix_digits + digit;
    std::uint32_t const own_group = block_rank() / group_size;
    std::uint32_t before = 0;
    std::uint32_t all = 0;
#pragma unroll 8
    for (std::uint32_t group = part; group < groups_; group += parts) {
      std::uint32_t const sum = sums[group * radix_digits];
      all += sum;
      before += group < own_group ? sum : 0;
    }
#pragma unroll 8
    for (std::uint32_t block = own_group * group_size + part; block < block_rank(); block += parts) {
      before += counts_[block * radix_digits + digit];
    }
    shared_.before[threadIdx.x] = before;
    shared_.all[threadIdx.x] = all;
    __syncthreads();
    if (part == 0) {
#pragma unroll
      for (std::uint32_t other = 1; other < parts; ++other) {
        before += shared_.before[other * radix_digits + digit];
        all += shared_.all[other * radix_digits + digit];
      }
    }
    std::uint32_t begin = 0;
    typename rank_type::scan_type{shared_.rank.scan}.ExclusiveSum(part == 0 ? all : 0, begin);
    return begin + before;
  }

  /// Loads the tile that begins at `first`; none behind the share.
  __device__ static void load(pass const& now, range const& share, std::uint32_t first, tile& to) noexcept {
    std::uint32_t const left = first < share.end ? share.end - first : 0;
    to.size = left < tile_size ? left : tile_size;
#pragma unroll
    for (int i = 0; i < Items; ++i) {
      std::uint32_t const at = place_of(i);
      to.keys[i] = at < to.size ? now.from.keys[first + at] : 0;
      to.values[i] = at < to.size && now.has_values ? now.from.values[first + at] : first + at;
    }
  }

  /// Finds the places of a tile's keys, and puts the keys there in shared memory.
  /// @return the run of the thread's digit
  __device__ run sort_tile(pass const& now, tile& own) noexcept {
    run const of_digit = rank_type{shared_.rank}.rank_first(own.size, own.keys, own.places, now.digit_of());
#pragma unroll
    for (int i = 0; i < Items; ++i) {
      if (place_of(i) < own.size) shared_.words[own.places[i]] = own.keys[i];
    }
    return of_digit;
  }

  /// Writes the keys that are in shared memory, and tells where each goes.
  /// @param begin  where the first key of the thread's digit goes
  __device__ void write_keys(pass const& now, std::uint32_t size, std::uint32_t begin, run const& of_digit,
                             std::uint32_t (&to)[Items]) noexcept {
    // A digit's entry says where its first key goes, less its place in the tile.
    if (has_digit()) shared_.digits[threadIdx.x] = begin - of_digit.begin;
    __syncthreads();
    rank_type::template for_each_sorted<Items>(size, [&](int i, std::uint32_t at) {
      std::uint32_t const key = shared_.words[at];
      to[i] = shared_.digits[now.digit(key)] + at;
      now.to.keys[to[i]] = key;
    });
  }
  __device__ void put_values(tile const& own) noexcept {
    __syncthreads();
#pragma unroll
    for (int i = 0; i < Items; ++i) {
      if (place_of(i) < own.size) shared_.words[own.places[i]] = own.values[i];
    }
  }
  __device__ void write_values(pass const& now, std::uint32_t size, std::uint32_t const (&to)[Items]) noexcept {
    __syncthreads();
    rank_type::template for_each_sorted<Items>(
        size, [&](int i, std::uint32_t at) { now.to.values[to[i]] = shared_.words[at]; });
  }

  grid_barrier& barrier_;
  std::uint32_t groups_;
  std::uint32_t* sums_;    ///< `[2, groups, digits]`
  std::uint32_t* counts_;  ///< `[blocks, digits]`
  storage& shared_;
  unsigned round_ = 0;
};

FARPOINT_END_NAMESPACE

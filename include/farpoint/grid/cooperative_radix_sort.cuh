/// @file
/// Stable radix sort of 32-bit keys with 32-bit values by all blocks of a kernel.
#pragma once

#include <farpoint/grid/grid_barrier.cuh>
#include <farpoint/grid/radix_sort.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Keys and their values.
struct radix_words {
  std::uint32_t* keys;
  std::uint32_t* values;
};

/// Blocks whose counts are added up.
inline constexpr index_t radix_group = 16;

/// Words of memory for a cooperative_radix_sort of up to `blocks` blocks.
constexpr index_t radix_counters(index_t blocks) noexcept {
  return radix_digits * (blocks + 2 * (blocks / radix_group + 1));
}

/// The blocks of a grid sort together; every function is called by all threads of all of them, in step.
///
/// Each block has its share of the keys, which follow one another. A pass has two meetings of the blocks: after the
/// first they know how many keys of each digit the others have, after the second the keys are where they belong. Sums
/// over groups of blocks spare them reading the counts of all.
/// @tparam Items  keys that a thread sorts at a time
template <int Threads, int Items>
class cooperative_radix_sort {
  using scan_type = CUB_NS_QUALIFIER::BlockScan<std::uint32_t, Threads, CUB_NS_QUALIFIER::BLOCK_SCAN_WARP_SCANS>;
  static constexpr int lanes = cuda_warp::lanes;
  static constexpr int warps = Threads / lanes;
  static constexpr std::uint32_t group_size = radix_group;
  static_assert(Threads % radix_digits == 0, "farpoint: a thread, or some, for each digit");

 public:
  static constexpr std::uint32_t tile_size = Threads * Items;

  struct storage {
    typename scan_type::TempStorage scan;
    std::uint16_t ranks[warps][radix_digits];
    std::uint32_t words[tile_size];  ///< keys, and then values
    std::uint32_t before[Threads];
    std::uint32_t all[Threads];
    std::uint32_t digits[radix_digits];
  };
  static_assert(tile_size < 1u << 16, "farpoint: ranks are 16-bit numbers");

  /// @param counters  the blocks have to meet once between this and sort()
  __device__ cooperative_radix_sort(grid_barrier& barrier, std::uint32_t* counters, storage& shared) noexcept
      : barrier_{barrier},
        groups_{(size() + group_size - 1) / group_size},
        sums_{counters},
        counts_{counters + 2 * groups_ * radix_digits},
        shared_{shared} {
    clear_sums();
  }

  /// Part of `size` keys that is this block's.
  struct range {
    std::uint32_t begin;
    std::uint32_t end;
  };
  __device__ range share_of(std::uint32_t size) const noexcept {
    std::uint32_t const each = ((size + this->size() - 1) / this->size() + lanes - 1) / lanes * lanes;
    std::uint64_t const begin = std::uint64_t{rank()} * each;
    if (begin >= size) return {size, size};
    return {static_cast<std::uint32_t>(begin), size - begin < each ? size : static_cast<std::uint32_t>(begin) + each};
  }

  /// Sorts by the low `bits` bits; the result is in `from` after an even number of passes.
  /// @param has_values  false: at first a key's value is its place
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
  };

  /// A thread's part of a tile.
  struct tile {
    std::uint32_t size;  ///< of the whole
    std::uint32_t keys[Items];
    std::uint32_t values[Items];
    std::uint32_t places[Items];  ///< in the tile, when it is sorted
  };

  /// Of a digit, in a tile.
  struct run {
    std::uint32_t begin;
    std::uint32_t count;
  };

  __device__ std::uint32_t rank() const noexcept { return static_cast<std::uint32_t>(barrier_.block_rank()); }
  __device__ std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(barrier_.num_blocks()); }
  /// Threads have a digit, the first of them; the others have none, or help with it.
  __device__ static bool has_digit() noexcept { return Threads == radix_digits || threadIdx.x < radix_digits; }

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
      counts_[rank() * radix_digits + threadIdx.x] = count;
      if (count > 0) atomicAdd(&sums[rank() / group_size * radix_digits + threadIdx.x], count);
    }
    ++round_;
    clear_sums();
  }
  /// Those of the next pass: the blocks have read them, and meet before they add to them.
  __device__ void clear_sums() noexcept {
    if (rank() % group_size != 0 || !has_digit()) return;
    sums_[(round_ % 2 * groups_ + rank() / group_size) * radix_digits + threadIdx.x] = 0;
  }

  /// Where the first key of the block goes that has the thread's digit.
  __device__ std::uint32_t begin_of_digit() noexcept {
    constexpr std::uint32_t parts = Threads / radix_digits;
    std::uint32_t const digit = threadIdx.x % radix_digits;
    std::uint32_t const part = threadIdx.x / radix_digits;
    std::uint32_t const* const sums = sums_ + (round_ - 1) % 2 * groups_ * radix_digits + digit;
    std::uint32_t const own_group = rank() / group_size;
    std::uint32_t before = 0;
    std::uint32_t all = 0;
#pragma unroll 8
    for (std::uint32_t group = part; group < groups_; group += parts) {
      std::uint32_t const sum = sums[group * radix_digits];
      all += sum;
      before += group < own_group ? sum : 0;
    }
#pragma unroll 8
    for (std::uint32_t block = own_group * group_size + part; block < rank(); block += parts) {
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
    scan_type{shared_.scan}.ExclusiveSum(part == 0 ? all : 0, begin);
    return begin + before;
  }

  /// Where a thread's keys are in a tile: a warp has keys that follow one another, a row of 32 after the other.
  __device__ static std::uint32_t place_of(int i) noexcept {
    std::uint32_t const warp = threadIdx.x / lanes;
    return (warp * Items + static_cast<std::uint32_t>(i)) * lanes + threadIdx.x % lanes;
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
#pragma unroll
    for (int i = 0; i < Items; ++i) own.places[i] = lanes_with(now.digit(own.keys[i]), place_of(i) < own.size);
    std::uint16_t* const counts = shared_.ranks[threadIdx.x / lanes];
#pragma unroll
    for (int d = 0; d < radix_digits; d += lanes) counts[d + cuda_warp::lane()] = 0;
    __syncwarp();
#pragma unroll
    for (int i = 0; i < Items; ++i) own.places[i] = rank_of(now.digit(own.keys[i]), own.places[i], counts);
    run const of_digit = find_places();
    __syncthreads();
#pragma unroll
    for (int i = 0; i < Items; ++i) {
      own.places[i] += counts[now.digit(own.keys[i])];
      if (place_of(i) < own.size) shared_.words[own.places[i]] = own.keys[i];
    }
    return of_digit;
  }

  __device__ static std::uint32_t lanes_with(std::uint32_t digit, bool exists) noexcept {
    std::uint32_t same = __ballot_sync(~0u, exists);
#pragma unroll
    for (int bit = 0; bit < radix_bits; ++bit) {
      bool const is_set = (digit >> bit & 1u) != 0;
      std::uint32_t const set = __ballot_sync(~0u, is_set);
      same &= is_set ? set : ~set;
    }
    return same;
  }

  /// How many keys of this digit the warp has before; counts those of the lanes in `same`.
  __device__ static std::uint32_t rank_of(std::uint32_t digit, std::uint32_t same, std::uint16_t* counts) noexcept {
    std::uint32_t const before = counts[digit];
    std::uint32_t const lower = same & ((1u << cuda_warp::lane()) - 1);
    __syncwarp();
    if (lower == 0 && (same >> cuda_warp::lane() & 1u) != 0) {
      counts[digit] = static_cast<std::uint16_t>(before + static_cast<std::uint32_t>(__popc(same)));
    }
    __syncwarp();
    return before + static_cast<std::uint32_t>(__popc(lower));
  }

  /// Turns the counts of the warps into places in the tile.
  __device__ run find_places() noexcept {
    __syncthreads();
    std::uint32_t counts[warps];
    std::uint32_t sum = 0;
    if (has_digit()) {
#pragma unroll
      for (int warp = 0; warp < warps; ++warp) {
        counts[warp] = shared_.ranks[warp][threadIdx.x];
        sum += counts[warp];
      }
    }
    std::uint32_t begin = 0;
    scan_type{shared_.scan}.ExclusiveSum(sum, begin);
    if (has_digit()) {
      std::uint32_t place = begin;
#pragma unroll
      for (int warp = 0; warp < warps; ++warp) {
        shared_.ranks[warp][threadIdx.x] = static_cast<std::uint16_t>(place);
        place += counts[warp];
      }
    }
    return {begin, sum};
  }

  /// Writes the keys that are in shared memory, and tells where each goes.
  /// @param begin  where the first key of the thread's digit goes
  __device__ void write_keys(pass const& now, std::uint32_t size, std::uint32_t begin, run const& of_digit,
                             std::uint32_t (&to)[Items]) noexcept {
    // A digit's entry says where its first key goes, less its place in the tile.
    if (has_digit()) shared_.digits[threadIdx.x] = begin - of_digit.begin;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < Items; ++i) {
      std::uint32_t const at = i * Threads + threadIdx.x;
      if (at >= size) continue;
      std::uint32_t const key = shared_.words[at];
      to[i] = shared_.digits[now.digit(key)] + at;
      now.to.keys[to[i]] = key;
    }
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
#pragma unroll
    for (int i = 0; i < Items; ++i) {
      std::uint32_t const at = i * Threads + threadIdx.x;
      if (at < size) now.to.values[to[i]] = shared_.words[at];
    }
  }

  grid_barrier& barrier_;
  std::uint32_t groups_;
  std::uint32_t* sums_;    ///< `[2, groups, digits]`
  std::uint32_t* counts_;  ///< `[blocks, digits]`
  storage& shared_;
  unsigned round_ = 0;
};

}  // namespace detail
FARPOINT_END_NAMESPACE

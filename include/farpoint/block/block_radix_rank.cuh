/// @file
/// Stable ranking of a block's keys by one digit: the step that all radix sorts share.
#pragma once

#include <farpoint/core/math.hpp>
#include <farpoint/warp/cuda_warp.cuh>

#include <cub/block/block_scan.cuh>

FARPOINT_BEGIN_NAMESPACE

inline constexpr int radix_bits = 8;
inline constexpr int radix_digits = 1 << radix_bits;

/// Passes of a sort by the low `bits` bits, one for each digit.
FARPOINT_HD constexpr int radix_passes(int bits) noexcept {
  return detail::divide_up(bits, radix_bits);
}

/// Keys and their values, in device memory.
struct radix_words {
  std::uint32_t* keys;
  std::uint32_t* values;
};

/// One digit of a key, up to radix_bits wide.
struct radix_digit {
  int shift;
  std::uint32_t mask;

  /// The digit that pass `pass` of a sort by the low `bits` bits goes by; the last may be narrower.
  FARPOINT_HD static constexpr radix_digit of_pass(int pass, int bits) noexcept {
    int const shift = pass * radix_bits;
    int const width = bits - shift < radix_bits ? bits - shift : radix_bits;
    return {shift, (1u << width) - 1};
  }
  FARPOINT_HD constexpr std::uint32_t operator()(std::uint32_t key) const noexcept { return key >> shift & mask; }
};

namespace detail {

/// A digit as CUB's rankings ask for it.
struct radix_digit_extractor {
  radix_digit digit;

  __device__ std::uint32_t Digit(std::uint32_t key) const noexcept { return digit(key); }
};

}  // namespace detail

/// Finds where each key of a tile stands once the tile is sorted by a digit. Equal digits keep their order.
///
/// The tile is warp-striped: see place_of(). All threads of a one-dimensional block call every function together. The
/// block synchronises before it calls rank() again, or uses the storage for something else.
///
/// A warp finds the lanes that share a digit by eight ballots, so its cost does not depend on how the digits are
/// spread. cub::BlockRadixRankMatch works in the same way and is faster, but only ranks full tiles.
/// @tparam Threads  256 or more, in whole warps
template <int Threads>
class block_radix_rank {
 public:
  using scan_type = CUB_NS_QUALIFIER::BlockScan<std::uint32_t, Threads, CUB_NS_QUALIFIER::BLOCK_SCAN_WARP_SCANS>;
  static constexpr int lanes = cuda_warp::lanes;
  static constexpr int warps = Threads / lanes;
  static_assert(Threads % lanes == 0 && Threads >= radix_digits,
                "farpoint: block_radix_rank needs 256 threads or more, in whole warps");

  struct storage {
    typename scan_type::TempStorage scan;
    std::uint16_t counts[warps][radix_digits];
  };

  /// The keys of one digit in the sorted tile.
  struct run {
    std::uint32_t begin;
    std::uint32_t count;
  };

  __device__ explicit block_radix_rank(storage& shared) noexcept : shared_{shared} {}

  /// True for the threads that have a digit: their own number.
  __device__ static bool has_digit() noexcept { return Threads == radix_digits || threadIdx.x < radix_digits; }

  /// Place in the tile of the calling thread's i-th key: a warp has keys that follow one another, a row of 32 after
  /// the other.
  template <int Items>
  __device__ static std::uint32_t place_of(int i) noexcept {
    std::uint32_t const warp = threadIdx.x / lanes;
    return (warp * Items + static_cast<std::uint32_t>(i)) * lanes + threadIdx.x % lanes;
  }

  /// `put(i, at)` with each place `at` of the first `size` of a sorted tile, which the block's threads take in turn, so
  /// that what lies side by side is written together. i: how many the calling thread had before.
  template <int Items, class Put>
  __device__ static void for_each_sorted(std::uint32_t size, Put const& put) noexcept {
#pragma unroll
    for (int i = 0; i < Items; ++i) {
      std::uint32_t const at = i * Threads + threadIdx.x;
      if (at < size) put(i, at);
    }
  }

  /// Ranks a full tile.
  /// @param keys      the thread's keys, see place_of()
  /// @param ranks     set to the places of the keys in the sorted tile
  /// @param digit_of  `digit_of(key)`: the digit to rank by
  /// @param counted   called with the count of the thread's digit as soon as it is known, by threads that have one
  /// @return the run of the thread's digit
  template <int Items, class DigitOf, class Counted>
  __device__ run rank(std::uint32_t const (&keys)[Items], std::uint32_t (&ranks)[Items], DigitOf const& digit_of,
                      Counted const& counted) const noexcept {
    static_assert(Threads * Items < 1 << 16, "farpoint: a tile must have fewer than 65,536 keys");
#pragma unroll
    for (int i = 0; i < Items; ++i) ranks[i] = lanes_with(digit_of(keys[i]));
    return rank_matched<true>(keys, ranks, digit_of, counted);
  }

  /// Ranks the first `size` places of a tile; the other keys count for nothing, and their ranks mean nothing.
  template <int Items, class DigitOf>
  __device__ run rank_first(std::uint32_t size, std::uint32_t const (&keys)[Items], std::uint32_t (&ranks)[Items],
                            DigitOf const& digit_of) const noexcept {
    static_assert(Threads * Items < 1 << 16, "farpoint: a tile must have fewer than 65,536 keys");
#pragma unroll
    for (int i = 0; i < Items; ++i) {
      ranks[i] = lanes_with(digit_of(keys[i])) & cuda_warp::ballot(place_of<Items>(i) < size);
    }
    return rank_matched<false>(keys, ranks, digit_of, [](std::uint32_t) {});
  }

 private:
  /// Lanes whose digit is the calling lane's.
  __device__ static std::uint32_t lanes_with(std::uint32_t digit) noexcept {
    std::uint32_t same = ~0u;
#pragma unroll
    for (int bit = 0; bit < radix_bits; ++bit) {
      bool const is_set = (digit >> bit & 1u) != 0;
      std::uint32_t const set = cuda_warp::ballot(is_set);
      same &= is_set ? set : ~set;
    }
    return same;
  }

  /// @param ranks  lanes with the same digit before, ranks after
  template <bool All, int Items, class DigitOf, class Counted>
  __device__ run rank_matched(std::uint32_t const (&keys)[Items], std::uint32_t (&ranks)[Items],
                              DigitOf const& digit_of, Counted const& counted) const noexcept {
    std::uint16_t* const counts = shared_.counts[threadIdx.x / lanes];
#pragma unroll
    for (int d = 0; d < radix_digits; d += lanes) counts[d + cuda_warp::lane()] = 0;
    cuda_warp::sync();
#pragma unroll
    for (int i = 0; i < Items; ++i) ranks[i] = count_lanes<All>(digit_of(keys[i]), ranks[i], counts);
    run const of_digit = begin_runs(counted);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < Items; ++i) ranks[i] += counts[digit_of(keys[i])];
    return of_digit;
  }

  /// How many keys of this digit the warp has before; counts those of the lanes in `same`.
  template <bool All>
  __device__ static std::uint32_t count_lanes(std::uint32_t digit, std::uint32_t same, std::uint16_t* counts) noexcept {
    std::uint32_t const before = counts[digit];
    std::uint32_t const lower = same & ((1u << cuda_warp::lane()) - 1);
    cuda_warp::sync();
    if (lower == 0 && (All || (same >> cuda_warp::lane() & 1u) != 0)) {
      counts[digit] = static_cast<std::uint16_t>(before + static_cast<std::uint32_t>(__popc(same)));
    }
    cuda_warp::sync();
    return before + static_cast<std::uint32_t>(__popc(lower));
  }

  /// Turns the counts of the warps into places in the tile.
  template <class Counted>
  __device__ run begin_runs(Counted const& counted) const noexcept {
    // More would take too many registers: they are read again.
    constexpr bool keeps_counts = warps <= 16;
    __syncthreads();
    std::uint32_t counts[warps];
    std::uint32_t sum = 0;
    if (has_digit()) {
#pragma unroll
      for (int warp = 0; warp < warps; ++warp) {
        counts[warp] = shared_.counts[warp][threadIdx.x];
        sum += counts[warp];
      }
      counted(sum);
    }
    std::uint32_t begin = 0;
    scan_type{shared_.scan}.ExclusiveSum(sum, begin);
    if (has_digit()) {
      std::uint32_t place = begin;
#pragma unroll
      for (int warp = 0; warp < warps; ++warp) {
        std::uint32_t const count = keeps_counts ? counts[warp] : shared_.counts[warp][threadIdx.x];
        shared_.counts[warp][threadIdx.x] = static_cast<std::uint16_t>(place);
        place += count;
      }
    }
    return {begin, sum};
  }

  storage& shared_;
};

FARPOINT_END_NAMESPACE

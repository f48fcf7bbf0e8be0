/// @file
/// Digits of keys and the tile of keys that a block sorts by one digit, shared by all radix sorts.
#pragma once

#include <farpoint/core/math.hpp>
#include <farpoint/warp/cuda_warp.cuh>

FARPOINT_BEGIN_NAMESPACE

inline constexpr int radix_bits = 8;
inline constexpr int radix_digits = 1 << radix_bits;

/// Number of passes of a sort by the low `bits` bits, one per digit.
FARPOINT_HD constexpr int radix_passes(int bits) noexcept {
  return detail::divide_up(bits, radix_bits);
}

/// Keys and their values, device memory.
struct radix_words {
  std::uint32_t* keys;
  std::uint32_t* values;
};

/// One digit of a key, at most radix_bits wide.
struct radix_digit {
  int shift;
  std::uint32_t mask;

  /// Digit of pass `pass` in a sort by the low `bits` bits. The last digit may be narrower than radix_bits.
  FARPOINT_HD static constexpr radix_digit of_pass(int pass, int bits) noexcept {
    int const shift = pass * radix_bits;
    int const width = bits - shift < radix_bits ? bits - shift : radix_bits;
    return {shift, (1u << width) - 1};
  }
  FARPOINT_HD constexpr std::uint32_t operator()(std::uint32_t key) const noexcept { return key >> shift & mask; }
};

namespace detail {

/// Digit in the interface that CUB's ranking classes expect.
struct radix_digit_extractor {
  radix_digit digit;

  __device__ std::uint32_t Digit(std::uint32_t key) const noexcept { return digit(key); }
};

}  // namespace detail

/// Layout of the tile of keys that a one-dimensional block sorts by one digit. The tile is warp-striped: see
/// place_of().
/// @tparam Threads  number of threads, 256 or more, in whole warps
template <int Threads>
class radix_tile {
 public:
  static constexpr int lanes = cuda_warp::lanes;
  static_assert(Threads % lanes == 0 && Threads >= radix_digits,
                "farpoint: radix_tile needs 256 threads or more, in whole warps");

  /// True for the threads that own a digit, namely the digit equal to their thread index.
  __device__ static bool has_digit() noexcept { return Threads == radix_digits || threadIdx.x < radix_digits; }

  /// Position in the tile of the calling thread's i-th key. A warp holds consecutive keys, in rows of 32.
  template <int Items>
  __device__ static std::uint32_t place_of(int i) noexcept {
    std::uint32_t const warp = threadIdx.x / lanes;
    return (warp * Items + static_cast<std::uint32_t>(i)) * lanes + threadIdx.x % lanes;
  }

  /// Calls put(i, at) for each position `at` of the first `size` keys of a sorted tile. Neighboring threads get
  /// neighboring positions, so that their writes coalesce; `i` is the number of the thread's earlier calls.
  template <int Items, class Put>
  __device__ static void for_each_sorted(std::uint32_t size, Put const& put) noexcept {
#pragma unroll
    for (int i = 0; i < Items; ++i) {
      std::uint32_t const at = i * Threads + threadIdx.x;
      if (at < size) put(i, at);
    }
  }
};

FARPOINT_END_NAMESPACE

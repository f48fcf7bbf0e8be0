/// @file
/// Sorting networks for the few keys of one thread: no branches and no run-time indices, so that on a device the keys
/// stay in registers. Host and device.
#pragma once

#include <farpoint/core/bits.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Puts two keys in ascending order: the comparator of the networks. A key type may bring its own, found by its
/// namespace.
template <class Key>
FARPOINT_HD FARPOINT_ALWAYS_INLINE void sort_pair(Key& a, Key& b) noexcept {
  bool const exchange = b < a;
  Key const lower = exchange ? b : a;
  b = exchange ? a : b;
  a = lower;
}

/// Sorts `Size` keys of the calling thread, ascending by operator<; not stable. `Size` is a power of two. Cost:
/// O(Size log^2 Size) comparisons, 5 for four, 19 for eight, 63 for sixteen; cub::StableOddEvenSort makes
/// Size (Size - 1) / 2.
///
/// Source: K. E. Batcher, "Sorting networks and their applications", AFIPS 1968 (odd-even merge sort).
template <std::size_t Size, class Key>
FARPOINT_HD FARPOINT_ALWAYS_INLINE void network_sort(Key (&at)[Size]) noexcept {
  static_assert(detail::is_power_of_two(Size), "farpoint: a sorting network takes a power of two of keys");
  constexpr int size = static_cast<int>(Size);
  FARPOINT_UNROLL
  for (int run = 1; run < size; run *= 2) {
    FARPOINT_UNROLL
    for (int step = run; step > 0; step /= 2) {
      FARPOINT_UNROLL
      for (int i = 0; i < size; ++i) {
        // Pairs of one merge: those behind the first `step % run`, in every other group of `step`, in one run of two.
        int const from = i - step % run;
        bool const is_first = from >= 0 && from / step % 2 == 0 && i + step < size;
        if (is_first && i / (2 * run) == (i + step) / (2 * run)) sort_pair(at[i], at[i + step]);
      }
    }
  }
}

/// Sorts a bitonic sequence of the calling thread: keys that first ascend and then descend, or the other way round, or
/// a rotation of such. Ascending by operator<. `Size` is a power of two. Cost: Size / 2 * log2(Size) comparisons.
template <std::size_t Size, class Key>
FARPOINT_HD FARPOINT_ALWAYS_INLINE void bitonic_merge(Key (&at)[Size]) noexcept {
  static_assert(detail::is_power_of_two(Size), "farpoint: a sorting network takes a power of two of keys");
  constexpr int size = static_cast<int>(Size);
  FARPOINT_UNROLL
  for (int step = size / 2; step > 0; step /= 2) {
    FARPOINT_UNROLL
    for (int i = 0; i < size; ++i) {
      // The second half of the condition follows from the first, which g++ does not see, and warns.
      if (i / step % 2 == 0 && i + step < size) sort_pair(at[i], at[i + step]);
    }
  }
}

FARPOINT_END_NAMESPACE

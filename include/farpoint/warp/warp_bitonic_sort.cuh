/// @file
/// Bitonic sorts by one warp: keys in shared memory, or a key and a value in the registers of each lane.
///
/// Source: K. E. Batcher, "Sorting networks and their applications", AFIPS 1968. A lane's own registers are sorted by
/// network_sort() (warp/sorting_network.hpp). Rows of 32 keys and more are sorted faster by warp_merge_sort, which
/// takes longer to compile and more registers.
#pragma once

#include <farpoint/warp/bitonic_sort.hpp>
#include <farpoint/warp/cuda_warp.cuh>

FARPOINT_BEGIN_NAMESPACE

/// Sorts keys in shared memory, ascending by operator<. All lanes of a warp call it, with the same arguments.
///
/// Not stable. Equal keys are fine; keys that operator< cannot compare (NaN) may leave all keys in any order. Cost:
/// size / 64 * log2(size) * (log2(size) + 1) / 2 comparisons a lane and a warp barrier after each step; no further
/// memory.
/// @param keys  `[size]`, visible to all lanes; sorted on return, for all lanes to see
/// @param size  a power of two, or 0
template <class Key>
__device__ void warp_bitonic_sort(Key* keys, int size) noexcept {
  detail::bitonic_sort<cuda_warp>(keys, size);
}

/// Sorts one key of each lane, ascending by lane, and moves a value along with each. All lanes of a warp call it.
///
/// Not stable: of equal keys either value may come first. Cost: 15 exchanges by shuffles, no shared memory.
/// @tparam Key    with operator< and operator!=
/// @tparam Value  trivially copyable
template <class Key, class Value>
__device__ void warp_bitonic_sort(Key& key, Value& value) noexcept {
  int const lane = cuda_warp::lane();
#pragma unroll
  for (int run = 2; run <= cuda_warp::lanes; run *= 2) {
#pragma unroll
    for (int step = run / 2; step > 0; step /= 2) {
      Key const other_key = cuda_warp::shuffle_xor(key, step);
      Value const other_value = cuda_warp::shuffle_xor(value, step);
      // Ascending in every other run; there the lower lane of a pair keeps the lower key.
      bool const keeps_lower = ((lane & step) == 0) == ((lane & run) == 0);
      if (keeps_lower == (other_key < key) && other_key != key) {
        key = other_key;
        value = other_value;
      }
    }
  }
}

FARPOINT_END_NAMESPACE

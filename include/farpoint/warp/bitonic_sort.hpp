/// @file
/// Bitonic sort of keys in the shared memory of a warp. See warp_bitonic_sort.cuh.
#pragma once

#include <farpoint/core/config.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Implements warp_bitonic_sort().
/// @tparam Warp  cuda_warp, or on a CPU a test's warp of fibers
template <class Warp, class Key>
FARPOINT_DEVICE void bitonic_sort(Key* keys, int size) noexcept {
  for (int run = 2; run <= size; run *= 2) {
    for (int step = run / 2; step > 0; step /= 2) {
      for (int i = Warp::lane(); i < size / 2; i += Warp::lanes) {
        int const low = 2 * i - (i & (step - 1));
        Key const a = keys[low];
        Key const b = keys[low + step];
        bool const ascends = (low & run) == 0;
        if ((b < a) != ascends) continue;
        keys[low] = b;
        keys[low + step] = a;
      }
      Warp::sync();
    }
  }
}

}  // namespace detail
FARPOINT_END_NAMESPACE

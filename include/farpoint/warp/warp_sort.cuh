/// @file
/// Sorts some keys in shared memory.
#pragma once

#include <farpoint/warp/cuda_warp.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Ascending, by a bitonic network (Batcher 1968). All lanes of a warp call it, with the same arguments.
/// @param keys  `[size]`, shared memory of the warp, visible to all of its lanes; sorted on return for all of them
/// @param size  a power of two
template <class Key>
__device__ void warp_sort(Key* keys, int size) noexcept {
  for (int run = 2; run <= size; run *= 2) {
    for (int step = run / 2; step > 0; step /= 2) {
      for (int i = cuda_warp::lane(); i < size / 2; i += cuda_warp::lanes) {
        int const low = 2 * i - (i & (step - 1));
        Key const a = keys[low];
        Key const b = keys[low + step];
        bool const ascends = (low & run) == 0;
        if ((b < a) != ascends) continue;
        keys[low] = b;
        keys[low + step] = a;
      }
      cuda_warp::sync();
    }
  }
}

}  // namespace detail
FARPOINT_END_NAMESPACE

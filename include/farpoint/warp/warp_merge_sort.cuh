/// @file
/// Merge sort of keys in shared memory by one warp.
#pragma once

#include <farpoint/core/bits.hpp>
#include <farpoint/warp/cuda_warp.cuh>
#include <farpoint/warp/warp_bitonic_sort.cuh>

#include <cub/warp/warp_merge_sort.cuh>

FARPOINT_BEGIN_NAMESPACE

/// Sorts up to `Capacity` keys in shared memory, ascending by operator<: cub::WarpMergeSort for sizes that are known
/// only at run time, with the contract of warp_bitonic_sort().
///
/// Not stable. Equal keys are fine; with keys that operator< cannot compare (NaN) the result is unspecified.
/// Cost: Capacity + 1 keys of shared memory a warp, and 2 * Capacity / 32 keys in the registers of each lane; about
/// size / 32 * log2(size) comparisons a lane. Fewer than 32 keys are sorted by warp_bitonic_sort().
/// @tparam Key       trivially copyable and trivially default constructible, with operator<
/// @tparam Capacity  a power of two, 32 to 512
template <class Key, int Capacity>
class warp_merge_sort {
  static_assert(Capacity >= cuda_warp::lanes && Capacity <= 16 * cuda_warp::lanes && detail::is_power_of_two(Capacity),
                "farpoint: warp_merge_sort takes a power of two of keys, 32 to 512");
  static_assert(std::is_trivially_copyable_v<Key> && std::is_trivially_default_constructible_v<Key>,
                "farpoint: warp_merge_sort needs trivial keys");

  template <int Items>
  using merge_sort = CUB_NS_QUALIFIER::WarpMergeSort<Key, Items, cuda_warp::lanes>;

 public:
  /// Shared memory of a warp. Needs no initialization; free for other use as soon as every lane is done with its keys.
  union storage {
    Key keys[std::size_t{Capacity}];
    typename merge_sort<Capacity / cuda_warp::lanes>::TempStorage temporary;
  };

  /// Sorts the first keys of the storage. All lanes of the warp call it, with the same arguments.
  /// @param shared  its first `size` keys are visible to all lanes; sorted on return, for all lanes to see
  /// @param size    0 or a power of two, up to Capacity
  __device__ static void sort(storage& shared, int size) noexcept {
    if (size < cuda_warp::lanes) {
      warp_bitonic_sort(shared.keys, size);
    } else {
      sort_by_items<1>(shared, size);
    }
  }

 private:
  struct less {
    __device__ bool operator()(Key const& a, Key const& b) const noexcept { return a < b; }
  };

  /// Finds the number of keys per lane: registers need it at compile time.
  template <int Items>
  __device__ static void sort_by_items(storage& shared, int size) noexcept {
    if constexpr (2 * Items * cuda_warp::lanes <= Capacity) {
      if (size > Items * cuda_warp::lanes) return sort_by_items<2 * Items>(shared, size);
    }
    sort_items<Items>(shared);
  }

  template <int Items>
  __device__ static void sort_items(storage& shared) noexcept {
    using temporary = typename merge_sort<Items>::TempStorage;
    static_assert(sizeof(temporary) <= sizeof(storage),
                  "farpoint: a smaller sort must fit in the storage of the largest");
    int const lane = cuda_warp::lane();
    Key mine[Items];
    // A lane may begin with any of the keys, so lanes load with a stride of a warp, which avoids bank conflicts.
#pragma unroll
    for (int i = 0; i < Items; ++i) mine[i] = shared.keys[i * cuda_warp::lanes + lane];
    cuda_warp::sync();
    merge_sort<Items>{reinterpret_cast<temporary&>(shared)}.Sort(mine, less{});
    cuda_warp::sync();
#pragma unroll
    for (int i = 0; i < Items; ++i) shared.keys[lane * Items + i] = mine[i];
    cuda_warp::sync();
  }
};

FARPOINT_END_NAMESPACE

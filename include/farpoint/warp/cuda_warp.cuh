/// @file
/// The calling thread's warp.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/core/types.hpp>

#include <cuda_runtime.h>
#include <cstring>

FARPOINT_BEGIN_NAMESPACE

/// The calling thread's warp. All 32 lanes call every function together. Stateless. For one-dimensional blocks whose
/// size is a multiple of 32.
class cuda_warp {
 public:
  static constexpr int lanes = 32;

  __device__ static int lane() noexcept { return static_cast<int>(threadIdx.x) % lanes; }
  __device__ static void sync() noexcept { __syncwarp(); }
  __device__ static unsigned ballot(bool flag) noexcept { return __ballot_sync(all, flag); }

  /// The value of lane `from`.
  template <class T>
  __device__ static T shuffle(T value, int from) noexcept {
    return map_words(value, [from](std::uint32_t word) { return __shfl_sync(all, word, from); });
  }
  /// The value of the lane whose number differs in the bits of `mask`.
  template <class T>
  __device__ static T shuffle_xor(T value, int mask) noexcept {
    return map_words(value, [mask](std::uint32_t word) { return __shfl_xor_sync(all, word, mask); });
  }

  /// The largest value of all lanes, or of this lane's `Lanes` neighbors (a power of two); nothing is NaN.
  template <int Lanes = lanes, class T>
  __device__ static T max(T value) noexcept {
    if constexpr (has_reduction<Lanes, T>) return __reduce_max_sync(all, value);
    return tree<Lanes>(value, [](T a, T b) { return a > b ? a : b; });
  }

  /// The smallest value, likewise.
  template <int Lanes = lanes, class T>
  __device__ static T min(T value) noexcept {
    if constexpr (has_reduction<Lanes, T>) return __reduce_min_sync(all, value);
    return tree<Lanes>(value, [](T a, T b) { return a < b ? a : b; });
  }

  template <class T>
  __device__ static T sum(T value) noexcept {
    if constexpr (has_reduction<lanes, T>) return __reduce_add_sync(all, value);
    return tree<lanes>(value, [](T a, T b) { return a + b; });
  }

  /// The sum of the values of this lane and all lower ones.
  template <class T>
  __device__ static T inclusive_sum(T value) noexcept {
#pragma unroll
    for (int step = 1; step < lanes; step *= 2) {
      T const lower = map_words(value, [step](std::uint32_t word) { return __shfl_up_sync(all, word, step); });
      if (lane() >= step) value += lower;
    }
    return value;
  }

  /// The sum of the values of all lower lanes. T is an unsigned integer.
  template <class T>
  __device__ static T exclusive_sum(T value) noexcept {
    static_assert(std::is_unsigned_v<T>, "farpoint: exclusive_sum() takes unsigned integers");
    return inclusive_sum(value) - value;
  }

 private:
  static constexpr unsigned all = 0xffffffffu;

  /// True if one instruction reduces values of type T over `Lanes` lanes.
  template <int Lanes, class T>
#if __CUDA_ARCH__ >= 800
  static constexpr bool has_reduction = Lanes == lanes&& std::is_same_v<T, std::uint32_t>;
#else
  static constexpr bool has_reduction = false;
#endif

  template <int Lanes, class T, class Operation>
  __device__ static T tree(T value, Operation operation) noexcept {
#pragma unroll
    for (int step = Lanes / 2; step > 0; step /= 2) {
      value = operation(value, shuffle_xor(value, step));
    }
    return value;
  }

  template <class T, class Map>
  __device__ static T map_words(T value, Map map) noexcept {
    static_assert(std::is_trivially_copyable_v<T>, "farpoint: only trivially copyable values can be shuffled");
    constexpr int count = (int{sizeof(T)} + 3) / 4;
    std::uint32_t words[count] = {};
    std::memcpy(words, &value, sizeof value);
#pragma unroll
    for (int i = 0; i < count; ++i) words[i] = map(words[i]);
    std::memcpy(&value, words, sizeof value);
    return value;
  }
};

FARPOINT_END_NAMESPACE

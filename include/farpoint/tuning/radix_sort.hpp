/// @file
/// Tuning of radix_sort(). It affects the speed, never a result.
#pragma once

#include <farpoint/core/types.hpp>

#include <iosfwd>

FARPOINT_BEGIN_NAMESPACE

/// Shape of a single block that sorts all keys.
struct radix_block_tuning {
  int block_size;        ///< threads, 256 or more, in whole warps
  int items_per_thread;  ///< keys per thread

  constexpr std::uint32_t capacity() const noexcept {
    return static_cast<std::uint32_t>(block_size) * static_cast<std::uint32_t>(items_per_thread);
  }
};

constexpr bool operator==(radix_block_tuning a, radix_block_tuning b) noexcept {
  return a.block_size == b.block_size && a.items_per_thread == b.items_per_thread;
}
constexpr bool operator!=(radix_block_tuning a, radix_block_tuning b) noexcept {
  return !(a == b);
}

/// Shape of the sort by many blocks with one launch per digit ("onesweep").
struct radix_sweep_tuning {
  std::uint32_t from;             ///< minimum number of keys for this shape, 1 or more
  int block_size;                 ///< threads, 256 or more, in whole warps
  int items_per_thread;           ///< keys per thread
  int blocks_per_multiprocessor;  ///< number of blocks that registers are reserved for
  int window;                     ///< number of tiles that a thread looks back at in one step
  bool values_apart = false;      ///< true: twice the shared memory, fewer registers

  constexpr std::uint32_t tile_size() const noexcept {
    return static_cast<std::uint32_t>(block_size) * static_cast<std::uint32_t>(items_per_thread);
  }
};

constexpr bool operator==(radix_sweep_tuning a, radix_sweep_tuning b) noexcept {
  return a.from == b.from && a.block_size == b.block_size && a.items_per_thread == b.items_per_thread &&
         a.blocks_per_multiprocessor == b.blocks_per_multiprocessor && a.window == b.window &&
         a.values_apart == b.values_apart;
}
constexpr bool operator!=(radix_sweep_tuning a, radix_sweep_tuning b) noexcept {
  return !(a == b);
}

/// Default choice. To change it, derive a struct, hide members, and pass it as the first template argument of
/// radix_sort() and of radix_sort_workspace_words().
struct radix_sort_selector {
  /// Shapes of the sort by one block, ascending in capacity; the first that holds all keys is used. h200, us for 32
  /// bits: 1,024 keys 6.7 (512x4 8.8, 1024x4 14.8), 2,048 keys 9.5 (256x8 9.8), 4,096 keys 13.8 (256x16 15.0, sweeps
  /// 26.8), 8,192 keys 22.4 (1024x8 25.6). 12,288 keys would take 30.8, more than sweeps take for 16,384.
  static constexpr radix_block_tuning blocks[] = {{256, 4}, {512, 4}, {512, 8}, {512, 16}};

  /// Shapes of the sort by sweeps, ascending in `from`; the last whose `from` the keys reach is used, and the first
  /// follows the largest block. h200, us for 32 bits: 16,384 keys 29.3 (256x12 32.2), 262,144 keys 40.7 (256x12 41.5),
  /// 1,048,576 keys 64.3 (384x12 67.6), 4 M keys 182 (512x12 188), 16 M keys 555 (384x16 580, 512x12 590).
  static constexpr radix_sweep_tuning sweeps[] = {
      {1, 256, 8, 4, 4}, {1u << 19, 512, 16, 1, 4}, {1u << 21, 384, 20, 2, 4, true}};

  /// Maximum number of blocks of the histogram, and number of keys that a thread loads before it counts them.
  static constexpr int histogram_blocks = 528;
  static constexpr int histogram_items = 16;

  /// Number of keys that one chain of sums covers: two bits of a 32-bit word are flags. Smaller only in tests.
  static constexpr std::uint32_t portion_keys = (1u << 30) - 1;
};

// Prints tunings as their initializers, in files that include <ostream>.

template <class Char, class Traits>
std::basic_ostream<Char, Traits>& operator<<(std::basic_ostream<Char, Traits>& out, radix_block_tuning tuning) {
  return out << "{" << tuning.block_size << ", " << tuning.items_per_thread << "}";
}
template <class Char, class Traits>
std::basic_ostream<Char, Traits>& operator<<(std::basic_ostream<Char, Traits>& out, radix_sweep_tuning const& tuning) {
  return out << "{" << tuning.from << ", " << tuning.block_size << ", " << tuning.items_per_thread << ", "
             << tuning.blocks_per_multiprocessor << ", " << tuning.window
             << (tuning.values_apart ? ", true}" : ", false}");
}

FARPOINT_END_NAMESPACE

/// @file
/// What makes radix_sort() fast. Nothing here changes a result.
#pragma once

#include <farpoint/core/types.hpp>

FARPOINT_BEGIN_NAMESPACE

/// A block that sorts all keys by itself.
struct radix_block_tuning {
  int block_size;        ///< threads, 256 or more, in whole warps
  int items_per_thread;  ///< keys

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

/// Many blocks, one launch for each digit ("onesweep").
struct radix_sweep_tuning {
  std::uint32_t from;             ///< keys, 1 or more: used for this many and more
  int block_size;                 ///< threads, 256 or more, in whole warps
  int items_per_thread;           ///< keys
  int blocks_per_multiprocessor;  ///< that registers are kept free for
  int window;                     ///< tiles that a thread looks back at in one go
  bool values_apart = false;      ///< twice the shared memory, fewer registers

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

/// The default choice. Derive a struct from it, hide what you want to change, and pass it as the first template
/// argument of radix_sort() and of radix_sort_workspace_words().
struct radix_sort_selector {
  /// Shapes of the sort by one block, ascending in capacity: the first that holds all keys is used.
  static constexpr radix_block_tuning blocks[] = {{1024, 4}, {1024, 12}};

  /// Shapes of the sort by sweeps, ascending in `from`: the last that the keys are enough for is used. Fewer keys than
  /// the first asks for, but too many for one block, take three launches a digit.
  static constexpr radix_sweep_tuning sweeps[] = {{1u << 20, 384, 16, 2, 4}};

  /// Blocks of the histogram, at most, and keys that a thread loads before it counts them.
  static constexpr int histogram_blocks = 528;
  static constexpr int histogram_items = 16;

  /// Keys that one chain of sums covers: two bits of a 32-bit word are flags. Smaller for tests only.
  static constexpr std::uint32_t portion_keys = (1u << 30) - 1;
};

FARPOINT_END_NAMESPACE

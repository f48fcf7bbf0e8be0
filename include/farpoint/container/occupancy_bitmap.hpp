/// @file
/// Bitmap of the occupied cells of a grid, with ranks.
#pragma once

#include <farpoint/core/atomic.hpp>
#include <farpoint/core/bits.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// 256 neighboring cells, one bit each: one sector of GPU memory.
struct alignas(32) cell_group {
  std::uint64_t bits[4];

  FARPOINT_HD std::uint32_t count() const noexcept {
    return count_bits(bits[0]) + count_bits(bits[1]) + count_bits(bits[2]) + count_bits(bits[3]);
  }
};

/// Set of cells as a bitmap in memory that the caller owns: trivially copyable, for kernels and host threads.
///
/// A flat bitmap stores every group of 256 cells. A two-level bitmap stores only the groups that contain a marked cell,
/// and `top` has one bit per group that says whether it is stored. It takes 36 bytes per stored group and 1/2048 byte
/// per cell of the grid.
///
/// It is filled in steps separated by barriers; within a step, any number of threads may call concurrently. Flat: clear
/// `groups`, mark() all cells, write `ranks`, then call rank(). Two levels: clear `top`, mark_groups() of all cells,
/// write `top_ranks`, clear the stored `groups`, mark() all cells, write `ranks`, then call rank().
struct occupancy_bitmap {
  static constexpr int group_bits = 8;
  static constexpr int top_bits = group_bits + 6;

  std::uint64_t* top = nullptr;        ///< one bit per group; null if flat
  std::uint32_t* top_ranks = nullptr;  ///< per word of `top`: number of bits set in the words before
  cell_group* groups = nullptr;
  std::uint32_t* ranks = nullptr;  ///< `[groups + 1]`: number of cells set in the groups before

  /// Number of words of `top` for cells `[0, cells]`.
  FARPOINT_HD static constexpr index_t top_words(index_t cells) noexcept { return (cells >> top_bits) + 1; }
  /// Number of groups for cells `[0, cells]`.
  FARPOINT_HD static constexpr index_t all_groups(index_t cells) noexcept { return (cells >> group_bits) + 1; }

  FARPOINT_HD bool is_flat() const noexcept { return top == nullptr; }

  /// Marks groups by their bits in word `word` of `top`.
  FARPOINT_HD void mark_groups(std::uint32_t word, std::uint64_t bits) const noexcept { set(top + word, bits); }

  /// Marks a cell. @return true for the first call with this cell
  FARPOINT_HD bool mark(std::uint32_t cell) const noexcept { return mark_cells(cell >> 6, bit_of(cell)) != 0; }
  /// Marks cells by their bits in word `word` of the grid.
  /// @param looks  true to load the word first, so that marked cells cost no atomic operation
  /// @return the bits that were not set before
  FARPOINT_HD std::uint64_t mark_cells(std::uint32_t word, std::uint64_t bits, bool looks = true) const noexcept {
    std::uint32_t const group = is_flat() ? word >> 2 : place_of(word << 6);
    return set(groups[group].bits + (word & 3), bits, looks);
  }

  FARPOINT_HD static constexpr std::uint64_t bit_of(std::uint32_t number) noexcept {
    return std::uint64_t{1} << (number & 63);
  }

  /// Number of marked cells below `cell`, which need not be marked itself.
  FARPOINT_HD std::uint32_t rank(std::uint32_t cell) const noexcept {
    std::uint32_t const group = is_flat() ? cell >> group_bits : place_of(cell);
    // An empty group is not stored: place_of() yields the slot of the next stored group, whose rank is the result.
    if (!is_flat() && (top[cell >> top_bits] & bit_of(cell >> group_bits)) == 0) return ranks[group];
    cell_group const cells = groups[group];
    std::uint32_t const word = word_of(cell);
    std::uint32_t below = ranks[group];
    FARPOINT_UNROLL
    for (std::uint32_t w = 0; w < 4; ++w) {
      std::uint64_t const counted = w < word ? ~std::uint64_t{0} : w == word ? bit_of(cell) - 1 : 0;
      below += count_bits(cells.bits[w] & counted);
    }
    return below;
  }

 private:
  /// Index of a cell's word in its group.
  FARPOINT_HD static constexpr std::uint32_t word_of(std::uint32_t cell) noexcept { return cell >> 6 & 3; }

  /// Sets bits and returns the bits that were clear before. If several points share a cell, loading first replaces
  /// atomic operations, which serialize, by loads.
  FARPOINT_HD static std::uint64_t set(std::uint64_t* word, std::uint64_t bits, bool looks = true) noexcept {
    if (looks && (bits & ~atomic_load(word)) == 0) return 0;
    return bits & ~atomic_or(word, bits);
  }

  FARPOINT_HD std::uint32_t place_of(std::uint32_t cell) const noexcept {
    std::uint32_t const word = cell >> top_bits;
    return top_ranks[word] + count_bits(top[word] & (bit_of(cell >> group_bits) - 1));
  }
};

}  // namespace detail
FARPOINT_END_NAMESPACE

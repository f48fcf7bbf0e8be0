/// @file
/// Which cells of a grid are occupied, and how many of them come before a cell.
#pragma once

#include <farpoint/core/atomic.hpp>
#include <farpoint/core/bits.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// 256 neighbouring cells, a bit each: one sector of GPU memory.
struct alignas(32) cell_group {
  std::uint64_t bits[4];

  FARPOINT_HD std::uint32_t count() const noexcept {
    return count_bits(bits[0]) + count_bits(bits[1]) + count_bits(bits[2]) + count_bits(bits[3]);
  }
};

/// A set of cells as a bitmap in memory of the caller's: trivially copyable, for kernels and host threads.
///
/// A flat bitmap has a place for each group of 256 cells. Otherwise only groups that have a cell get a place, and a bit
/// for each group says which do: the bitmap then takes 36 bytes for each such group, and 1/2048 byte for each cell of
/// the grid.
///
/// It is filled in steps with a barrier between them; within a step any number of threads may call at the same time.
/// Flat: clear `groups`, mark() all cells, write `ranks`, then call rank(). Otherwise: clear `top`, mark_groups() of
/// all cells, write `top_ranks`, clear as many `groups`, mark() all cells, write `ranks`, then call rank().
struct occupancy_bitmap {
  static constexpr int group_bits = 8;
  static constexpr int top_bits = group_bits + 6;

  std::uint64_t* top = nullptr;        ///< a bit a group; null: flat
  std::uint32_t* top_ranks = nullptr;  ///< by word of `top`: bits that are set in the words before
  cell_group* groups = nullptr;
  std::uint32_t* ranks = nullptr;  ///< by group, and one more: cells that are set in the groups before

  /// Words of `top` for cells `[0, cells]`.
  FARPOINT_HD static constexpr index_t top_words(index_t cells) noexcept { return (cells >> top_bits) + 1; }
  /// Groups of cells `[0, cells]`.
  FARPOINT_HD static constexpr index_t all_groups(index_t cells) noexcept { return (cells >> group_bits) + 1; }

  FARPOINT_HD bool is_flat() const noexcept { return top == nullptr; }

  /// Marks groups whose bits are in one word, the word-th of `top`.
  FARPOINT_HD void mark_groups(std::uint32_t word, std::uint64_t bits) const noexcept { set(top + word, bits); }

  /// @return true for the first call with this cell
  FARPOINT_HD bool mark(std::uint32_t cell) const noexcept { return mark_cells(cell >> 6, bit_of(cell)) != 0; }
  /// Marks cells whose bits are in one word, the word-th of the grid.
  /// @param looks  whether to load the word first, so that cells that are marked already cost no atomic operation
  /// @return the bits that nobody had marked before
  FARPOINT_HD std::uint64_t mark_cells(std::uint32_t word, std::uint64_t bits, bool looks = true) const noexcept {
    std::uint32_t const group = is_flat() ? word >> 2 : place_of(word << 6);
    return set(groups[group].bits + (word & 3), bits, looks);
  }

  FARPOINT_HD static constexpr std::uint64_t bit_of(std::uint32_t number) noexcept {
    return std::uint64_t{1} << (number & 63);
  }

  /// Number of cells below `cell` that are set. It need not be set itself.
  FARPOINT_HD std::uint32_t rank(std::uint32_t cell) const noexcept {
    std::uint32_t const group = is_flat() ? cell >> group_bits : place_of(cell);
    // An empty group has no place: what place_of() says is the next one's.
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
  /// Of a cell in its group.
  FARPOINT_HD static constexpr std::uint32_t word_of(std::uint32_t cell) noexcept { return cell >> 6 & 3; }

  /// Points that share a cell then cost loads, not atomic operations that take turns.
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

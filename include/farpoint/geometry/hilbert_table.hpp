/// @file
/// Hilbert's curve as a table, where many cells are to be found on it.
#pragma once

#include <farpoint/geometry/hilbert.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Gives the codes of hilbert_encode(), from the largest cells down: in each of 24 ways the curve goes through the
/// eight parts of a cell, and through each part in one of these ways again.
class hilbert_table {
 public:
  static constexpr int ways = 24;
  static constexpr int parts = 8;

  /// The rows of the table, for the block's threads to put into shared memory: part after part from the low bits on, a
  /// byte each, its place on the curve in three bits, and the way through it in the others.
  FARPOINT_HD static std::uint64_t row(int way) noexcept {
    static constexpr std::uint64_t rows[ways] = {
        0x05023629241b1708, 0x0d5e2c570a494338, 0x591270334e156f64, 0x031a58717c1d4f6e, 0x2504565f227b3948,
        0x2d962a010c8f8320, 0x91320635a0131f9c, 0x3d4c3aab8e972100, 0x0b88842742b1457e, 0x4d4a3c6b16093728,
        0x89b0267f525b55bc, 0x110e60475a5d5374, 0xa714189bb6657962, 0x4b6aac6d90a1071e, 0xb7a678195c75bb72,
        0x231c100f7a7d6146, 0x2b5082b9443f85ae, 0x51b88a933eaf8db4, 0x312e929598878ba4, 0x7734be9d6863a99a,
        0xbf7694a5a869b3a2, 0x3b6caaad302f9986, 0x9f808ca36641b5b2, 0x67409e815473bdba,
    };
    return rows[way];
  }

  /// @param rows  `[ways]`
  FARPOINT_HD explicit hilbert_table(std::uint64_t const* rows) noexcept
      : entries_{reinterpret_cast<unsigned char const*>(rows)} {}

  /// The code of a cell; see hilbert_encode().
  /// @param bits  of a coordinate, at most 10
  FARPOINT_HD std::uint32_t encode(std::uint32_t x, std::uint32_t y, std::uint32_t z, int bits) const noexcept {
    std::uint32_t const cell = morton_encode(x, y, z);
    std::uint32_t code = 0;
    std::uint32_t way = 0;
    FARPOINT_UNROLL
    for (int shift = 3 * (bits - 1); shift >= 0; shift -= 3) {
      std::uint32_t const entry = entries_[way | (cell >> shift & 7)];
      code = code << 3 | (entry & 7);
      way = entry & ~7u;
    }
    return code;
  }

 private:
  unsigned char const* entries_;
};

}  // namespace detail
FARPOINT_END_NAMESPACE

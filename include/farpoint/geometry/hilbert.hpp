/// @file
/// Codes along Hilbert's curve: consecutive cells share a face, so that no run of points contains a jump, unlike runs
/// in Morton order.
#pragma once

#include <farpoint/geometry/morton.hpp>

FARPOINT_BEGIN_NAMESPACE

namespace detail {

/// All bits set if bit `b` of x is set, else 0.
template <class Code>
FARPOINT_HD constexpr Code mask_of_bit(Code x, int b) noexcept {
  return static_cast<Code>(Code{0} - (x >> b & Code{1}));
}

/// Inverts the bits of x below bit `b` if that bit of `y` is set; otherwise exchanges these bits of x and y.
template <class Code>
FARPOINT_HD constexpr void invert_or_exchange(Code& x, Code& y, int b) noexcept {
  Code const below = (Code{1} << b) - 1;
  Code const is_set = mask_of_bit(y, b);
  Code const exchanged = (x ^ y) & below & ~is_set;
  x ^= exchanged | (below & is_set);
  y ^= exchanged;
}

/// Bits that the last step of an encoding inverts in each coordinate.
/// @param last  last coordinate of the cell's Gray code
template <class Code>
FARPOINT_HD constexpr Code hilbert_turn(Code last, int bits) noexcept {
  Code turn = 0;
  for (int b = bits - 1; b > 0; --b) turn ^= mask_of_bit(last, b) & ((Code{1} << b) - 1);
  return turn;
}

}  // namespace detail

/// Code of a 2-D cell whose coordinates have `bits` bits each; see the 3-D overload.
/// @param x, y  the cell
/// @param bits  1 to morton_bits<Code, 2>
template <class Code>
FARPOINT_HD constexpr Code hilbert_encode(Code x, Code y, int bits) noexcept {
  for (int b = bits - 1; b > 0; --b) {
    x ^= detail::mask_of_bit(x, b) & ((Code{1} << b) - 1);
    detail::invert_or_exchange(x, y, b);
  }
  y ^= x;
  Code const turn = detail::hilbert_turn(y, bits);
  return morton_encode(static_cast<Code>(y ^ turn), static_cast<Code>(x ^ turn));
}

/// Cell of a 2-D code: inverse of hilbert_encode(). O(bits), constexpr, thread-safe.
template <class Code>
FARPOINT_HD constexpr vec<Code, 2> hilbert_decode_2d(Code code, int bits) noexcept {
  vec<Code, 2> const gray = morton_decode_2d(code);
  Code x = gray[1] ^ gray[0] >> 1;
  Code y = gray[0] ^ gray[1];
  for (int b = 1; b < bits; ++b) {
    detail::invert_or_exchange(x, y, b);
    x ^= detail::mask_of_bit(x, b) & ((Code{1} << b) - 1);
  }
  return {{x, y}};
}

/// Code of a 3-D cell whose coordinates have `bits` bits each: its position on Hilbert's curve, 0 at the origin.
///
/// Bijective on [0, 2^(3 bits)). Coordinates are cell indices below 2^bits. O(bits), without branches; constexpr,
/// thread-safe.
/// Source: J. Skilling, "Programming the Hilbert curve", AIP Conference Proceedings 707, 2004.
/// @tparam Code  std::uint32_t or std::uint64_t
/// @param x, y, z  the cell
/// @param bits     1 to morton_bits<Code, 3>
template <class Code>
FARPOINT_HD constexpr Code hilbert_encode(Code x, Code y, Code z, int bits) noexcept {
  // Undo the rotations of the enclosing cells, from the largest to the smallest.
  for (int b = bits - 1; b > 0; --b) {
    x ^= detail::mask_of_bit(x, b) & ((Code{1} << b) - 1);
    detail::invert_or_exchange(x, y, b);
    detail::invert_or_exchange(x, z, b);
  }
  // Gray code: neighbors differ in one bit.
  y ^= x;
  z ^= y;
  Code const turn = detail::hilbert_turn(z, bits);
  return morton_encode(static_cast<Code>(z ^ turn), static_cast<Code>(y ^ turn), static_cast<Code>(x ^ turn));
}

/// Cell of a code: inverse of hilbert_encode(). O(bits), constexpr, thread-safe.
template <class Code>
FARPOINT_HD constexpr vec<Code, 3> hilbert_decode_3d(Code code, int bits) noexcept {
  vec<Code, 3> const gray = morton_decode_3d(code);
  Code x = gray[2] ^ gray[0] >> 1;
  Code y = gray[1] ^ gray[2];
  Code z = gray[0] ^ gray[1];
  for (int b = 1; b < bits; ++b) {
    detail::invert_or_exchange(x, z, b);
    detail::invert_or_exchange(x, y, b);
    x ^= detail::mask_of_bit(x, b) & ((Code{1} << b) - 1);
  }
  return {{x, y, z}};
}

/// Morton's curve, as an argument of templates over a curve.
struct morton_curve {
  template <class Code>
  FARPOINT_HD static constexpr Code encode(Code x, Code y, int) noexcept {
    return morton_encode(x, y);
  }
  template <class Code>
  FARPOINT_HD static constexpr Code encode(Code x, Code y, Code z, int) noexcept {
    return morton_encode(x, y, z);
  }
};

/// Hilbert's curve, as an argument of templates over a curve.
struct hilbert_curve {
  template <class Code>
  FARPOINT_HD static constexpr Code encode(Code x, Code y, int bits) noexcept {
    return hilbert_encode(x, y, bits);
  }
  template <class Code>
  FARPOINT_HD static constexpr Code encode(Code x, Code y, Code z, int bits) noexcept {
    return hilbert_encode(x, y, z, bits);
  }
};

/// hilbert_encode() by a table in memory, with one look-up per bit: faster for many cells.
///
/// Descends from the largest cells: the curve traverses the eight parts of a cell in one of 24 ways, and each part
/// again in one of these ways. Does not own the table; reading is thread-safe.
class hilbert_table {
 public:
  static constexpr int ways = 24;
  static constexpr int parts = 8;

  /// Row of the table, for callers that store it, such as a block in shared memory. One byte per part, lowest byte
  /// first: the low three bits are the part's position on the curve, the others 8 times the way through it.
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

  /// @param rows  `[ways]`: row() of each way; must outlive the object
  FARPOINT_HD explicit hilbert_table(std::uint64_t const* rows) noexcept
      : entries_{reinterpret_cast<unsigned char const*>(rows)} {}

  /// Equals hilbert_encode(x, y, z, bits).
  /// @tparam Code    std::uint32_t or std::uint64_t
  /// @param x, y, z  the cell
  /// @param bits     number of bits per coordinate, at most morton_bits<Code, 3>
  template <class Code>
  FARPOINT_HD Code encode(Code x, Code y, Code z, int bits) const noexcept {
    Code const cell = morton_encode(x, y, z);
    Code code = 0;
    std::uint32_t way = 0;
    FARPOINT_UNROLL
    for (int shift = 3 * (bits - 1); shift >= 0; shift -= 3) {
      std::uint32_t const entry = entries_[way | static_cast<std::uint32_t>(cell >> shift & 7)];
      code = code << 3 | (entry & 7);
      way = entry & ~7u;
    }
    return code;
  }

 private:
  unsigned char const* entries_;
};

FARPOINT_END_NAMESPACE

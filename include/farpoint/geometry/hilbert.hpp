/// @file
/// Codes along Hilbert's curve: cells that follow one another share a face, so that no run of points straddles a jump
/// as runs in Morton order do.
#pragma once

#include <farpoint/geometry/morton.hpp>

FARPOINT_BEGIN_NAMESPACE

namespace detail {

/// All bits set where bit `b` of x is, none where it is not.
template <class Code>
FARPOINT_HD constexpr Code mask_of_bit(Code x, int b) noexcept {
  return static_cast<Code>(Code{0} - (x >> b & Code{1}));
}

/// Where bit `b` of `y` is set, inverts the bits of x below it; where not, exchanges them with those of y.
template <class Code>
FARPOINT_HD constexpr void invert_or_exchange(Code& x, Code& y, int b) noexcept {
  Code const below = (Code{1} << b) - 1;
  Code const is_set = mask_of_bit(y, b);
  Code const exchanged = (x ^ y) & below & ~is_set;
  x ^= exchanged | (below & is_set);
  y ^= exchanged;
}

}  // namespace detail

/// The code of a 3-D cell whose coordinates have `bits` bits each: its place on Hilbert's curve, from 0 at the origin.
///
/// A permutation of [0, 2^(3 bits)). Coordinates are cells, not metres, below 2^bits. O(bits), without branches;
/// constexpr, thread-safe.
/// Source: J. Skilling, "Programming the Hilbert curve", AIP Conference Proceedings 707, 2004.
/// @tparam Code  std::uint32_t or std::uint64_t
/// @param x, y, z  the cell
/// @param bits     1 to morton_bits<Code, 3>
template <class Code>
FARPOINT_HD constexpr Code hilbert_encode(Code x, Code y, Code z, int bits) noexcept {
  // Undoes the turns of the cells around this one, from the largest on.
  for (int b = bits - 1; b > 0; --b) {
    x ^= detail::mask_of_bit(x, b) & ((Code{1} << b) - 1);
    detail::invert_or_exchange(x, y, b);
    detail::invert_or_exchange(x, z, b);
  }
  // Gray code: neighbours differ in one bit.
  y ^= x;
  z ^= y;
  Code turn = 0;
  for (int b = bits - 1; b > 0; --b) turn ^= detail::mask_of_bit(z, b) & ((Code{1} << b) - 1);
  return morton_encode(static_cast<Code>(z ^ turn), static_cast<Code>(y ^ turn), static_cast<Code>(x ^ turn));
}

/// The cell of a code: undoes hilbert_encode(). O(bits), constexpr, thread-safe.
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

FARPOINT_END_NAMESPACE

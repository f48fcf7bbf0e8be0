/// @file
/// Codes along Hilbert's curve: cells that follow one another share a face, so that no run of points straddles a jump
/// as runs in Morton order do.
#pragma once

#include <farpoint/spatial/morton.hpp>

FARPOINT_BEGIN_NAMESPACE

/// The code of a 3-D cell whose coordinates have `bits` bits each: its place on Hilbert's curve, from 0 at the origin.
///
/// A permutation of [0, 2^(3 bits)). Coordinates are cells, not metres, below 2^bits. O(bits), without branches;
/// constexpr, thread-safe.
/// Source: J. Skilling, "Programming the Hilbert curve", AIP Conference Proceedings 707, 2004.
/// @tparam Code  std::uint32_t or std::uint64_t
/// @param bits   1 to morton_bits<Code, 3>
template <class Code>
FARPOINT_HD constexpr Code hilbert_encode(Code x, Code y, Code z, int bits) noexcept {
  // Undoes the turns of the cells around this one, from the largest on: where an axis has its bit set, the bits of x
  // below are inverted, and exchanged with that axis's where it has not.
  for (Code half = Code{1} << (bits - 1); half > 1; half >>= 1) {
    Code const below = half - 1;
    x ^= (x & half) != 0 ? below : Code{0};
    Code const swap_y = (y & half) != 0 ? Code{0} : (x ^ y) & below;
    x ^= (y & half) != 0 ? below : swap_y;
    y ^= swap_y;
    Code const swap_z = (z & half) != 0 ? Code{0} : (x ^ z) & below;
    x ^= (z & half) != 0 ? below : swap_z;
    z ^= swap_z;
  }
  // Gray code: neighbours differ in one bit.
  y ^= x;
  z ^= y;
  Code turn = 0;
  for (Code half = Code{1} << (bits - 1); half > 1; half >>= 1) turn ^= (z & half) != 0 ? half - 1 : Code{0};
  return morton_encode(static_cast<Code>(z ^ turn), static_cast<Code>(y ^ turn), static_cast<Code>(x ^ turn));
}

/// The cell of a code: undoes hilbert_encode(). O(bits), constexpr, thread-safe.
template <class Code>
FARPOINT_HD constexpr vec<Code, 3> hilbert_decode_3d(Code code, int bits) noexcept {
  vec<Code, 3> const gray = morton_decode_3d(code);
  Code z = gray[0];
  Code y = gray[1];
  Code x = gray[2];
  Code const carry = z >> 1;
  z ^= y;
  y ^= x;
  x ^= carry;
  for (Code half = 2; half != Code{1} << bits; half <<= 1) {
    Code const below = half - 1;
    Code const swap_z = (z & half) != 0 ? Code{0} : (x ^ z) & below;
    x ^= (z & half) != 0 ? below : swap_z;
    z ^= swap_z;
    Code const swap_y = (y & half) != 0 ? Code{0} : (x ^ y) & below;
    x ^= (y & half) != 0 ? below : swap_y;
    y ^= swap_y;
    x ^= (x & half) != 0 ? below : Code{0};
  }
  return {{x, y, z}};
}

FARPOINT_END_NAMESPACE

/// @file
/// Morton (Z-order) codes: the bits of a cell's coordinates, interleaved, so that neighbours in space are neighbours in
/// order.
///
/// Bit b of axis a becomes bit `Dim * b + a`: x is the lowest of each group.
/// Source: G. M. Morton, "A computer oriented geodetic data base and a new technique in file sequencing", IBM, 1966.
#pragma once

#include <farpoint/core/types.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Bits of each axis that a code of type `Code` holds: 16 and 10 in 32 bits (2-D, 3-D), 32 and 21 in 64.
template <class Code, int Dim>
inline constexpr int morton_bits = static_cast<int>(8 * sizeof(Code)) / Dim;

namespace detail {

/// The low morton_bits bits in groups of `group`, which begin `Dim * group` bits apart.
template <int Dim, class Code>
FARPOINT_HD constexpr Code morton_mask(int group) noexcept {
  Code mask = 0;
  for (int bit = 0; bit < morton_bits<Code, Dim>; ++bit) {
    mask |= Code{1} << (bit / group * Dim * group + bit % group);
  }
  return mask;
}

/// The widest groups that a code of type `Code` is made of.
template <class Code>
inline constexpr int morton_group = 2 * static_cast<int>(sizeof(Code));

/// Halves the groups of bits that are together, from twice `Group` on, until each bit is alone.
template <int Dim, int Group, class Code>
FARPOINT_HD FARPOINT_ALWAYS_INLINE constexpr Code morton_part(Code x) noexcept {
  constexpr Code mask = morton_mask<Dim, Code>(Group);
  x = (x | x << (Dim - 1) * Group) & mask;
  if constexpr (Group == 1) {
    return x;
  } else {
    return morton_part<Dim, Group / 2>(x);
  }
}

/// Joins groups of bits from those of one bit on, until they are twice as wide as `Group`.
template <int Dim, int Group, class Code>
FARPOINT_HD FARPOINT_ALWAYS_INLINE constexpr Code morton_join(Code x) noexcept {
  constexpr Code mask = morton_mask<Dim, Code>(2 * Group);
  if constexpr (Group > 1) x = morton_join<Dim, Group / 2>(x);
  return (x | x >> (Dim - 1) * Group) & mask;
}

/// Moves the low bits of `x` apart: bit b to bit `Dim * b`.
template <int Dim, class Code>
FARPOINT_HD FARPOINT_ALWAYS_INLINE constexpr Code morton_spread(Code x) noexcept {
  constexpr Code mask = morton_mask<Dim, Code>(2 * morton_group<Code>);
  return morton_part<Dim, morton_group<Code>>(static_cast<Code>(x & mask));
}

/// Undoes morton_spread().
template <int Dim, class Code>
FARPOINT_HD FARPOINT_ALWAYS_INLINE constexpr Code morton_gather(Code x) noexcept {
  constexpr Code mask = morton_mask<Dim, Code>(1);
  return morton_join<Dim, morton_group<Code>>(static_cast<Code>(x & mask));
}

}  // namespace detail

/// The code of a 2-D cell: a permutation of the bits of (x, y), so that no two cells share a code.
///
/// Where no coordinate shrinks the code does not either, so all cells of a box have codes between those of its lowest
/// and its highest corner. Coordinates are cells, not metres; bits of theirs beyond morton_bits are ignored. O(1),
/// constexpr, thread-safe.
/// @tparam Code  std::uint32_t or std::uint64_t
template <class Code>
FARPOINT_HD constexpr Code morton_encode(Code x, Code y) noexcept {
  return detail::morton_spread<2>(x) | detail::morton_spread<2>(y) << 1;
}

/// The code of a 3-D cell; see the 2-D overload.
template <class Code>
FARPOINT_HD constexpr Code morton_encode(Code x, Code y, Code z) noexcept {
  return detail::morton_spread<3>(x) | detail::morton_spread<3>(y) << 1 | detail::morton_spread<3>(z) << 2;
}

/// The cell of a 2-D code: undoes morton_encode(). O(1), constexpr, thread-safe.
template <class Code>
FARPOINT_HD constexpr vec<Code, 2> morton_decode_2d(Code code) noexcept {
  return {{detail::morton_gather<2>(code), detail::morton_gather<2>(static_cast<Code>(code >> 1))}};
}

/// The cell of a 3-D code: undoes morton_encode(). A bit of `code` that no cell has (the highest of 64, the two highest
/// of 32) is ignored. O(1), constexpr, thread-safe.
template <class Code>
FARPOINT_HD constexpr vec<Code, 3> morton_decode_3d(Code code) noexcept {
  return {{detail::morton_gather<3>(code), detail::morton_gather<3>(static_cast<Code>(code >> 1)),
           detail::morton_gather<3>(static_cast<Code>(code >> 2))}};
}

FARPOINT_END_NAMESPACE

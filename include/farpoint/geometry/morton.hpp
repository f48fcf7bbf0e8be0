/// @file
/// Morton (Z-order) codes: interleaved bits of a cell's coordinates, so that cells near each other tend to have codes
/// near each other.
///
/// Bit b of axis a becomes bit `Dim * b + a`: x has the lowest bit of each group.
/// Source: G. M. Morton, "A computer oriented geodetic data base and a new technique in file sequencing", IBM, 1966.
#pragma once

#include <farpoint/core/types.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Number of bits per axis in a code of type `Code`: 16 and 10 in 32 bits (2-D, 3-D), 32 and 21 in 64.
template <class Code, int Dim>
inline constexpr int morton_bits = static_cast<int>(8 * sizeof(Code)) / Dim;

namespace detail {

/// Mask of the low morton_bits bits in groups of `group` bits, spaced so that a group begins every `Dim * group` bits.
template <int Dim, class Code>
FARPOINT_HD constexpr Code morton_mask(int group) noexcept {
  Code mask = 0;
  for (int bit = 0; bit < morton_bits<Code, Dim>; ++bit) {
    mask |= Code{1} << (bit / group * Dim * group + bit % group);
  }
  return mask;
}

/// Width in bits of the widest groups in a code of type `Code`.
template <class Code>
inline constexpr int morton_group = 2 * static_cast<int>(sizeof(Code));

/// Splits groups of 2 * `Group` bits in halves, repeatedly, down to single bits.
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

/// Joins single bits to groups, repeatedly doubling their width, up to 2 * `Group` bits.
template <int Dim, int Group, class Code>
FARPOINT_HD FARPOINT_ALWAYS_INLINE constexpr Code morton_join(Code x) noexcept {
  constexpr Code mask = morton_mask<Dim, Code>(2 * Group);
  if constexpr (Group > 1) x = morton_join<Dim, Group / 2>(x);
  return (x | x >> (Dim - 1) * Group) & mask;
}

/// Spreads the low bits of `x`: bit b moves to bit `Dim * b`.
template <int Dim, class Code>
FARPOINT_HD FARPOINT_ALWAYS_INLINE constexpr Code morton_spread(Code x) noexcept {
  constexpr Code mask = morton_mask<Dim, Code>(2 * morton_group<Code>);
  return morton_part<Dim, morton_group<Code>>(static_cast<Code>(x & mask));
}

/// Inverse of morton_spread().
template <int Dim, class Code>
FARPOINT_HD FARPOINT_ALWAYS_INLINE constexpr Code morton_gather(Code x) noexcept {
  constexpr Code mask = morton_mask<Dim, Code>(1);
  return morton_join<Dim, morton_group<Code>>(static_cast<Code>(x & mask));
}

}  // namespace detail

/// Code of a 2-D cell: a permutation of the bits of (x, y), so that no two cells share a code.
///
/// Monotonic in each coordinate, so all cells of a box have codes between the codes of its lowest and highest corner.
/// Coordinates are cell indices, not meters; bits beyond morton_bits are ignored. O(1), constexpr, thread-safe.
/// @tparam Code  std::uint32_t or std::uint64_t
template <class Code>
FARPOINT_HD constexpr Code morton_encode(Code x, Code y) noexcept {
  return detail::morton_spread<2>(x) | detail::morton_spread<2>(y) << 1;
}

/// Code of a 3-D cell; see the 2-D overload.
template <class Code>
FARPOINT_HD constexpr Code morton_encode(Code x, Code y, Code z) noexcept {
  return detail::morton_spread<3>(x) | detail::morton_spread<3>(y) << 1 | detail::morton_spread<3>(z) << 2;
}

/// Cell of a 2-D code: inverse of morton_encode(). O(1), constexpr, thread-safe.
template <class Code>
FARPOINT_HD constexpr vec<Code, 2> morton_decode_2d(Code code) noexcept {
  return {{detail::morton_gather<2>(code), detail::morton_gather<2>(static_cast<Code>(code >> 1))}};
}

/// Cell of a 3-D code: inverse of morton_encode(). Ignores the bits that belong to no cell (the highest of 64, the two
/// highest of 32). O(1), constexpr, thread-safe.
template <class Code>
FARPOINT_HD constexpr vec<Code, 3> morton_decode_3d(Code code) noexcept {
  return {{detail::morton_gather<3>(code), detail::morton_gather<3>(static_cast<Code>(code >> 1)),
           detail::morton_gather<3>(static_cast<Code>(code >> 2))}};
}

FARPOINT_END_NAMESPACE

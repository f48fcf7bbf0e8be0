/// @file
/// Morton (Z-order) codes: the bits of a cell's coordinates, interleaved, so that neighbours in space are neighbours in
/// order.
///
/// Bit b of axis a becomes bit `Dim * b + a`: x is the lowest of each group.
/// Source: G. M. Morton, "A computer oriented geodetic data base and a new technique in file sequencing", IBM, 1966.
#pragma once

#include <farpoint/core/types.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Moves the low bits of `x` two apart: bit b to bit 2 b.
FARPOINT_HD constexpr std::uint32_t spread_by_2(std::uint32_t x) noexcept {
  x &= 0x0000ffffu;
  x = (x | x << 8) & 0x00ff00ffu;
  x = (x | x << 4) & 0x0f0f0f0fu;
  x = (x | x << 2) & 0x33333333u;
  return (x | x << 1) & 0x55555555u;
}

/// The same in 64 bits.
FARPOINT_HD constexpr std::uint64_t spread_by_2(std::uint64_t x) noexcept {
  x &= 0x00000000ffffffffu;
  x = (x | x << 16) & 0x0000ffff0000ffffu;
  x = (x | x << 8) & 0x00ff00ff00ff00ffu;
  x = (x | x << 4) & 0x0f0f0f0f0f0f0f0fu;
  x = (x | x << 2) & 0x3333333333333333u;
  return (x | x << 1) & 0x5555555555555555u;
}

/// Moves the low bits of `x` three apart: bit b to bit 3 b.
FARPOINT_HD constexpr std::uint32_t spread_by_3(std::uint32_t x) noexcept {
  x &= 0x000003ffu;
  x = (x | x << 16) & 0x030000ffu;
  x = (x | x << 8) & 0x0300f00fu;
  x = (x | x << 4) & 0x030c30c3u;
  return (x | x << 2) & 0x09249249u;
}

/// The same in 64 bits.
FARPOINT_HD constexpr std::uint64_t spread_by_3(std::uint64_t x) noexcept {
  x &= 0x00000000001fffffu;
  x = (x | x << 32) & 0x001f00000000ffffu;
  x = (x | x << 16) & 0x001f0000ff0000ffu;
  x = (x | x << 8) & 0x100f00f00f00f00fu;
  x = (x | x << 4) & 0x10c30c30c30c30c3u;
  return (x | x << 2) & 0x1249249249249249u;
}

/// Undoes spread_by_2().
FARPOINT_HD constexpr std::uint32_t gather_by_2(std::uint32_t x) noexcept {
  x &= 0x55555555u;
  x = (x | x >> 1) & 0x33333333u;
  x = (x | x >> 2) & 0x0f0f0f0fu;
  x = (x | x >> 4) & 0x00ff00ffu;
  return (x | x >> 8) & 0x0000ffffu;
}

/// The same in 64 bits.
FARPOINT_HD constexpr std::uint64_t gather_by_2(std::uint64_t x) noexcept {
  x &= 0x5555555555555555u;
  x = (x | x >> 1) & 0x3333333333333333u;
  x = (x | x >> 2) & 0x0f0f0f0f0f0f0f0fu;
  x = (x | x >> 4) & 0x00ff00ff00ff00ffu;
  x = (x | x >> 8) & 0x0000ffff0000ffffu;
  return (x | x >> 16) & 0x00000000ffffffffu;
}

/// Undoes spread_by_3().
FARPOINT_HD constexpr std::uint32_t gather_by_3(std::uint32_t x) noexcept {
  x &= 0x09249249u;
  x = (x | x >> 2) & 0x030c30c3u;
  x = (x | x >> 4) & 0x0300f00fu;
  x = (x | x >> 8) & 0x030000ffu;
  return (x | x >> 16) & 0x000003ffu;
}

/// The same in 64 bits.
FARPOINT_HD constexpr std::uint64_t gather_by_3(std::uint64_t x) noexcept {
  x &= 0x1249249249249249u;
  x = (x | x >> 2) & 0x10c30c30c30c30c3u;
  x = (x | x >> 4) & 0x100f00f00f00f00fu;
  x = (x | x >> 8) & 0x001f0000ff0000ffu;
  x = (x | x >> 16) & 0x001f00000000ffffu;
  return (x | x >> 32) & 0x00000000001fffffu;
}

}  // namespace detail

/// Bits of each axis that a code of type `Code` holds: 16 and 10 in 32 bits (2-D, 3-D), 32 and 21 in 64.
template <class Code, int Dim>
inline constexpr int morton_bits = static_cast<int>(8 * sizeof(Code)) / Dim;

/// The code of a 2-D cell: a permutation of the bits of (x, y), so that no two cells share a code.
///
/// Where no coordinate shrinks the code does not either, so all cells of a box have codes between those of its lowest
/// and its highest corner. Coordinates are cells, not metres; bits of theirs beyond morton_bits are ignored. O(1),
/// constexpr, thread-safe.
/// @tparam Code  std::uint32_t or std::uint64_t
template <class Code>
FARPOINT_HD constexpr Code morton_encode(Code x, Code y) noexcept {
  return detail::spread_by_2(x) | detail::spread_by_2(y) << 1;
}

/// The code of a 3-D cell; see the 2-D overload.
template <class Code>
FARPOINT_HD constexpr Code morton_encode(Code x, Code y, Code z) noexcept {
  return detail::spread_by_3(x) | detail::spread_by_3(y) << 1 | detail::spread_by_3(z) << 2;
}

/// The cell of a 2-D code: undoes morton_encode(). O(1), constexpr, thread-safe.
template <class Code>
FARPOINT_HD constexpr vec<Code, 2> morton_decode_2d(Code code) noexcept {
  return {{detail::gather_by_2(code), detail::gather_by_2(static_cast<Code>(code >> 1))}};
}

/// The cell of a 3-D code: undoes morton_encode(). A bit of `code` that no cell has (the highest of 64, the two highest
/// of 32) is ignored. O(1), constexpr, thread-safe.
template <class Code>
FARPOINT_HD constexpr vec<Code, 3> morton_decode_3d(Code code) noexcept {
  return {{detail::gather_by_3(code), detail::gather_by_3(static_cast<Code>(code >> 1)),
           detail::gather_by_3(static_cast<Code>(code >> 2))}};
}

FARPOINT_END_NAMESPACE

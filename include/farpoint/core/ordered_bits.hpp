/// @file
/// Numbers as integers of the same order, for atomic operations, sorts and vectorized reductions.
#pragma once

#include <farpoint/core/types.hpp>

#include <cstring>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Word of a scalar's size: comparisons of scalars and masks of words go through the same lanes of a vector.
template <class Scalar>
using lane_word = std::conditional_t<sizeof(Scalar) == 8, std::uint64_t, std::uint32_t>;

/// Numbers as unsigned integers of the same order. Floating-point numbers, infinities included, give 1 or more.
template <class Scalar>
FARPOINT_HD lane_word<Scalar> ordered_word(Scalar value) noexcept {
  using word = lane_word<Scalar>;
  constexpr word sign = word{1} << (8 * sizeof(word) - 1);
  if constexpr (std::is_integral_v<Scalar>) {
    return static_cast<word>(value) ^ (std::is_signed_v<Scalar> ? sign : 0);
  } else {
    word bits;
    std::memcpy(&bits, &value, sizeof bits);
    return (bits & sign) != 0 ? ~bits : bits | sign;
  }
}
template <class Scalar>
FARPOINT_HD Scalar ordered_value(lane_word<Scalar> ordered) noexcept {
  using word = lane_word<Scalar>;
  constexpr word sign = word{1} << (8 * sizeof(word) - 1);
  word const bits = (ordered & sign) != 0 ? ordered & ~sign : ~ordered;
  Scalar value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/// Distances, which are never negative, as unsigned integers of the same order, from 1 on; 0 for every negative number.
/// The order of ordered_word() with one instruction less, and with a value that stands for "no distance".
template <class Scalar>
FARPOINT_HD FARPOINT_ALWAYS_INLINE lane_word<Scalar> ordered_distance_word(Scalar distance) noexcept {
  lane_word<Scalar> bits;
  std::memcpy(&bits, &distance, sizeof bits);
  return distance < 0 ? 0 : bits + 1;
}
/// The distance of a word that is not 0.
template <class Scalar>
FARPOINT_HD FARPOINT_ALWAYS_INLINE Scalar ordered_distance(lane_word<Scalar> ordered) noexcept {
  lane_word<Scalar> const bits = ordered - 1;
  Scalar distance;
  std::memcpy(&distance, &bits, sizeof distance);
  return distance;
}

/// Distances, and one negative number below them, as signed integers of the same order: their bits as they are, so that
/// a loop over them is vectorized.
template <class Scalar>
FARPOINT_HD FARPOINT_ALWAYS_INLINE std::make_signed_t<lane_word<Scalar>> ordered_integer(Scalar distance) noexcept {
  std::make_signed_t<lane_word<Scalar>> ordered;
  std::memcpy(&ordered, &distance, sizeof ordered);
  return ordered;
}
template <class Scalar>
FARPOINT_HD FARPOINT_ALWAYS_INLINE Scalar
ordered_integer_value(std::make_signed_t<lane_word<Scalar>> ordered) noexcept {
  Scalar distance;
  std::memcpy(&distance, &ordered, sizeof distance);
  return distance;
}

}  // namespace detail
FARPOINT_END_NAMESPACE

/// @file
#pragma once

#include <farpoint/core/types.hpp>

#include <cstring>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Word of a scalar's size: comparisons of scalars and masks of words go through the same lanes of a vector.
template <class Scalar>
using lane_word = std::conditional_t<sizeof(Scalar) == 8, std::uint64_t, std::uint32_t>;

/// Numbers as unsigned integers of the same order; 0 is below all of them.
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

}  // namespace detail
FARPOINT_END_NAMESPACE

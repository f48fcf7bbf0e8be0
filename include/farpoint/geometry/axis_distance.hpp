/// @file
/// distance2() and box_distance2() one axis at a time, for loops over coordinates in separate arrays.
#pragma once

#include <farpoint/core/math.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// One axis of distance2().
template <class Scalar>
FARPOINT_HD FARPOINT_ALWAYS_INLINE Scalar add_axis(Scalar sum, Scalar a, Scalar b) noexcept {
  Scalar const difference = sub_rn(a, b);
  return fma_rn(difference, difference, sum);
}

/// One axis of the squared distance to a box. Rounded as distance2() is, and rounding is monotone: for every point of
/// the box the distance is at least this, bit by bit, so that what is left out by it cannot change.
template <class Scalar>
FARPOINT_HD FARPOINT_ALWAYS_INLINE Scalar add_box_axis(Scalar sum, Scalar low, Scalar high, Scalar q) noexcept {
  Scalar const under = sub_rn(low, q);
  Scalar const over = sub_rn(q, high);
  Scalar const nearer = under > over ? under : over;
  Scalar const outside = nearer > Scalar(0) ? nearer : Scalar(0);
  return fma_rn(outside, outside, sum);
}

}  // namespace detail
FARPOINT_END_NAMESPACE

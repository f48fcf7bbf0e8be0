/// @file
/// Axis-aligned boxes.
#pragma once

#include <farpoint/core/math.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Squared distance (squared metres) from a point to the nearest point of the box [low, high]; 0 inside.
///
/// Rounded step by step as distance2() is, and rounding is monotone: for every p in the box, box_distance2(low, high,
/// q) <= distance2(p, q) holds bit by bit. So a search that leaves out boxes by it is exact.
template <class Scalar, int Dim>
FARPOINT_HD FARPOINT_ALWAYS_INLINE Scalar box_distance2(vec<Scalar, Dim> const& low, vec<Scalar, Dim> const& high,
                                                        vec<Scalar, Dim> const& q) noexcept {
  Scalar sum = 0;
  FARPOINT_UNROLL
  for (int axis = 0; axis < Dim; ++axis) {
    Scalar const under = sub_rn(low[axis], q[axis]);
    Scalar const over = sub_rn(q[axis], high[axis]);
    Scalar const outside = max_number(max_number(under, over), Scalar(0));
    sum = fma_rn(outside, outside, sum);
  }
  return sum;
}

FARPOINT_END_NAMESPACE

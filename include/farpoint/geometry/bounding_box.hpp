/// @file
/// Axis-aligned boxes.
#pragma once

#include <farpoint/core/math.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Squared distance (squared meters) from a point to the nearest point of the box [low, high]; 0 inside.
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

/// The points between two corners, which belong to it. An aggregate: trivially copyable, and uninitialized unless it is
/// made by empty() or from its corners.
template <class Scalar, int Dim = 3>
struct bounding_box {
  vec<Scalar, Dim> low;   ///< lower corner (m)
  vec<Scalar, Dim> high;  ///< upper corner (m)

  /// The box around nothing: infinitely far away from every point.
  FARPOINT_HD FARPOINT_ALWAYS_INLINE static bounding_box empty() noexcept {
    bounding_box box;
    FARPOINT_UNROLL
    for (int axis = 0; axis < Dim; ++axis) {
      box.low[axis] = detail::infinity<Scalar>;
      box.high[axis] = -detail::infinity<Scalar>;
    }
    return box;
  }

  /// Grows to hold a point. A coordinate that is NaN is passed over.
  /// @tparam PointDim  at least Dim: the first coordinates count
  template <int PointDim>
  FARPOINT_HD FARPOINT_ALWAYS_INLINE void grow(vec<Scalar, PointDim> const& point) noexcept {
    static_assert(PointDim >= Dim, "farpoint: a point needs at least as many coordinates as the box");
    FARPOINT_UNROLL
    for (int axis = 0; axis < Dim; ++axis) {
      grow(axis, point[axis], point[axis]);
    }
  }

  /// Grows to hold another box.
  FARPOINT_HD FARPOINT_ALWAYS_INLINE void grow(bounding_box const& other) noexcept {
    FARPOINT_UNROLL
    for (int axis = 0; axis < Dim; ++axis) {
      grow(axis, other.low[axis], other.high[axis]);
    }
  }

  /// box_distance2() of this box.
  FARPOINT_HD FARPOINT_ALWAYS_INLINE Scalar distance2(vec<Scalar, Dim> const& q) const noexcept {
    return box_distance2(low, high, q);
  }

 private:
  // A bound is never NaN, so each is one instruction on the host as well, where min_number() takes several.
  FARPOINT_HD FARPOINT_ALWAYS_INLINE void grow(int axis, Scalar least, Scalar most) noexcept {
    low[axis] = FARPOINT_DEVICE_OR_HOST(min_number(low[axis], least), detail::smaller(low[axis], least));
    high[axis] = FARPOINT_DEVICE_OR_HOST(max_number(high[axis], most), detail::larger(high[axis], most));
  }
};

FARPOINT_END_NAMESPACE

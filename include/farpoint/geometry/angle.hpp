/// @file
/// Angles whose bits do not depend on a maths library: std::atan2 differs from one to the next, and from CUDA's.
#pragma once

#include <farpoint/core/math.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Constant term first, by Horner's rule.
template <class Scalar>
FARPOINT_HD FARPOINT_ALWAYS_INLINE Scalar polynomial(Scalar, Scalar constant) noexcept {
  return constant;
}
template <class Scalar, class... More>
FARPOINT_HD FARPOINT_ALWAYS_INLINE Scalar polynomial(Scalar x, Scalar constant, More... more) noexcept {
  return fma_rn(polynomial(x, more...), x, constant);
}

/// (atan(sqrt(s)) / sqrt(s) - 1) / s for s from 0 to 1: Chebyshev's expansion, cut off where the rest is below 1.6e-8.
FARPOINT_HD FARPOINT_ALWAYS_INLINE float arctangent_series(float s) noexcept {
  return polynomial(s, -0x1.555554p-2f, 0x1.99983cp-3f, -0x1.246cd2p-3f, 0x1.c3f168p-4f, -0x1.6295f8p-4f,
                    0x1.0001c6p-4f, -0x1.25dc12p-5f, 0x1.ba9f66p-7f, -0x1.38de56p-9f);
}

/// (atan(sqrt(s)) / sqrt(s) - 1) / s in double precision, cut off where the rest is below 3.1e-17.
FARPOINT_HD FARPOINT_ALWAYS_INLINE double arctangent_series(double s) noexcept {
  return polynomial(s, -0x1.5555555555555p-2, 0x1.9999999999620p-3, -0x1.24924924753ecp-3, 0x1.c71c71bb00a6cp-4,
                    -0x1.745d15ee35819p-4, 0x1.3b1399d1dcdc7p-4, -0x1.110fff599e4d2p-4, 0x1.e1d0239d392a6p-5,
                    -0x1.aebbb1647a168p-5, 0x1.841dcf603a209p-5, -0x1.5d02278205cc7p-5, 0x1.3328700bb8169p-5,
                    -0x1.00390504e9f2fp-5, 0x1.843f4bca23369p-6, -0x1.fd0e4de8fed90p-7, 0x1.123baedb61abdp-7,
                    -0x1.ca3677db66678p-9, 0x1.1325b2f8964bep-10, -0x1.a359b96a4eee4p-13, 0x1.2f07811f9f6e9p-16);
}

/// The right angle: the number nearest to it, and what that leaves out.
template <class Scalar>
struct quarter_turn {
  static constexpr Scalar high = 0x1.921fb54442d18p+0;
  static constexpr Scalar low = 0x1.1a62633145c07p-54;
};
template <>
struct quarter_turn<float> {
  static constexpr float high = 0x1.921fb6p+0f;
  static constexpr float low = -0x1.777a5cp-25f;
};

}  // namespace detail

/// The number nearest to pi.
template <class Scalar>
inline constexpr Scalar half_turn = 2 * detail::quarter_turn<Scalar>::high;

/// The angle from the x axis to (x, y), in radians from -half_turn to half_turn: atan2(y, x), the same bits on every
/// compiler, flag and backend.
///
/// Off by less than 2.5e-7 rad in float and 4.5e-16 rad in double; and by less than 1.6e-7 and 3.5e-16 of the angle,
/// unless the ratio of the coordinates underflows. 0 for (0, 0). A y of -0 counts as 0, so that the angle behind is
/// half_turn. NaN if a coordinate is NaN or both are infinite. A division and a polynomial of 9 or 20 terms; O(1),
/// thread-safe.
/// @param y, x  of any size: nothing overflows
template <class Scalar>
FARPOINT_HD FARPOINT_ALWAYS_INLINE Scalar angle_of(Scalar y, Scalar x) noexcept {
  Scalar const across = x < 0 ? -x : x;
  Scalar const up = y < 0 ? -y : y;
  bool const steep = up > across;
  Scalar const larger = steep ? up : across;
  // The sum is 0, or NaN.
  if (!(larger > 0)) return add_rn(add_rn(across, up), Scalar(0));
  Scalar const tangent = div_rn(steep ? across : up, larger);
  Scalar const square = mul_rn(tangent, tangent);
  Scalar const small_angle = fma_rn(mul_rn(tangent, square), detail::arctangent_series(square), tangent);
  // The nearest axis, and the angle from there.
  Scalar const quarters = steep ? Scalar(1) : x < 0 ? Scalar(2) : Scalar(0);
  Scalar const turned = steep != (x < 0) ? -small_angle : small_angle;
  Scalar const angle =
      fma_rn(quarters, detail::quarter_turn<Scalar>::high, fma_rn(quarters, detail::quarter_turn<Scalar>::low, turned));
  return y < 0 ? -angle : angle;
}

FARPOINT_END_NAMESPACE

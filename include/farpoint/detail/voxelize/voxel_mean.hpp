/// @file
/// The mean of a voxel's points, the same bits on every backend.
#pragma once

#include <farpoint/core/math.hpp>

#include <cstring>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Returns the value; every NaN has the same bits. The bits of a computed NaN depend on the processor.
template <class Scalar>
FARPOINT_HD FARPOINT_ALWAYS_INLINE Scalar with_one_nan(Scalar value) noexcept {
  if (!is_nan(value)) return value;
  using word = std::conditional_t<sizeof(Scalar) == 8, std::uint64_t, std::uint32_t>;
  constexpr word bits = sizeof(Scalar) == 8 ? word(0x7ff8000000000000) : word{0x7fc00000};
  Scalar nan;
  std::memcpy(&nan, &bits, sizeof nan);
  return nan;
}

/// sum / count, rounded once; every NaN has the same bits.
/// @tparam Count  unsigned, of 32 or 64 bits
template <class Scalar, class Count>
FARPOINT_HD FARPOINT_ALWAYS_INLINE Scalar voxel_mean(Scalar sum, Count count) noexcept {
  static_assert(std::is_unsigned_v<Count>, "farpoint: a count of points is unsigned");
  return with_one_nan(div_rn(sum, static_cast<Scalar>(count)));
}

}  // namespace detail
FARPOINT_END_NAMESPACE

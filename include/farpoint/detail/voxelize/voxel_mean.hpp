/// @file
/// The mean of a voxel's points, the same bits on every backend.
#pragma once

#include <farpoint/core/math.hpp>

#include <cstring>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// sum / count, rounded once; every NaN has the same bits.
/// @tparam Count  unsigned, of 32 or 64 bits
template <class Scalar, class Count>
FARPOINT_HD FARPOINT_ALWAYS_INLINE Scalar voxel_mean(Scalar sum, Count count) noexcept {
  static_assert(std::is_unsigned_v<Count>, "farpoint: a count of points is unsigned");
  Scalar const mean = div_rn(sum, static_cast<Scalar>(count));
  if (!is_nan(mean)) return mean;
  using word = std::conditional_t<sizeof(Scalar) == 8, std::uint64_t, std::uint32_t>;
  constexpr word bits = sizeof(Scalar) == 8 ? word(0x7ff8000000000000) : word{0x7fc00000};
  Scalar nan;
  std::memcpy(&nan, &bits, sizeof nan);
  return nan;
}

}  // namespace detail
FARPOINT_END_NAMESPACE

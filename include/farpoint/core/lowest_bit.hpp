/// @file
#pragma once

#include <farpoint/core/types.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Number of the lowest bit that is set; there must be one.
FARPOINT_HD FARPOINT_ALWAYS_INLINE int lowest_bit(std::uint32_t bits) noexcept {
#if defined(__CUDA_ARCH__)
  return __ffs(static_cast<int>(bits)) - 1;
#elif defined(__GNUC__)
  return __builtin_ctz(bits);
#else
  int bit = 0;
  for (; (bits & 1u) == 0; bits >>= 1) ++bit;
  return bit;
#endif
}

FARPOINT_HD FARPOINT_ALWAYS_INLINE int lowest_bit(std::uint64_t bits) noexcept {
#if defined(__CUDA_ARCH__)
  return __ffsll(static_cast<long long>(bits)) - 1;
#elif defined(__GNUC__)
  return __builtin_ctzll(bits);
#else
  auto const low = static_cast<std::uint32_t>(bits);
  return low != 0 ? lowest_bit(low) : 32 + lowest_bit(static_cast<std::uint32_t>(bits >> 32));
#endif
}

}  // namespace detail
FARPOINT_END_NAMESPACE

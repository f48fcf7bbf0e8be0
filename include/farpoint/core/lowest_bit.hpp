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

}  // namespace detail
FARPOINT_END_NAMESPACE

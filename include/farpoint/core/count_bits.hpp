/// @file
#pragma once

#include <farpoint/core/types.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Number of bits that are set.
FARPOINT_HD FARPOINT_ALWAYS_INLINE std::uint32_t count_bits(std::uint32_t bits) noexcept {
#if defined(__CUDA_ARCH__)
  return static_cast<std::uint32_t>(__popc(bits));
#elif defined(__GNUC__)
  return static_cast<std::uint32_t>(__builtin_popcount(bits));
#else
  std::uint32_t count = 0;
  for (; bits != 0; bits &= bits - 1) ++count;
  return count;
#endif
}

}  // namespace detail
FARPOINT_END_NAMESPACE

/// @file
/// Bits of unsigned integers: how many are set, and which is the lowest.
#pragma once

#include <farpoint/core/types.hpp>

#include <cstring>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

FARPOINT_HD FARPOINT_ALWAYS_INLINE std::uint32_t float_bits(float value) noexcept {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}
FARPOINT_HD FARPOINT_ALWAYS_INLINE float float_of_bits(std::uint32_t bits) noexcept {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/// Number of bits that are set.
/// @tparam Word  std::uint32_t or std::uint64_t
template <class Word>
FARPOINT_HD FARPOINT_ALWAYS_INLINE std::uint32_t count_bits(Word bits) noexcept {
#if defined(__CUDA_ARCH__)
  return static_cast<std::uint32_t>(sizeof bits == 4 ? __popc(static_cast<std::uint32_t>(bits)) : __popcll(bits));
#elif defined(__GNUC__)
  return static_cast<std::uint32_t>(sizeof bits == 4 ? __builtin_popcount(static_cast<std::uint32_t>(bits))
                                                     : __builtin_popcountll(bits));
#else
  std::uint32_t count = 0;
  for (; bits != 0; bits &= bits - 1) ++count;
  return count;
#endif
}

/// Number of the lowest bit that is set; there must be one.
/// @tparam Word  std::uint32_t or std::uint64_t
template <class Word>
FARPOINT_HD FARPOINT_ALWAYS_INLINE int lowest_bit(Word bits) noexcept {
#if defined(__CUDA_ARCH__)
  return (sizeof bits == 4 ? __ffs(static_cast<int>(bits)) : __ffsll(static_cast<long long>(bits))) - 1;
#elif defined(__GNUC__)
  return sizeof bits == 4 ? __builtin_ctz(static_cast<std::uint32_t>(bits)) : __builtin_ctzll(bits);
#else
  int bit = 0;
  for (; (bits & 1u) == 0; bits >>= 1) ++bit;
  return bit;
#endif
}

/// False for 0.
template <class Word>
FARPOINT_HD constexpr bool is_power_of_two(Word word) noexcept {
  return word > 0 && (word & (word - 1)) == 0;
}

}  // namespace detail
FARPOINT_END_NAMESPACE

/// @file
/// IEEE 754 binary16 as a storage type, and conversions from and to float.
#pragma once

#include <farpoint/core/types.hpp>

#include <cstring>

// CUDA's, whose header is not needed to know its name.
struct __half;

FARPOINT_BEGIN_NAMESPACE

/// IEEE 754 binary16 (half precision), for storage only: 2 bytes, the bits of CUDA's `__half` and of `_Float16`.
///
/// The widening to float is exact, so host and device agree to the bit. NaN stays NaN.
struct float16 {
  std::uint16_t bits;

  FARPOINT_HD explicit operator float() const noexcept {
    std::uint32_t const sign = (bits & 0x8000u) << 16;
    std::uint32_t const exponent = (bits >> 10) & 0x1fu;
    std::uint32_t const mantissa = bits & 0x3ffu;
    if (exponent == 0) {
      // Zero and subnormals: an integer times 2^-24, exact in float.
      float const magnitude = static_cast<float>(mantissa) * 5.9604644775390625e-8f;
      return sign ? -magnitude : magnitude;
    }
    std::uint32_t const widened = exponent == 31 ? 0x7f800000u : (exponent + 112u) << 23;
    std::uint32_t const word = sign | widened | (mantissa << 13);
    float value;
    std::memcpy(&value, &word, sizeof value);
    return value;
  }
};

/// True for types of 2 bytes that are binary16 numbers in memory, which farpoint then reads and writes as float16:
/// float16 itself, CUDA's `__half`, and `_Float16`. Specialize it for another.
template <class T>
inline constexpr bool is_binary16 = false;
template <>
inline constexpr bool is_binary16<float16> = true;
template <>
inline constexpr bool is_binary16<__half> = true;
#if defined(__FLT16_MANT_DIG__) && (!defined(__GNUC__) || defined(__clang__) || __GNUC__ >= 13)
template <>
inline constexpr bool is_binary16<_Float16> = true;
#endif

namespace detail {
/// Type by which farpoint reads a T from memory: float16 for binary16 numbers, else T.
template <class T>
using stored = std::conditional_t<is_binary16<T>, float16, T>;
}  // namespace detail

/// The nearest float16, ties to even: +-inf from 65,520 on, NaN stays NaN. Every backend gives the same bits.
FARPOINT_HD inline float16 to_float16(float value) noexcept {
  std::uint32_t word;
  std::memcpy(&word, &value, sizeof word);
  std::uint32_t const sign = (word >> 16) & 0x8000u;
  std::uint32_t const magnitude = word & 0x7fffffffu;
  std::uint32_t half;
  if (magnitude > 0x7f800000u) {
    half = 0x7e00u | (magnitude >> 13 & 0x3ffu);
  } else if (magnitude >= 0x477ff000u) {
    half = 0x7c00u;
  } else if (magnitude < 0x33000001u) {
    half = 0;  // at most half of the smallest subnormal
  } else {
    // A subnormal half has its leading bit in the mantissa and shifts it down; rounding may carry into the exponent,
    // which is what it should do.
    std::uint32_t const exponent = magnitude >> 23;
    bool const subnormal = exponent < 113;
    std::uint32_t const shift = subnormal ? 126 - exponent : 13;
    std::uint32_t const mantissa = subnormal ? (magnitude & 0x7fffffu) | 0x800000u : magnitude - (112u << 23);
    std::uint32_t const rest = mantissa & ((1u << shift) - 1);
    std::uint32_t const middle = 1u << (shift - 1);
    half = mantissa >> shift;
    if (rest > middle || (rest == middle && (half & 1u) != 0)) ++half;
  }
  return {static_cast<std::uint16_t>(sign | half)};
}

FARPOINT_END_NAMESPACE

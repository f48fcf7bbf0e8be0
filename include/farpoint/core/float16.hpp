/// @file
/// IEEE 754 binary16 as a storage type.
#pragma once

#include <farpoint/core/types.hpp>

#include <cstring>

FARPOINT_BEGIN_NAMESPACE

/// IEEE 754 binary16 (half precision), for storage only: 2 bytes, the bits of CUDA's `__half` and of `_Float16`.
///
/// The widening to float is exact, so host and device agree to the bit. NaN stays NaN.
struct float16 {
  std::uint16_t bits;

  FARPOINT_HD explicit operator float() const noexcept {
    std::uint32_t const sign = static_cast<std::uint32_t>(bits & 0x8000u) << 16;
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

FARPOINT_END_NAMESPACE

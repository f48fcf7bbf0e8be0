// Points in plain memory, in any record format.
#pragma once

#include <farpoint/core/points.hpp>

#include <array>
#include <cmath>
#include <cstring>
#include <vector>

namespace farpoint_tests {

using farpoint::index_t;

/// Layout of coordinates in a record.
template <int Dim>
struct basic_record_format {
  index_t stride = 0;  ///< bytes; 0: packed
  std::array<int, Dim> offsets{};
  std::size_t shift = 0;  ///< bytes between an aligned address and the first record
  bool reversed = false;  ///< negative stride
};
using record_format = basic_record_format<3>;

/// One float as binary16, rounded to nearest even; enough range checking for tests.
inline farpoint::float16 to_float16(float value) {
  std::uint32_t word;
  std::memcpy(&word, &value, sizeof word);
  auto const sign = static_cast<std::uint16_t>((word >> 16) & 0x8000u);
  if (std::isnan(value)) return {static_cast<std::uint16_t>(sign | 0x7e00u)};
  float const magnitude = std::fabs(value);
  if (magnitude >= 65520.0f) return {static_cast<std::uint16_t>(sign | 0x7c00u)};
  if (magnitude < 0x1p-14f)
    return {static_cast<std::uint16_t>(sign | static_cast<std::uint16_t>(std::nearbyint(magnitude * 0x1p24f)))};
  int exponent = 0;
  float const fraction = std::frexp(magnitude, &exponent);  // in [0.5, 1)
  auto const mantissa = static_cast<int>(std::nearbyint(fraction * 2048.0f)) - 1024;
  return {static_cast<std::uint16_t>(sign | (((exponent + 14) << 10) + mantissa))};
}

template <class Coord>
Coord to_coord(double value) {
  if constexpr (std::is_same_v<Coord, farpoint::float16>) {
    return to_float16(static_cast<float>(value));
  } else {
    return static_cast<Coord>(value);
  }
}

}  // namespace farpoint_tests

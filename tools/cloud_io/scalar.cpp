#include "scalar.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace farpoint_tools {

namespace {

template <class To, class From>
To with_same_bits(From bits) {
  static_assert(sizeof(To) == sizeof(From));
  To value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

// Calls `work(Type{})` with the type of a kind.
template <class Work>
auto with_type(scalar_kind kind, Work const& work) {
  switch (kind) {
    case scalar_kind::int8: return work(std::int8_t{});
    case scalar_kind::uint8: return work(std::uint8_t{});
    case scalar_kind::int16: return work(std::int16_t{});
    case scalar_kind::uint16: return work(std::uint16_t{});
    case scalar_kind::int32: return work(std::int32_t{});
    case scalar_kind::uint32: return work(std::uint32_t{});
    case scalar_kind::int64: return work(std::int64_t{});
    case scalar_kind::uint64: return work(std::uint64_t{});
    case scalar_kind::float32: return work(float{});
    case scalar_kind::float64: break;
  }
  return work(double{});
}

// The bits of the nearest value of a type.
template <class Type>
std::uint64_t bits_of(double value, Type) {
  if constexpr (sizeof(Type) == 8 && !std::numeric_limits<Type>::is_integer) {
    return with_same_bits<std::uint64_t>(value);
  } else if constexpr (!std::numeric_limits<Type>::is_integer) {
    // A cast of a double that no float is near to is undefined.
    bool const fits = !(std::fabs(value) > static_cast<double>(std::numeric_limits<float>::max()));
    float const infinity = std::numeric_limits<float>::infinity();
    return with_same_bits<std::uint32_t>(fits ? static_cast<float>(value) : value > 0 ? infinity : -infinity);
  } else {
    if (std::isnan(value)) return 0;
    value = std::nearbyint(value);
    // The largest 64-bit numbers are no doubles: these are the first beyond.
    constexpr double beyond = 2.0 * static_cast<double>(std::uint64_t{1} << (std::numeric_limits<Type>::digits - 1));
    if (value >= beyond) return static_cast<std::uint64_t>(std::numeric_limits<Type>::max());
    auto const least = static_cast<double>(std::numeric_limits<Type>::min());
    return static_cast<std::uint64_t>(static_cast<Type>(std::max(value, least)));
  }
}

}  // namespace

std::size_t size_of(scalar_kind kind) {
  return with_type(kind, [](auto type) { return sizeof type; });
}

char const* name_of(scalar_kind kind) {
  constexpr char const* names[] = {"int8",   "uint8", "int16",  "uint16",  "int32",
                                   "uint32", "int64", "uint64", "float32", "float64"};
  return names[static_cast<int>(kind)];
}

bool is_whole(scalar_kind kind) {
  return kind != scalar_kind::float32 && kind != scalar_kind::float64;
}

bool fits_float32(scalar_kind kind) {
  return kind == scalar_kind::float32 || (is_whole(kind) && size_of(kind) <= 2);
}

double decode(char const* bytes, scalar_kind kind, byte_order order) {
  auto const size = size_of(kind);
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < size; ++i) {
    auto const byte = static_cast<unsigned char>(bytes[order == byte_order::big ? i : size - 1 - i]);
    bits = bits << 8 | byte;
  }
  if (kind == scalar_kind::float32) return with_same_bits<float>(static_cast<std::uint32_t>(bits));
  if (kind == scalar_kind::float64) return with_same_bits<double>(bits);
  return with_type(kind, [bits](auto type) { return static_cast<double>(static_cast<decltype(type)>(bits)); });
}

void encode(double value, char* bytes, scalar_kind kind, byte_order order) {
  auto const size = size_of(kind);
  auto const bits = with_type(kind, [value](auto type) { return bits_of(value, type); });
  for (std::size_t i = 0; i < size; ++i) {
    bytes[order == byte_order::little ? i : size - 1 - i] = static_cast<char>(bits >> (8 * i) & 0xff);
  }
}

}  // namespace farpoint_tools

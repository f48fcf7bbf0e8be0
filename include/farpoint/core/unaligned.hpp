/// @file
#pragma once

#include <farpoint/core/config.hpp>

#include <cstring>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// The value at an address that may be aligned for bytes only: an unaligned load faults on a GPU.
template <class Value>
FARPOINT_HD Value load_bytes(unsigned char const* address) noexcept {
  Value value;
#if defined(__CUDA_ARCH__)
  auto* const copy = reinterpret_cast<unsigned char*>(&value);
  for (unsigned byte = 0; byte < sizeof value; ++byte) copy[byte] = address[byte];
#else
  std::memcpy(&value, address, sizeof value);
#endif
  return value;
}

/// The value at an address, loaded byte by byte only where `aligned` is false.
template <class Value>
FARPOINT_HD Value load(unsigned char const* address, bool aligned) noexcept {
  // Not a ?: of numbers, of which clang++ -ffast-math takes for granted that it is not NaN.
  if (aligned) return *reinterpret_cast<Value const*>(address);
  return load_bytes<Value>(address);
}

}  // namespace detail
FARPOINT_END_NAMESPACE

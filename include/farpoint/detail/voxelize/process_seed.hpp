/// @file
/// Random number of this process.
#pragma once

#include <farpoint/core/config.hpp>

#include <chrono>
#include <cstdint>
#include <random>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Returns 64 random bits, never 0. Other processes cannot predict them if the system provides random numbers.
inline std::uint64_t draw_seed() noexcept {
  // Fallback without random numbers: the time, and the address of a local variable.
  auto const now = static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
  std::uint64_t seed = now ^ reinterpret_cast<std::uintptr_t>(&now) << 16;
#if defined(__cpp_exceptions)
  try {
    std::random_device source;
    seed ^= static_cast<std::uint64_t>(source()) << 32 | source();
  } catch (...) {
  }
#endif
  return seed != 0 ? seed : 1;
}

/// Returns the number that the first call draws.
inline std::uint64_t process_seed() noexcept {
  static std::uint64_t const seed = draw_seed();
  return seed;
}

}  // namespace detail
FARPOINT_END_NAMESPACE

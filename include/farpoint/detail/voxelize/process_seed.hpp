/// @file
/// A random number of this process.
#pragma once

#include <farpoint/core/config.hpp>

#include <chrono>
#include <cstdint>
#include <random>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// 64 bits that nobody outside of this process can know, as far as the system has random numbers. Never 0.
inline std::uint64_t draw_seed() noexcept {
  // What is left where there are none: the time, and where the system has put this process.
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

/// The same number in every call. The first call draws it.
inline std::uint64_t process_seed() noexcept {
  static std::uint64_t const seed = draw_seed();
  return seed;
}

}  // namespace detail
FARPOINT_END_NAMESPACE

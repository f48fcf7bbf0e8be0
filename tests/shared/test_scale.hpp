// How much to test. Under ThreadSanitizer a problem takes ten times as long, and threads race in one problem as in
// another of its kind: there are fewer of them. AddressSanitizer's builds have all.
#pragma once

#include <cstdint>

#if defined(__SANITIZE_THREAD__)
#define FARPOINT_TESTS_FOR_RACES 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define FARPOINT_TESTS_FOR_RACES 1
#endif
#endif

namespace farpoint_tests {

#if defined(FARPOINT_TESTS_FOR_RACES)
inline constexpr bool for_races = true;
#else
inline constexpr bool for_races = false;
#endif

/// `count` random problems, or a tenth of them.
constexpr std::uint64_t rounds(std::uint64_t count) noexcept {
  return for_races ? (count + 9) / 10 : count;
}

}  // namespace farpoint_tests

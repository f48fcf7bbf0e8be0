// How much to test. Under ThreadSanitizer a problem takes ten times as long, and threads race in one problem as in
// another of its kind: there are fewer of them. AddressSanitizer's builds have all kinds of problems, and of random
// ones fewer: what an answer is, the build without a sanitizer asks of each.
#pragma once

#include <cstdint>
#include <cstdlib>

#if defined(__SANITIZE_THREAD__)
#define FARPOINT_TESTS_FOR_RACES 1
#elif defined(__SANITIZE_ADDRESS__)
#define FARPOINT_TESTS_FOR_MEMORY 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define FARPOINT_TESTS_FOR_RACES 1
#elif __has_feature(address_sanitizer)
#define FARPOINT_TESTS_FOR_MEMORY 1
#endif
#endif

namespace farpoint_tests {

#if defined(FARPOINT_TESTS_FOR_RACES)
inline constexpr bool for_races = true;
#else
inline constexpr bool for_races = false;
#endif

#if defined(FARPOINT_TESTS_FOR_MEMORY)
inline constexpr bool for_memory = true;
#else
inline constexpr bool for_memory = false;
#endif

/// `count` random problems, or rows that brute force answers; a tenth of them for races, a third for memory.
constexpr std::uint64_t rounds(std::uint64_t count) noexcept {
  std::uint64_t const part = for_races ? 10 : for_memory ? 3 : 1;
  return (count + part - 1) / part;
}

/// The same for tests of several ranks: a tenth under compute-sanitizer, of which FARPOINT_SANITIZED says that it
/// watches. Its racecheck does not get through a hundred problems of fps_shard() in nine minutes.
inline std::uint64_t problems(std::uint64_t count) {
  return std::getenv("FARPOINT_SANITIZED") != nullptr ? count / 10 : count;
}

/// Of cases that differ in numbers and not in what threads do, one in seven is run for races: a loop asks skip() in
/// each.
class few_for_races {
 public:
  bool skip() noexcept { return for_races && count_++ % 7 != 0; }

 private:
  std::uint64_t count_ = 0;
};

}  // namespace farpoint_tests

// Number of problems to test. Under ThreadSanitizer a problem takes ten times longer, and threads race in each problem
// of a kind alike, so fewer problems run. Builds with AddressSanitizer run all kinds of problems, but fewer random
// ones. Only the build without sanitizers checks the answers of all problems.
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

/// Number of random problems, or of rows for brute force: `count`, a tenth of it for races, a third of it for memory.
constexpr std::uint64_t rounds(std::uint64_t count) noexcept {
  std::uint64_t const part = for_races ? 10 : for_memory ? 3 : 1;
  return (count + part - 1) / part;
}

/// Number of random problems of several ranks: `count`, or a tenth under compute-sanitizer, whose runs set
/// FARPOINT_SANITIZED. Its racecheck takes more than nine minutes for a hundred problems of fps_shard().
inline std::uint64_t problems(std::uint64_t count) {
  return std::getenv("FARPOINT_SANITIZED") != nullptr ? count / 10 : count;
}

/// Skips six of seven cases in builds for races. For loops over cases that differ in numbers, but not in the threads'
/// synchronization; skip() is called once per case.
class few_for_races {
 public:
  bool skip() noexcept { return for_races && count_++ % 7 != 0; }

 private:
  std::uint64_t count_ = 0;
};

}  // namespace farpoint_tests

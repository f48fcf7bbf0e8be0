// Catch2 2.13 (Debian 12) and 3.4 (Ubuntu 24.04) under one name.
#pragma once

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
namespace Catch::Matchers {
inline StdString::ContainsMatcher ContainsSubstring(std::string const& text) {
  return Contains(text);
}
}  // namespace Catch::Matchers
#endif

// Each assertion of Catch2 3 saves nvcc's warning state and restores it. After some of these pragmas, other headers'
// included, cudafe++ 13.0 does not end, so assertions go without them.
#if defined(__CUDACC__) && defined(CATCH_VERSION_MAJOR) && CATCH_VERSION_MAJOR >= 3
#undef CATCH_INTERNAL_START_WARNINGS_SUPPRESSION
#undef CATCH_INTERNAL_STOP_WARNINGS_SUPPRESSION
#undef CATCH_INTERNAL_SUPPRESS_UNUSED_VARIABLES_WARNINGS
#define CATCH_INTERNAL_START_WARNINGS_SUPPRESSION
#define CATCH_INTERNAL_STOP_WARNINGS_SUPPRESSION
#define CATCH_INTERNAL_SUPPRESS_UNUSED_VARIABLES_WARNINGS
#endif

// Cases that a build with a sanitizer never runs, tagged [numbers], [one_thread] or [slow], are templates there that
// are never instantiated: parsed, but no code is generated.
#define FARPOINT_UNBUILT_CASE \
  template <int>              \
  static void INTERNAL_CATCH_UNIQUE_NAME(unbuilt_case_)()
#if defined(FARPOINT_TESTS_WITHOUT_NUMBERS)
#define NUMBERS_TEST_CASE(...) FARPOINT_UNBUILT_CASE
#else
#define NUMBERS_TEST_CASE(...) TEST_CASE(__VA_ARGS__)
#endif
#if defined(FARPOINT_TESTS_WITHOUT_ONE_THREAD)
#define ONE_THREAD_TEST_CASE(...) FARPOINT_UNBUILT_CASE
#else
#define ONE_THREAD_TEST_CASE(...) TEST_CASE(__VA_ARGS__)
#endif
#if defined(FARPOINT_TESTS_WITHOUT_SLOW)
#define SLOW_TEST_CASE(...) FARPOINT_UNBUILT_CASE
#else
#define SLOW_TEST_CASE(...) TEST_CASE(__VA_ARGS__)
#endif

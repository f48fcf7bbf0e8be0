// Comparison of answers to the last bit, for all functions, and messages about the first difference.
#pragma once

#include <farpoint/core/status.hpp>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace farpoint_tests {

/// Equal to the last bit: memcmp, so that -0 and NaN would show.
template <class T>
bool same_bits(std::vector<T> const& a, std::vector<T> const& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

/// Describes the first difference of two arrays; empty if they are equal.
template <class T>
std::string difference_in(char const* name, std::vector<T> const& a, std::vector<T> const& b) {
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
    if (std::memcmp(&a[i], &b[i], sizeof(T)) == 0) continue;
    return std::string{name} + "[" + std::to_string(i) + "]: " + std::to_string(a[i]) + " / " + std::to_string(b[i]) +
           "; ";
  }
  return a.size() == b.size() ? std::string{} : std::string{name} + " differ in size; ";
}

inline std::string difference_in_outcome(farpoint::result const& a, farpoint::result const& b) {
  return a.code == b.code ? std::string{} : std::string{"outcome: "} + a.reason + " / " + b.reason;
}

/// The outcome of a call that wrote where it must not.
inline constexpr farpoint::result memory_was_written{farpoint::status::bad_argument, -1,
                                                     "test: memory was written that must not be"};

/// Calls function(std::int64_t{}) if the problem is wide, else function(std::int32_t{}).
template <class Problem, class Function>
auto with_index_type(Problem const& problem, Function const& function) {
  return problem.wide ? function(std::int64_t{}) : function(std::int32_t{});
}

}  // namespace farpoint_tests

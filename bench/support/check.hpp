/// @file
/// Throws where a farpoint call fails.
#pragma once

#include <farpoint/core/describe.hpp>

#include <stdexcept>
#include <string>

namespace farpoint_bench {

/// Throws unless the call succeeded. @param what  names the call
inline void check(farpoint::result outcome, char const* what) {
  if (outcome) return;
  throw std::runtime_error{std::string{what} + ": " + farpoint::to_string(outcome.code) + ", " +
                           farpoint::describe(outcome)};
}

}  // namespace farpoint_bench

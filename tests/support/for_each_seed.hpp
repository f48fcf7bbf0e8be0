// Random problems, each of its own seed.
#pragma once

#include <cstdint>

#include "catch.hpp"

namespace farpoint_tests {

/// Calls `check(seed)` for the seeds below `count`; a failure names the seed.
template <class Check>
void for_each_seed(std::uint64_t count, Check const& check) {
  for (std::uint64_t seed = 0; seed < count; ++seed) {
    CAPTURE(seed);
    check(seed);
  }
}

}  // namespace farpoint_tests

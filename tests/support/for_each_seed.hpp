// Random problems, each of its own seed.
#pragma once

#include <cstdint>

#include "catch.hpp"

namespace farpoint_tests {

/// `check(seed)` for so many seeds; what fails says which.
template <class Check>
void for_each_seed(std::uint64_t count, Check const& check) {
  for (std::uint64_t seed = 0; seed < count; ++seed) {
    CAPTURE(seed);
    check(seed);
  }
}

}  // namespace farpoint_tests

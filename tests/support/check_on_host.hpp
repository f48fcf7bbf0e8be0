/// @file
/// Runs a call on host threads, and compares its outputs with those of a plain loop.
#pragma once

#include <farpoint/core/host_exec.hpp>
#include <farpoint/core/status.hpp>

#include "call_memory.hpp"
#include "catch.hpp"

namespace farpoint_tests {

/// @param problem  run(exec, memory) makes the call, expected() returns the bytes of each output
template <class Problem>
void check_on_host(Problem const& problem) {
  auto const expected = problem.expected();
  for (int const threads : {1, 3}) {
    CAPTURE(threads);
    call_memory<host_space> memory;
    farpoint::result const outcome = problem.run(farpoint::host_exec{threads}, memory);
    INFO(outcome.reason);
    REQUIRE(outcome);
    auto const outputs = memory.outputs();
    REQUIRE(outputs.size() == expected.size());
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      CAPTURE(i);
      bool const is_equal = outputs[i] == expected[i];
      CHECK(is_equal);
    }
    CHECK(memory.intact());
  }
}

}  // namespace farpoint_tests

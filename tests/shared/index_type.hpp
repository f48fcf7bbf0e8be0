// The type of indices that a problem asks for.
#pragma once

#include <cstdint>

namespace farpoint_tests {

/// Calls `function` with a zero of the type of a problem's indices.
template <class Problem, class Function>
auto with_index_type(Problem const& problem, Function const& function) {
  return problem.wide ? function(std::int64_t{}) : function(std::int32_t{});
}

}  // namespace farpoint_tests

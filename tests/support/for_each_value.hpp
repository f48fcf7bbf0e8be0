// Template arguments in a list.
#pragma once

#include <type_traits>

namespace farpoint_tests {

/// Calls `function(std::integral_constant<int, Value>{})` with each value.
template <int... Values, class Function>
void for_each_value(Function const& function) {
  (function(std::integral_constant<int, Values>{}), ...);
}

}  // namespace farpoint_tests

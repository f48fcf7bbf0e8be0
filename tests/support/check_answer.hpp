// Checks an answer against another one, and says where they part.
#pragma once

#include <initializer_list>
#include <string>

#include "catch.hpp"

namespace farpoint_tests {

/// @param what  says which answer it is, where that is not plain
template <class Answer>
void check_answer(Answer const& found, Answer const& expected, std::string const& what = "the answer") {
  INFO(what << ": " << difference(found, expected));
  CHECK(same_answer(found, expected));
}

/// Checks that all outputs are the same; a failure names the output by its number.
inline void check_all(std::initializer_list<bool> same) {
  int number = 0;
  for (bool const one : same) {
    INFO("output " << number++);
    CHECK(one);
  }
}

}  // namespace farpoint_tests

// Checks an answer against another one, and says where they part.
#pragma once

#include <string>

#include "../catch.hpp"

namespace farpoint_tests {

/// @param what  says which answer it is, where that is not plain
template <class Answer>
void check_answer(Answer const& found, Answer const& expected, std::string const& what = "the answer") {
  INFO(what << ": " << difference(found, expected));
  CHECK(same_answer(found, expected));
}

}  // namespace farpoint_tests

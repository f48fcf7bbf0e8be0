// Catch2's own code, which takes long to compile, once for all programs of tests; some have a main() of their own.
#pragma once

#include <cstddef>

namespace farpoint_tests {

/// Runs the test cases that the arguments select, as Catch2's main() does.
/// @return what main() returns
int run_tests(int argc, char** argv);

/// Number of test cases of this program. Not before or after run_tests().
std::size_t count_tests();

}  // namespace farpoint_tests

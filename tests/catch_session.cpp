#include "catch_session.hpp"

// Of Catch2 2, which is one header; Catch2 3 has a library.
#define CATCH_CONFIG_RUNNER
#include "catch.hpp"

namespace farpoint_tests {

int run_tests(int argc, char** argv) {
  return Catch::Session{}.run(argc, argv);
}

std::size_t count_tests() {
  Catch::Session session;
  return Catch::getAllTestCasesSorted(session.config()).size();
}

}  // namespace farpoint_tests

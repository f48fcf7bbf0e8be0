#include "catch_session.hpp"

// Catch2 2 is one header, of which this is where its own code is compiled, unless the distribution has done that;
// Catch2 3 has a library.
#if defined(FARPOINT_CATCH2_MAIN)
extern "C" int FARPOINT_CATCH2_MAIN(int argc, char** argv);
#else
#define CATCH_CONFIG_RUNNER
#endif
#include "catch.hpp"

namespace farpoint_tests {

int run_tests(int argc, char** argv) {
#if defined(FARPOINT_CATCH2_MAIN)
  return FARPOINT_CATCH2_MAIN(argc, argv);
#else
  return Catch::Session{}.run(argc, argv);
#endif
}

std::size_t count_tests() {
#if defined(FARPOINT_CATCH2_MAIN)
  return Catch::getRegistryHub().getTestCaseRegistry().getAllTests().size();
#else
  Catch::Session session;
  return Catch::getAllTestCasesSorted(session.config()).size();
#endif
}

}  // namespace farpoint_tests

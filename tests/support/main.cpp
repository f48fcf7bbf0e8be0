// main() of programs of tests that have no other.
#include "catch_session.hpp"

int main(int argc, char** argv) {
  return farpoint_tests::run_tests(argc, argv);
}

// fps() on host_exec: points of other dimensions than 3.
#include "../../support/catch.hpp"
#include "../fps_scans.hpp"

using namespace farpoint_tests;

namespace {

template <class Problem>
auto solve(Problem const& problem) {
  return host_exec_answer(problem);
}

}  // namespace

#define BACKEND_NAME "host"
#define BACKEND_TAG "[host]"
#include "../fps_dim_tests.inc"

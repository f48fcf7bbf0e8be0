// fps() on cuda_exec: the shared cases with several choices of kernels.
#include <memory>

#include "../../support/catch.hpp"
#include "../fps_scans.hpp"
#include "every_kernel.cuh"

using namespace farpoint_tests;

namespace {

template <class Problem>
auto solve(Problem const& problem) {
  auto const answer = solve_on_device<farpoint::fps_selector>(problem);
  check_kernels(problem, answer);
  return answer;
}

}  // namespace

// host_exec is held against the serial loop in the host tests.
#define FPS_SCAN_ORACLE host_exec_answer
#define BACKEND_NAME "device"
#define BACKEND_TAG "[device]"
#include "../fps_tests.inc"

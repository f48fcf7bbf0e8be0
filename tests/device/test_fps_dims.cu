// fps() on cuda_exec for points of other dimensions than 3.
#include "../catch.hpp"
#include "solve_on_device.cuh"

using namespace farpoint_tests;

namespace {

template <class Problem>
auto solve(Problem const& problem) {
  return solve_on_device<farpoint::fps_selector>(problem);
}

}  // namespace

#define BACKEND_NAME "device"
#define BACKEND_TAG "[device]"
#include "../shared/fps_dim_tests.inc"

// voxelize() on cuda_exec: the shared cases.
#include "../catch.hpp"
#include "../shared/voxelize_random.hpp"
#include "voxelize_on_device.cuh"

using namespace farpoint_tests;

namespace {

template <class Problem>
voxelize_answer solve(Problem const& problem) {
  return voxelize_on_device<farpoint::voxelize_selector>(problem);
}

}  // namespace

#define BACKEND_NAME "device"
#define BACKEND_TAG "[device]"
#include "../shared/voxelize_tests.inc"

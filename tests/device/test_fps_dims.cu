// fps() on cuda_exec for points of other dimensions than 3.
#include "../catch.hpp"
#include "solve_on_device.cuh"

using namespace farpoint_tests;

namespace {

/// Not all shapes: every dimension is another set of kernels to compile.
struct few_shapes : farpoint::fps_selector {
  static constexpr farpoint::fps_block_tuning blocks[] = {{64, 4}, {512, 2}, {512, 8}};
  static constexpr farpoint::fps_block_tuning rounds_blocks[] = {{512, 20}};
};

template <class Problem>
auto solve(Problem const& problem) {
  return solve_on_device<few_shapes>(problem);
}

}  // namespace

#define BACKEND_NAME "device"
#define BACKEND_TAG "[device]"
#include "../shared/fps_dim_tests.inc"

// fps() on cuda_exec: the shared cases with several choices of kernels.
#include <memory>

#include "../catch.hpp"
#include "solve_on_device.cuh"

using namespace farpoint_tests;

namespace {

/// Odd block sizes and small capacities: other kernels than the default for the same clouds.
struct odd_selector {
  static constexpr farpoint::fps_block_tuning blocks[] = {{33, 3}, {96, 11}};
  static constexpr int streaming_block_size = 160;
};

template <class Problem>
auto solve(Problem const& problem) {
  auto const answer = solve_on_device<farpoint::fps_selector>(problem);
  auto const other = solve_on_device<odd_selector>(problem);
  INFO("another choice of kernels: " << difference(other, answer));
  CHECK(same_answer(other, answer));
  return answer;
}

}  // namespace

#define BACKEND_NAME "device"
#define BACKEND_TAG "[device]"
#include "../shared/fps_tests.inc"

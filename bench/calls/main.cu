/// @file
/// Calls as users make them: batches, doubles, few points, and the layers of PointNet++. See README.md.

#include "calls/calls.hpp"
#include "support/cuda_suite.cuh"

namespace farpoint_bench {

int run_program(arguments const& wished) {
  register_fps_calls(wished.flush_l2);
  register_neighbor_calls(wished.flush_l2);
  register_pointnet_calls(wished.flush_l2);
  return run_cuda_suite("calls", wished);
}

}  // namespace farpoint_bench

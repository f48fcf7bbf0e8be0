/// @file
/// Calls as users make them: batches, doubles, few points, and the layers of PointNet++. See README.md.

#include "calls/calls.hpp"
#include "support/cuda_suite.cuh"

namespace farpoint_bench {

int run_program(arguments const& args) {
  register_fps_calls(args.flush_l2);
  register_neighbor_calls(args.flush_l2);
  register_small_cloud_calls(args.flush_l2);
  register_pointnet_calls(args.flush_l2);
  return run_cuda_suite("calls", args);
}

}  // namespace farpoint_bench

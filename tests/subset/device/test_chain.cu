// crop_box(), random_subset(), gather() and voxelize() in one graph, which the host reads no count of.
#include <farpoint/gather.cuh>
#include <farpoint/subset/crop_box.cuh>
#include <farpoint/subset/random_subset.cuh>
#include <farpoint/voxelize.cuh>

#include "../chain_problem.hpp"
#include "call_on_device.cuh"

using namespace farpoint_tests;

TEST_CASE("subset, device: a graph of calls finds what the host finds", "[crop_box][random_subset][device][graph]") {
  for_chains([](chain_problem const& problem) { check_on_device(problem); });
}

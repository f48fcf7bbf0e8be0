// Points of two coordinates in searches of three, on a stream and from a graph: the bytes of the loop that the host is
// held against.
#include <farpoint/knn.cuh>
#include <farpoint/radius.cuh>

#include "../../subset/device/call_on_device.cuh"
#include "../planar_problem.hpp"

using namespace farpoint_tests;

TEST_CASE("planar_view, device: lists and rows of a loop over the points of the plane", "[planar][device][graph]") {
  for_planar_problems<float>([](auto const& problem) { check_on_device(problem); });
}

// neighbor_edges() on a stream: the bytes of the plain loops that the host is held against, also from a graph.
#include <farpoint/knn.cuh>
#include <farpoint/radius.cuh>
#include <farpoint/search/neighbor_edges.cuh>

#include "../../subset/device/call_on_device.cuh"
#include "../edges_problem.hpp"
#include "radius_kernels.cuh"

using namespace farpoint_tests;
using farpoint::cuda_exec;
using farpoint::status;

TEST_CASE("neighbor_edges, device: the edges of a loop over lists of all kinds", "[edges][device][graph][sanitize]") {
  for_edges([](auto const& problem) { check_on_device(problem); });
}

TEST_CASE("neighbor_edges, device: lists of many tiles", "[edges][device][graph]") {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    CAPTURE(seed);
    check_on_device(random_edges<std::int32_t>(seed, 200000));
  }
}

TEST_CASE("neighbor_edges, device: a search and its edges in one graph", "[edges][device][graph]") {
  for_edges_of_searches([](auto const& problem) { check_on_device(problem); });
}

TEST_CASE("neighbor_edges, device: a citizen of its stream", "[edges][device]") {
  check_manners(random_edges<std::int64_t>(5, 9000));
}

TEST_CASE("neighbor_edges, device: bad arguments are refused at the door", "[edges][device]") {
  call_memory<farpoint_stress::device_space> memory;
  auto const view = farpoint::point_view<float>{memory.output<float>(30).data(), 10};
  farpoint::batch const cloud{view};
  farpoint::neighbor_lists<float> lists;
  auto const indices = memory.output<std::int32_t>(30);
  lists.indices = indices;
  lists.k = 3;
  farpoint::edges_output<float> const output{memory.output<std::int32_t>(30), memory.output<std::int32_t>(30)};
  cuda_exec const exec{cudaStream_t{}};
  auto const flow = edge_flow::source_to_target;
  CHECK(neighbor_edges(exec, cloud, lists, flow, output, {}).code == status::workspace_too_small);
  std::size_t bound = 0;
  REQUIRE(farpoint::neighbor_edges_workspace_bound(exec, 30, bound));
  CHECK(neighbor_edges_workspace_bytes(exec, cloud, lists) <= bound);
  lists.k = 4;
  CHECK(neighbor_edges(exec, cloud, lists, flow, output, memory.scratch(bound)).code == status::bad_argument);
  CHECK(memory.intact());
}

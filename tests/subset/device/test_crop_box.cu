// crop_box() on a stream: the bytes of the plain loop that the host is held against, also from a graph.
#include <farpoint/subset/crop_box.cuh>

#include "../crop_box_problem.hpp"
#include "call_on_device.cuh"

using namespace farpoint_tests;
using farpoint::cuda_exec;
using farpoint::status;

TEST_CASE("crop_box, device: the answer of a plain loop, for batches of all kinds",
          "[crop_box][device][graph][sanitize]") {
  for_crop_boxes([](auto const& problem) { check_on_device(problem); });
}

TEST_CASE("crop_box, device: clouds of many tiles", "[crop_box][device][graph]") {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    CAPTURE(seed);
    check_on_device(random_crop_box<float>(seed, shape::cube, seed % 2 == 0 ? 2048 * 600 : 1000003));
  }
}

TEST_CASE("crop_box, device: a citizen of its stream", "[crop_box][device]") {
  auto problem = random_crop_box<float>(3, shape::cube, 10000);
  problem.offsets = {0, 2048, 2048, 9999};
  check_manners(problem);
}

TEST_CASE("crop_box, device: bad arguments are refused at the door", "[crop_box][device]") {
  std::vector<std::array<float, 3>> const host(100);
  farpoint::batch const cloud{farpoint::view_points(host)};  // not read
  cuda_exec const exec{cudaStream_t{}};
  farpoint::bounding_box<float> box{{{0, 0, 0}}, {{1, 1, 1}}};
  CHECK(crop_box(exec, cloud, box, {}, {}).code == status::bad_argument);
  std::size_t bound = 0;
  REQUIRE(farpoint::crop_box_workspace_bound<farpoint::point_view<float>>(exec, {100, 1}, bound));
  CHECK(crop_box_workspace_bytes(exec, cloud) <= bound);
  call_memory<farpoint_stress::device_space> memory;
  farpoint::crop_box_output const output{memory.output<std::int32_t>(100), memory.output<index_t>(2), nullptr};
  auto const view = farpoint::point_view<float>{memory.output<float>(300).data(), 100};
  farpoint::batch const there{view};
  CHECK(crop_box(exec, there, box, output, {}).code == status::workspace_too_small);
  box.low[2] = std::nanf("");
  CHECK(crop_box(exec, there, box, output, memory.scratch(bound)).code == status::bad_argument);
  CHECK(memory.intact());
}

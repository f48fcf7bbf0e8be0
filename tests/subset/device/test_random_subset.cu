// random_subset() on a stream: its definition by other code, also from a graph.
#include <farpoint/subset/random_subset.cuh>

#include "../random_subset_problem.hpp"
#include "call_on_device.cuh"

using namespace farpoint_tests;
using farpoint::cuda_exec;
using farpoint::status;

TEST_CASE("random_subset, device: its definition, for batches of all kinds",
          "[random_subset][device][graph][sanitize]") {
  for_random_subsets([](auto const& problem) { check_on_device(problem); });
}

TEST_CASE("random_subset, device: a citizen of its stream", "[random_subset][device]") {
  random_subset_problem<> problem;
  problem.points = 10000;
  problem.samples = 1000;
  problem.offsets = {0, 20, 20, 9999};
  check_manners(problem);
}

TEST_CASE("random_subset, device: bad arguments are refused at the door", "[random_subset][device]") {
  call_memory<farpoint_stress::device_space> memory;
  farpoint::random_subset_output const output{memory.output<std::int32_t>(10), memory.output<index_t>(2), nullptr};
  farpoint::batch<farpoint::point_view<float>> const cloud{farpoint::point_view<float>{output.indices.data(), 20}};
  cuda_exec const exec{cudaStream_t{}};
  CHECK(random_subset(exec, cloud, -1, 1, output).code == status::bad_argument);
  CHECK(random_subset(exec, cloud, 11, 1, output).code == status::bad_argument);
  CHECK(random_subset(exec, cloud, 10, 1, {output.indices, {}, nullptr}).code == status::bad_argument);
  REQUIRE_CUDA(cudaDeviceSynchronize());
  for (auto const& bytes : memory.outputs()) CHECK(bytes == std::vector<unsigned char>(bytes.size(), poison));
  CHECK(memory.intact());
}

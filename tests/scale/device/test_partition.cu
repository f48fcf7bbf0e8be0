// Points in the order of small keys, on a stream: against a stable sort.
#include <farpoint/scale/stream/partition.cuh>

#include "../../support/catch.hpp"
#include "../../support/device/cuda_check.hpp"
#include "../../support/device/stream_citizen.cuh"
#include "../partition_problem.hpp"

using namespace farpoint_tests;

TEST_CASE("stream_partition, device: the order of a stable sort, and numbers in the order of the points",
          "[shard][device][sanitize]") {
  test_stream const stream;
  auto const wait = [&] { REQUIRE_CUDA(cudaStreamSynchronize(stream.get())); };
  for_each_partition([&](partition_problem const& problem, std::uint64_t seed) {
    CAPTURE(seed, problem.size(), problem.kinds);
    CHECK(is_right(problem, partition_of<device_array>(farpoint::cuda_exec{stream.get()}, problem, wait)));
  });
}

// Points in the order of small keys, on the host: against a stable sort.
#include "../../support/catch.hpp"
#include "../../support/host_array.hpp"
#include "../partition_problem.hpp"

using namespace farpoint_tests;

TEST_CASE("stream_partition: the order of a stable sort, and numbers in the order of the points", "[shard]") {
  for_each_partition([](partition_problem const& problem, std::uint64_t seed) {
    CAPTURE(seed, problem.size(), problem.kinds);
    for (int const threads : {1, 3}) {
      CHECK(is_right(problem, partition_of<host_array>(farpoint::host_exec{threads}, problem, [] {})));
    }
  });
}

// crop_box(), random_subset(), gather() and voxelize() one after another.
#include "../chain_problem.hpp"

using namespace farpoint_tests;

TEST_CASE("subset: calls one after another find what calls with containers find", "[crop_box][random_subset]") {
  for_chains([](chain_problem const& problem) {
    auto const expected = problem.expected();
    for (int const threads : {1, 3}) {
      call_memory<host_space> memory;
      farpoint::result const outcome = problem.run(farpoint::host_exec{threads}, memory);
      INFO(outcome.reason);
      REQUIRE(outcome);
      CHECK(memory.outputs() == expected);
      CHECK(memory.intact());
    }
  });
}

// Normals, mean distances and interpolated features on ranks that are threads: the bits of one call for the whole
// cloud, and no rank hangs.
#include "../../support/catch.hpp"
#include "../../support/for_each_seed.hpp"
#include "../../support/host_array.hpp"
#include "../../support/test_scale.hpp"
#include "../../support/together.hpp"
#include "../failing_communicator.hpp"
#include "../neighborhood_shard_problem.hpp"

using namespace farpoint_tests;

namespace {

template <class Coord>
std::vector<neighborhood_answer<Coord>> solve_neighborhoods(indexed_shard_problem<Coord> const& problem,
                                                            neighborhood_calls const& calls,
                                                            std::vector<odd_neighborhood> const& odds,
                                                            failure const& fails = {}) {
  std::vector<neighborhood_answer<Coord>> answers(problem.ranks);
  farpoint::thread_ranks group{static_cast<int>(problem.ranks)};
  together(group.size(), [&](int number) {
    auto const rank = static_cast<std::size_t>(number);
    failing_communicator communicator{group, number, fails};
    answers[rank] = neighborhoods_of_rank<host_array, farpoint::point_bvh<Coord>>(
        farpoint::host_exec{problem.threads}, communicator, problem, calls, odds[rank], [] {});
  });
  return answers;
}

constexpr std::uint64_t random_problems = 150;

}  // namespace

#define BACKEND_NAME "host"
#define BACKEND_TAG ""
#include "../neighborhood_shard_tests.inc"

TEST_CASE("neighborhood_shard, host: a rank that fails at any exchange ends the call of all ranks",
          "[shard][neighborhood]") {
  auto const problem = dealt_out_cube();
  int const exchanges = check_failures([&](failure const& fails) {
    std::vector<status> codes;
    for (auto const& answer : solve_neighborhoods(problem, {}, std::vector<odd_neighborhood>(3), fails)) {
      // All calls after a failed exchange fail.
      codes.push_back(answer.features_outcome.code);
    }
    return codes;
  });
  // Three calls of six exchanges; two of them exchange values, too.
  CHECK(exchanges == 3 * 6 + 2);
}

TEST_CASE("neighborhood_shard, host: real scans in uneven parts", "[shard][neighborhood][data]") {
  for (auto const& one : real_scans()) {
    CAPTURE(one.name);
    indexed_shard_problem<float> problem;
    std::size_t const step = one.points.size() / 5000 + 1;
    xyz_cloud points;
    for (std::size_t i = 0; i < one.points.size(); i += step) points.push_back(one.points[i]);
    problem.cloud = packed<float>(points);
    problem.others = packed<float>(points);
    problem.ranks = 3;
    problem.is_moved = true;
    for (std::size_t i = 0; i < points.size(); ++i) problem.owners.push_back(i < 100 ? 0 : 2);
    check_neighborhoods(problem, {});
  }
}

// knn_shard() and radius_shard() with BVHs that are built once, on ranks that are threads: the rows of one call for the
// whole cloud, and no rank hangs.
#include "../../support/catch.hpp"
#include "../../support/for_each_seed.hpp"
#include "../../support/host_array.hpp"
#include "../../support/test_scale.hpp"
#include "../../support/together.hpp"
#include "../failing_communicator.hpp"
#include "../indexed_shard_problem.hpp"

using namespace farpoint_tests;

namespace {

template <class Coord>
std::vector<std::vector<indexed_search_answer<Coord>>> solve_indexed(indexed_shard_problem<Coord> const& problem,
                                                                     std::vector<odd_index> const& odds,
                                                                     failure const& fails = {}) {
  std::vector<std::vector<indexed_search_answer<Coord>>> answers(problem.ranks);
  farpoint::thread_ranks group{static_cast<int>(problem.ranks)};
  together(group.size(), [&](int number) {
    auto const rank = static_cast<std::size_t>(number);
    failing_communicator communicator{group, number, fails};
    answers[rank] = search_on_rank<host_array, farpoint::point_bvh<Coord>>(farpoint::host_exec{problem.threads},
                                                                           communicator, problem, odds[rank], [] {});
  });
  return answers;
}

constexpr std::uint64_t random_problems = 200;

}  // namespace

#define BACKEND_NAME "host"
#define BACKEND_TAG ""
#include "../indexed_shard_tests.inc"

TEST_CASE("indexed_shard, host: a rank that fails at any exchange ends the call of all ranks", "[shard][indexed]") {
  auto problem = cube_of_three_ranks();
  for (bool const is_radius : {false, true}) {
    for (bool const planned : {false, true}) {
      CAPTURE(is_radius, planned);
      problem.searches.resize(1);
      problem.searches[0].is_radius = is_radius;
      problem.searches[0].planned = planned;
      problem.searches[0].params.radius = 0.3;
      CHECK(check_failures([&](failure const& fails) {
              std::vector<status> codes;
              for (auto const& of_rank : solve_indexed(problem, std::vector<odd_index>(3), fails)) {
                codes.push_back(of_rank[0].outcome.code);
              }
              return codes;
            }) > 3);
    }
  }
}

TEST_CASE("indexed_shard, host: a search needs less workspace than one that builds the BVH", "[shard][indexed]") {
  auto const cloud = packed<float>(make_cloud(shape::cube, 1000, 1));
  farpoint::shard<farpoint::point_view<float>> const part{view_of(cloud), 0};
  farpoint::host_exec const exec{1};
  farpoint::host_scratch const memory{point_bvh_bytes(exec, farpoint::batch{part.points})};
  farpoint::indexed_shard indexed{part, farpoint::point_bvh<float>{}};
  REQUIRE(build_point_bvh(exec, farpoint::batch{part.points}, memory, indexed.bvh));
  std::vector<index_t> indices(cloud.size());
  std::vector<float> distances(cloud.size());
  farpoint::knn_shard_output<float> const output{indices, distances};
  std::size_t const without = knn_shard_plan_workspace_bytes(exec, 2, part, part.points, knn_params{1}, output);
  std::size_t const with = knn_shard_plan_workspace_bytes(exec, 2, indexed, part.points, knn_params{1}, output);
  CHECK(with > 0);
  CHECK(with + 16 * cloud.size() < without);
}

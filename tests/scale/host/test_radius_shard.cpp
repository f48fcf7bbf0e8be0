// radius_shard() with ranks that are threads: its rows equal the rows of one call for the whole cloud, and no rank
// hangs.
#include "../../support/catch.hpp"
#include "../../support/for_each_seed.hpp"
#include "../../support/host_array.hpp"
#include "../../support/test_scale.hpp"
#include "../../support/together.hpp"
#include "../failing_communicator.hpp"
#include "../radius_shard_problem.hpp"

using namespace farpoint_tests;

namespace {

template <class Coord>
std::vector<radius_shard_answer<Coord>> solve_radius_shard(radius_shard_problem<Coord> const& problem,
                                                           std::vector<radius_rank_call> const& calls,
                                                           std::chrono::milliseconds timeout = std::chrono::minutes{1},
                                                           failure const& fails = {}) {
  std::vector<radius_shard_answer<Coord>> answers(calls.size());
  farpoint::thread_ranks group{static_cast<int>(calls.size()), timeout};
  together(static_cast<int>(calls.size()), [&](int number) {
    auto const rank = static_cast<std::size_t>(number);
    if (!calls[rank].is_made) return;
    failing_communicator communicator{group, number, fails};
    answers[rank] =
        radius_of_rank<host_array>(farpoint::host_exec{problem.threads}, communicator, problem, calls[rank], [] {});
  });
  return answers;
}

constexpr std::uint64_t random_problems = 300;

}  // namespace

#define BACKEND_NAME "host"
#define BACKEND_TAG ""
#include "../radius_shard_tests.inc"

TEST_CASE("radius_shard, host: a rank that makes no call keeps the others no longer than their time-out",
          "[radius][shard]") {
  auto const problem = parts_of_a_cube();
  auto calls = problem.calls();
  calls[1].is_made = false;
  CHECK(codes_of(solve_radius_shard(problem, calls, std::chrono::milliseconds{50})) ==
        std::vector<status>{status::communication_failure, status::ok, status::communication_failure});
}

TEST_CASE("radius_shard, host: threads and ranks that it does not take", "[radius][shard]") {
  auto problem = parts_of_a_cube();
  problem.threads = -1;
  check_refused(problem, problem.calls());

  // 1,025 ranks are one too many; rank 0 refuses them before it exchanges anything.
  problem = radius_shard_problem<float>{{}, {0, 0}};
  farpoint::thread_ranks group{1025};
  farpoint::thread_communicator communicator{group, 0};
  auto const answer =
      radius_of_rank<host_array>(farpoint::host_exec{1}, communicator, problem, problem.calls()[0], [] {});
  CHECK(answer.outcome.code == status::bad_argument);
}

TEST_CASE("radius_shard, host: ranks that fail at any exchange, and threads that are refused, in two halves",
          "[radius][shard]") {
  auto problem = parts_of_a_cube();
  problem.planned = true;
  CHECK(check_failures([&](failure const& fails) {
          return codes_of(solve_radius_shard(problem, problem.calls(), std::chrono::minutes{1}, fails));
        }) > 3);
  problem.threads = -1;
  check_refused(problem, problem.calls());
}

TEST_CASE("radius_shard, host: real scans in uneven parts", "[radius][shard][data]") {
  for (auto const& one : real_scans()) {
    CAPTURE(one.name);
    // At most 1,500 points from all over the scan, which keeps brute force fast.
    xyz_cloud points;
    std::size_t const step = one.points.size() / 1500 + 1;
    for (std::size_t i = 0; i < one.points.size(); i += step) points.push_back(one.points[i]);
    auto const n = static_cast<index_t>(points.size());
    radius_shard_problem<float> problem{points, {0, n / 5, n / 5, n / 2, n}};
    problem.parts = {1, 3, 0, 2};
    problem.threads = 2;
    problem.params.radius = 2;
    problem.k = 16;
    for (auto const order : {radius_order::index, radius_order::nearest}) {
      problem.params.order = order;
      check_radius_shards(problem);
    }
  }
}

TEST_CASE("radius_shard, host: a rank that fails at any exchange ends the call of all ranks", "[radius][shard]") {
  auto const problem = parts_of_a_cube();
  auto const codes = [&](failure const& fails) {
    return codes_of(solve_radius_shard(problem, problem.calls(), std::chrono::minutes{1}, fails));
  };
  CHECK(check_failures(codes) > 3);
}

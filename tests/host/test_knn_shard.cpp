// knn_shard() with ranks that are threads: the rows of one call for the whole cloud; and no rank hangs.
#include <farpoint/scale/knn_shard.hpp>
#include <farpoint/scale/stream/knn_task.hpp>
#include <farpoint/scale/thread_communicator.hpp>

#include "../catch.hpp"
#include "../shared/for_each_seed.hpp"
#include "../shared/knn_shard_problem.hpp"
#include "../shared/rank_lists.hpp"
#include "../shared/together.hpp"

using namespace farpoint_tests;
using farpoint::status;

namespace {

/// @param capacity  `[ranks]`; -1: the rank makes no call
template <class Coord>
std::vector<knn_shard_answer<Coord>> run_knn_ranks(knn_shard_problem<Coord> const& problem,
                                                   std::vector<index_t> const& capacity,
                                                   std::chrono::milliseconds timeout = std::chrono::minutes{1}) {
  std::vector<knn_shard_answer<Coord>> answers(problem.ranks());
  farpoint::thread_ranks group{static_cast<int>(problem.ranks()), timeout};
  together(static_cast<int>(problem.ranks()), [&](int number) {
    auto const rank = static_cast<std::size_t>(number);
    if (capacity[rank] < 0) return;
    auto const mine = problem.part(rank);
    auto const queries = problem.queries(rank);
    farpoint::shard<farpoint::point_view<Coord>> const part{view_of(mine), problem.first_index + problem.cuts[rank]};
    auto const asked = problem.in_place ? part.points : view_of(queries);
    auto const size = queries.size() * static_cast<std::size_t>(problem.k);
    rank_lists<Coord> const lists{size};
    auto& answer = answers[rank];
    auto output = lists.template output<farpoint::knn_shard_output<Coord>>();
    output.exchanged_capacity = capacity[rank];
    output.exchanged = &answer.exchanged;
    output.report = &answer.report;
    farpoint::host_exec const exec{problem.threads};
    farpoint::thread_communicator communicator{group, number};
    std::size_t needed =
        knn_shard_workspace_bytes(exec, communicator.ranks(), part, asked, problem.method, problem.k, output);
    if (problem.on_stream) {
      needed =
          farpoint::detail::knn_stream_plan<farpoint::host_exec, farpoint::point_view<Coord>>{
              exec, nullptr, communicator.ranks(), part.points, asked.size(), problem.k, capacity[rank]}
              .cutter.used();
    }
    host_array<unsigned char> const workspace{needed};
    farpoint::bytes const memory{workspace.data(), needed};
    auto const outcome = problem.on_stream
                             ? farpoint::detail::knn_shard_on(exec, communicator, part, asked, problem.method,
                                                              problem.k, output, {}, memory)
                             : knn_shard(exec, communicator, part, asked, problem.method, problem.k, output, memory);
    lists.read(answer, outcome, workspace);
  });
  return answers;
}

template <class Coord>
void check_knn_shards(knn_shard_problem<Coord> const& problem) {
  check_knn_answers(problem, run_knn_ranks(problem, room_for_all(problem)));
}

}  // namespace

TEST_CASE("knn_shard: random problems on 1 to 4 ranks give what one call gives", "[knn][shard]") {
  for_each_seed(200, [](std::uint64_t seed) { check_knn_shards(random_knn_shard_problem<float>(seed)); });
}

SCALAR_TEST_CASE("knn_shard: double coordinates", "[knn][shard][scalar]") {
  for_each_seed(60, [](std::uint64_t seed) { check_knn_shards(random_knn_shard_problem<double>(seed)); });
}

TEST_CASE("knn_shard, a stream's loops: random problems on 1 to 4 ranks give what one call gives", "[knn][shard]") {
  for_each_seed(200, [](std::uint64_t seed) {
    auto problem = random_knn_shard_problem<float>(seed + 5000);
    problem.on_stream = true;
    check_knn_shards(problem);
  });
}

SCALAR_TEST_CASE("knn_shard, a stream's loops: double coordinates", "[knn][shard][scalar]") {
  for_each_seed(40, [](std::uint64_t seed) {
    auto problem = random_knn_shard_problem<double>(seed + 5000);
    problem.on_stream = true;
    check_knn_shards(problem);
  });
}

TEST_CASE("knn_shard, a stream's loops: too little room on one rank is known to all", "[knn][shard]") {
  auto problem = random_knn_shard_problem<float>(0);
  problem.cloud = packed<float>(make_cloud(shape::cube, 200, 1));
  problem.cuts = {0, 50, 120, 200};
  problem.self = problem.on_stream = true;
  problem.k = 4;
  problem.method = {};
  auto capacity = room_for_all(problem);
  auto const needed = run_knn_ranks(problem, capacity)[1].exchanged;
  REQUIRE(needed > 0);
  capacity[1] = needed;
  for (auto const& answer : run_knn_ranks(problem, capacity)) CHECK(answer.outcome);
  capacity[1] = needed - 1;
  for (auto const& answer : run_knn_ranks(problem, capacity)) {
    CHECK(answer.outcome.code == status::workspace_too_small);
  }
}

TEST_CASE("knn_shard: ties go to the lowest index, whichever rank has it", "[knn][shard]") {
  knn_shard_problem<float> problem;
  problem.k = 7;
  for (bool const on_stream : {false, true}) {
    problem.on_stream = on_stream;
    problem.cloud = packed<float>(make_cloud(shape::all_equal, 40, 1));
    problem.cuts = {0, 3, 3, 20, 40};
    check_knn_shards(problem);
    problem.cloud = packed<float>(make_cloud(shape::overflowing, 300, 1));
    problem.cuts = {0, 100, 200, 299, 300};
    check_knn_shards(problem);
  }
}

TEST_CASE("knn_shard: parts far from one another exchange nothing", "[knn][shard]") {
  knn_shard_problem<float> problem;
  for (int i = 0; i < 90; ++i) {
    problem.cloud.push_back({static_cast<float>(i / 30) * 1000, static_cast<float>(i % 30), 0});
  }
  problem.cuts = {0, 30, 60, 90};
  problem.k = 5;
  for (auto const& answer : run_knn_ranks(problem, {0, 0, 0})) {
    CHECK(answer.outcome);
    CHECK(answer.exchanged == 0);
  }
  check_knn_shards(problem);
}

TEST_CASE("knn_shard: what one rank may not do, all ranks return from", "[knn][shard]") {
  auto problem = random_knn_shard_problem<float>(0);
  problem.cloud = packed<float>(make_cloud(shape::cube, 200, 1));
  problem.cuts = {0, 50, 120, 200};
  problem.self = true;
  problem.k = 4;
  problem.method = {};
  auto const outcomes = [&problem](std::vector<index_t> const& capacity, std::chrono::milliseconds timeout) {
    std::vector<status> codes;
    for (auto const& answer : run_knn_ranks(problem, capacity, timeout)) codes.push_back(answer.outcome.code);
    return codes;
  };
  auto const long_enough = std::chrono::minutes{1};
  auto capacity = room_for_all(problem);
  auto const needed = run_knn_ranks(problem, capacity)[1].exchanged;
  REQUIRE(needed > 0);
  capacity[1] = needed;
  CHECK(outcomes(capacity, long_enough) == std::vector<status>(3, status::ok));
  capacity[1] = needed - 1;
  CHECK(outcomes(capacity, long_enough) == std::vector<status>(3, status::workspace_too_small));
  capacity[1] = (index_t{1} << 30) + 1;
  CHECK(outcomes(capacity, long_enough) == std::vector<status>(3, status::bad_argument));
  capacity[1] = -1;
  CHECK(outcomes(capacity, std::chrono::milliseconds{50}) ==
        std::vector<status>{status::communication_failure, status::ok, status::communication_failure});
  problem.k = 0;
  CHECK(outcomes(room_for_all(problem), long_enough) == std::vector<status>(3, status::bad_argument));
  problem.k = 1;
  problem.method.max_radius = -1;
  CHECK(outcomes(room_for_all(problem), long_enough) == std::vector<status>(3, status::bad_argument));
}

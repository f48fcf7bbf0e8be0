// repartition() with ranks that are threads: each rank owns the points that a sort along the curve gives it, and no
// rank hangs.
#include "../../support/catch.hpp"
#include "../../support/for_each_seed.hpp"
#include "../../support/host_array.hpp"
#include "../../support/test_scale.hpp"
#include "../../support/together.hpp"
#include "../failing_communicator.hpp"
#include "../repartition_problem.hpp"

#include <array>

using namespace farpoint_tests;

namespace {

template <class Coord>
std::vector<repartition_answer<Coord>> solve_repartition(repartition_problem<Coord> const& problem,
                                                         std::vector<repartition_rank_call> const& calls,
                                                         std::chrono::milliseconds timeout = std::chrono::minutes{1},
                                                         failure const& fails = {}) {
  std::vector<repartition_answer<Coord>> answers(calls.size());
  farpoint::thread_ranks group{static_cast<int>(calls.size()), timeout};
  together(static_cast<int>(calls.size()), [&](int number) {
    auto const rank = static_cast<std::size_t>(number);
    if (!calls[rank].is_made) return;
    failing_communicator communicator{group, number, fails};
    answers[rank] = repartition_of_rank<host_array>(farpoint::host_exec{problem.threads}, communicator, problem,
                                                    calls[rank], [] {});
  });
  return answers;
}

constexpr std::uint64_t random_problems = 300;

}  // namespace

#define BACKEND_NAME "host"
#define BACKEND_TAG ""
#include "../repartition_tests.inc"

TEST_CASE("repartition, host: a rank that makes no call keeps the others no longer than their time-out",
          "[repartition][shard]") {
  auto const problem = three_parts_of_a_cube();
  auto calls = problem.calls();
  calls[1].is_made = false;
  CHECK(codes_of(solve_repartition(problem, calls, std::chrono::milliseconds{50})) ==
        std::vector<status>{status::communication_failure, status::ok, status::communication_failure});
}

TEST_CASE("repartition, host: threads that are refused", "[repartition][shard]") {
  auto problem = three_parts_of_a_cube();
  problem.threads = -1;
  check_refused(problem, problem.calls());
}

TEST_CASE("repartition, host: a call in one and a call in two halves do not match", "[repartition][shard]") {
  farpoint::thread_ranks group{2};
  std::vector<status> codes(2);
  together(2, [&](int rank) {
    farpoint::thread_communicator communicator{group, rank};
    farpoint::shard<farpoint::point_view<float>> const part{};
    farpoint::host_exec const exec{1};
    farpoint::host_scratch const memory{repartition_workspace_bytes(exec, 2, part)};
    codes[static_cast<std::size_t>(rank)] = rank == 0
                                                ? repartition(exec, communicator, part, {}, memory).code
                                                : repartition_plan(exec, communicator, part, memory).outcome().code;
  });
  CHECK(codes == std::vector<status>(2, status::bad_argument));
}

TEST_CASE("repartition, host: a rank that fails at any exchange ends the call of all ranks", "[repartition][shard]") {
  auto problem = three_parts_of_a_cube();
  auto const codes = [&](failure const& fails) {
    return codes_of(solve_repartition(problem, problem.calls(), std::chrono::minutes{1}, fails));
  };
  int const exchanges = check_failures(codes);
  CHECK(exchanges > 3);
  problem.planned = true;
  // Features go to the owners and come back.
  CHECK(check_failures(codes) == exchanges + 2);
}

TEST_CASE("repartition, host: owned points are parts of a cloud for other calls on ranks", "[repartition][shard]") {
  auto const problem = three_parts_of_a_cube();
  auto const owners = solve_repartition(problem, problem.calls());
  check_repartition_answers(problem, owners);
  knn_shard_problem<float> search;
  search.cuts = {0};
  search.k = 4;
  for (auto const& owner : owners) {
    CHECK(owner.first_owned == search.cuts.back());
    for (std::size_t i = 0; i < owner.indices.size(); ++i) {
      search.cloud.push_back({owner.points[3 * i], owner.points[3 * i + 1], owner.points[3 * i + 2]});
    }
    search.cuts.push_back(static_cast<index_t>(search.cloud.size()));
  }
  std::vector<knn_shard_answer<float>> answers(search.ranks());
  farpoint::thread_ranks group{static_cast<int>(search.ranks())};
  together(group.size(), [&](int number) {
    auto const rank = static_cast<std::size_t>(number);
    auto const mine = search.part(rank);
    farpoint::shard<farpoint::point_view<float>> const part{view_of(mine), owners[rank].first_owned};
    auto& answer = answers[rank];
    answer.indices.resize(mine.size() * static_cast<std::size_t>(search.k));
    answer.distances.resize(answer.indices.size());
    farpoint::knn_shard_output<float> output;
    output.indices = answer.indices;
    output.distances = answer.distances;
    output.report = &answer.report;
    farpoint::host_exec const exec{1};
    farpoint::thread_communicator communicator{group, number};
    farpoint::host_scratch const memory{
        knn_shard_plan_workspace_bytes(exec, group.size(), part, part.points, knn_params{search.k}, output)};
    auto found = knn_shard_plan(exec, communicator, part, part.points, knn_params{search.k}, output, memory);
    farpoint::host_scratch const room{found.workspace_bytes()};
    answer.outcome = found.run(room);
  });
  check_knn_answers(search, answers);
}

TEST_CASE("repartition, host: ranks that own nothing take part in all exchanges, without any memory for outputs",
          "[repartition][shard]") {
  constexpr int ranks = 3;
  farpoint::thread_ranks group{ranks, std::chrono::seconds{10}};
  packed_points<float> const cloud{{{1, 2, 3}}};
  std::array<std::vector<index_t>, ranks> indices;
  std::array<bool, ranks> good{};
  together(ranks, [&](int number) {
    auto const rank = static_cast<std::size_t>(number);
    farpoint::host_exec const exec{1};
    farpoint::thread_communicator communicator{group, number};
    // Rank 0 has the only point, and the last rank owns it.
    farpoint::point_view<float> const points{cloud.data(), number == 0 ? 1 : 0};
    farpoint::shard<farpoint::point_view<float>> const part{points, 5};
    farpoint::host_scratch const memory{repartition_plan_workspace_bytes(exec, ranks, part)};
    auto moved = repartition_plan(exec, communicator, part, memory);
    std::vector<float> owned(static_cast<std::size_t>(moved.owned()) * 3);
    indices[rank].resize(static_cast<std::size_t>(moved.owned()));
    farpoint::host_scratch const room{moved.workspace_bytes()};
    good[rank] = moved.run({owned, indices[rank]}, room) && communicator.all_gather(nullptr, nullptr, 0);
  });
  CHECK(good == std::array<bool, ranks>{true, true, true});
  CHECK(indices == std::array<std::vector<index_t>, ranks>{{{}, {}, {5}}});
}

TEST_CASE("repartition, host: real scans in uneven parts", "[repartition][shard][data]") {
  for (auto const& one : real_scans()) {
    CAPTURE(one.name);
    auto const n = static_cast<index_t>(one.points.size());
    repartition_problem<float> problem{packed<float>(one.points), {0, n / 5, n / 5, n / 2, n}};
    problem.parts = {1, 3, 0, 2};
    problem.threads = 2;
    check_both(problem);
  }
}

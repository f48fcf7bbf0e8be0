// knn_shard() with ranks that are threads: knn() of the whole cloud gives the same rows, and no rank hangs.
#include <farpoint/scale/knn_shard.hpp>

#include "../../support/catch.hpp"
#include "../../support/for_each_seed.hpp"
#include "../../support/test_scale.hpp"
#include "../../support/together.hpp"
#include "../failing_communicator.hpp"
#include "../knn_shard_problem.hpp"
#include "../rank_lists.hpp"

#include <set>

using namespace farpoint_tests;
using farpoint::status;

namespace {

/// Arguments of a rank, and the calls with them.
template <class Coord>
struct rank_call {
  using view = farpoint::point_view<Coord>;

  knn_shard_problem<Coord> const& problem;
  farpoint::shard<view> const& part;
  view const& asked;
  farpoint::knn_shard_output<Coord> const& output;
  farpoint::along_curve curve;
  farpoint::host_exec exec{problem.threads};

  std::size_t workspace_size() const {
    auto const ranks = static_cast<int>(problem.ranks());
    auto const method = problem.nearest();
    if (problem.along_curve && problem.on_stream) {
      return farpoint::detail::knn_curve_size<Coord>(exec, on_curve().sizes(ranks), problem.max_narrow);
    }
    if (problem.along_curve) return knn_shard_workspace_bytes(exec, ranks, part, asked, curve, output);
    if (!problem.planned) return knn_shard_workspace_bytes(exec, ranks, part, asked, method, output);
    return knn_shard_plan_workspace_bytes(exec, ranks, part, asked, method, output);
  }
  template <class Communicator>
  farpoint::result run(Communicator& communicator, farpoint::bytes workspace) const {
    if (problem.along_curve && problem.on_stream) {
      return farpoint::detail::knn_along_curve_on(exec, communicator, on_curve(), {}, workspace);
    }
    if (problem.along_curve) return knn_shard(exec, communicator, part, asked, curve, output, workspace);
    if (!problem.planned) return knn_shard(exec, communicator, part, asked, problem.nearest(), output, workspace);
    auto search = knn_shard_plan(exec, communicator, part, asked, problem.nearest(), output, workspace);
    *output.exchanged = search.exchanged();
    host_array<unsigned char> const room{search.workspace_bytes()};
    return search.run({room.data(), search.workspace_bytes()});
  }

 private:
  /// Arguments with the problem's limit of 32-bit positions, so that small clouds test 64-bit positions, too.
  farpoint::detail::knn_curve_arguments<view, view> on_curve() const {
    return {part, asked, curve, output, problem.max_narrow};
  }
};

/// @param capacity  `[ranks]`; -1: the rank makes no call
template <class Coord>
std::vector<knn_shard_answer<Coord>> run_knn_ranks(knn_shard_problem<Coord> const& problem,
                                                   std::vector<index_t> const& capacity,
                                                   std::chrono::milliseconds timeout = std::chrono::minutes{1},
                                                   failure const& fails = {}) {
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
    output.owned_queries = &answer.owned_queries;
    rank_call<Coord> const call{problem, part, asked, output, problem.curve(rank)};
    failing_communicator communicator{group, number, fails};
    std::size_t const needed = call.workspace_size();
    host_array<unsigned char> const workspace{needed};
    auto const outcome = call.run(communicator, {workspace.data(), needed});
    lists.read(answer, outcome, workspace);
  });
  return answers;
}

template <class Coord>
void check_knn_shards(knn_shard_problem<Coord> const& problem) {
  check_knn_answers(problem, run_knn_ranks(problem, room_for_all(problem)));
}

/// Makes a cloud in a cube. @param cuts  `[ranks + 1]`
knn_shard_problem<float> cube_on_ranks(std::vector<index_t> cuts, index_t k) {
  knn_shard_problem<float> problem;
  problem.cloud = packed<float>(make_cloud(shape::cube, static_cast<std::size_t>(cuts.back()), 3));
  problem.cuts = std::move(cuts);
  problem.k = k;
  return problem;
}

// Settings with which random problems are solved.
auto const where_points_are = [](auto&) {};
auto const in_two_halves = [](auto& problem) { problem.planned = true; };
auto const by_owners = [](auto& problem) { problem.along_curve = true; };

template <class Coord, class Way>
void check_random_knn_shards(std::uint64_t count, std::uint64_t first_seed, Way const& choose) {
  for_each_seed(count, [&](std::uint64_t seed) {
    auto problem = random_knn_shard_problem<Coord>(first_seed + seed);
    choose(problem);
    check_knn_shards(problem);
  });
}

/// Checks that exclude_self excludes only point i of the rank for query i of the rank.
void check_knn_of_others(knn_shard_problem<float> const& problem) {
  auto const answers = run_knn_ranks(problem, room_for_all(problem));
  for (std::size_t rank = 0; rank < problem.ranks(); ++rank) {
    auto const queries = problem.queries(rank);
    auto const k = static_cast<std::size_t>(problem.k);
    std::vector<index_t> indices(queries.size() * (k + 1));
    std::vector<float> distances(indices.size());
    knn_params const with_self{problem.k + 1, problem.limits.max_radius};
    REQUIRE(farpoint::reference::knn(farpoint::batch{view_of(problem.cloud)}, farpoint::batch{view_of(queries)},
                                     with_self, farpoint::knn_output<float>{indices, distances}));
    std::vector<index_t> expected;
    std::vector<float> expected_distances;
    for (std::size_t row = 0; row < queries.size(); ++row) {
      index_t const own = problem.cuts[rank] + static_cast<index_t>(row);
      std::size_t const end = expected.size() + k;
      for (std::size_t j = row * (k + 1); expected.size() < end; ++j) {
        if (indices[j] == own && own < problem.cuts[rank + 1]) continue;
        expected.push_back(indices[j] < 0 ? -1 : indices[j] + problem.first_index);
        expected_distances.push_back(distances[j]);
      }
    }
    INFO(answers[rank].outcome.reason);
    REQUIRE(answers[rank].outcome);
    CHECK(answers[rank].indices == expected);
    CHECK(answers[rank].distances == expected_distances);
  }
}

}  // namespace

TEST_CASE("knn_shard: random problems on 1 to 4 ranks give what one call gives", "[knn][shard]") {
  check_random_knn_shards<float>(rounds(200), 0, where_points_are);
}

TEST_CASE("knn_shard, in two halves: random problems on 1 to 4 ranks give what one call gives", "[knn][shard]") {
  check_random_knn_shards<float>(rounds(200), 5000, in_two_halves);
}

TEST_CASE("knn_shard along a curve: random problems on 1 to 4 ranks give what one call gives", "[knn][shard]") {
  check_random_knn_shards<float>(rounds(300), 9000, by_owners);
}

NUMBERS_TEST_CASE("knn_shard: double coordinates, in each way", "[knn][shard][numbers]") {
  check_random_knn_shards<double>(60, 0, where_points_are);
  check_random_knn_shards<double>(40, 5000, in_two_halves);
  check_random_knn_shards<double>(60, 9000, by_owners);
}

TEST_CASE("knn_shard along a curve: the same where places in the cloud have 64 bits", "[knn][shard]") {
  check_random_knn_shards<float>(100, 9000, [](auto& problem) {
    problem.along_curve = problem.on_stream = true;
    problem.max_narrow = 0;
  });
}

TEST_CASE("knn_shard, in two halves: the second has exactly the memory that it needs", "[knn][shard]") {
  auto problem = cube_on_ranks({0, 50, 120, 200}, 4);
  auto const exchanged = run_knn_ranks(problem, room_for_all(problem))[1].exchanged;
  REQUIRE(exchanged > 0);
  problem.planned = true;
  auto const answers = run_knn_ranks(problem, {0, 0, 0});
  check_knn_answers(problem, answers);
  CHECK(answers[1].exchanged == exchanged);
}

TEST_CASE("knn_shard, in two halves: a rank without memory for the second ends the call of all ranks", "[knn][shard]") {
  auto const problem = cube_on_ranks({0, 50, 120, 200}, 4);
  std::vector<status> codes(problem.ranks());
  farpoint::thread_ranks group{static_cast<int>(problem.ranks())};
  together(group.size(), [&](int number) {
    auto const rank = static_cast<std::size_t>(number);
    auto const mine = problem.part(rank);
    using view = farpoint::point_view<float>;
    farpoint::shard<view> const part{view_of(mine), problem.cuts[rank]};
    rank_lists<float> const lists{mine.size() * static_cast<std::size_t>(problem.k)};
    auto const output = lists.output<farpoint::knn_shard_output<float>>();
    farpoint::host_exec const exec{1};
    farpoint::thread_communicator communicator{group, number};
    farpoint::host_scratch const memory{
        knn_shard_plan_workspace_bytes(exec, group.size(), part, part.points, knn_params{problem.k}, output)};
    auto search = knn_shard_plan(exec, communicator, part, part.points, knn_params{problem.k}, output, memory);
    REQUIRE(search.outcome());
    REQUIRE(search.workspace_bytes() > 0);
    farpoint::host_scratch const room{search.workspace_bytes()};
    codes[rank] = search.run(number == 1 ? room.get().subspan(256) : room.get()).code;
  });
  CHECK(codes ==
        std::vector<status>{status::communication_failure, status::workspace_too_small, status::communication_failure});
}

TEST_CASE("knn_shard: a call in one and a call in two halves do not match", "[knn][shard]") {
  farpoint::thread_ranks group{2};
  std::vector<status> codes(2);
  together(2, [&](int rank) {
    farpoint::thread_communicator communicator{group, rank};
    using view = farpoint::point_view<float>;
    farpoint::shard<view> const part{};
    farpoint::knn_shard_output<float> const output{};
    farpoint::host_exec const exec{1};
    farpoint::host_scratch const memory{knn_shard_workspace_bytes(exec, 2, part, part.points, knn_params{1}, output)};
    codes[static_cast<std::size_t>(rank)] =
        rank == 0 ? knn_shard(exec, communicator, part, part.points, knn_params{1}, output, memory).code
                  : knn_shard_plan(exec, communicator, part, part.points, knn_params{1}, output, memory).outcome().code;
  });
  CHECK(codes == std::vector<status>(2, status::bad_argument));
}

TEST_CASE("knn_shard: ranks up to 1,024", "[knn][shard]") {
  auto problem = cube_on_ranks({0, 3}, 2);
  for (int more = 0; more < 149; ++more) problem.cuts.push_back(3);
  problem.cloud.push_back({{5, 5, 5}});
  problem.cuts.push_back(4);
  check_knn_shards(problem);
}

TEST_CASE("knn_shard: ties go to the lowest index, whichever rank has it", "[knn][shard]") {
  knn_shard_problem<float> problem;
  problem.k = 7;
  for (bool const planned : {false, true}) {
    problem.planned = planned;
    problem.cloud = packed<float>(make_cloud(shape::all_equal, 40, 1));
    problem.cuts = {0, 3, 3, 20, 40};
    check_knn_shards(problem);
    problem.cloud = packed<float>(make_cloud(shape::overflowing, 300, 1));
    problem.cuts = {0, 100, 200, 299, 300};
    check_knn_shards(problem);
  }
}

TEST_CASE("knn_shard along a curve: ties go to the lowest index, on ranks up to 9", "[knn][shard]") {
  for (shape const which : {shape::all_equal, shape::lattice, shape::duplicates, shape::overflowing, shape::outlier}) {
    for (int const ranks : {2, 3, 5, 9}) {
      CAPTURE(static_cast<int>(which), ranks);
      knn_shard_problem<float> problem;
      problem.along_curve = problem.in_place = true;
      problem.k = 7;
      problem.cloud = packed<float>(make_cloud(which, 500, 3));
      random_source random{static_cast<std::uint64_t>(ranks)};
      problem.cuts = {0, 500};
      for (int more = 1; more < ranks; ++more) problem.cuts.push_back(random.below(501));
      std::sort(problem.cuts.begin(), problem.cuts.end());
      check_knn_shards(problem);
    }
  }
}

NUMBERS_TEST_CASE("knn_shard along a curve: parts that are all over the cloud exchange few queries",
                  "[knn][shard][numbers]") {
  auto problem = cube_on_ranks({0, 2000, 4000, 6000}, 4);
  problem.in_place = true;
  for (auto const& answer : run_knn_ranks(problem, room_for_all(problem))) CHECK(answer.exchanged > 3900);
  // Few queries travel, although the box around an owner's points is nearly as large as the box of the cloud.
  problem.along_curve = true;
  auto const answers = run_knn_ranks(problem, room_for_all(problem));
  for (auto const& answer : answers) CHECK(answer.exchanged < 700);
  check_knn_answers(problem, answers);
}

TEST_CASE("knn_shard along a curve: queries that are not the points go to where they are", "[knn][shard]") {
  auto problem = cube_on_ranks({0, 300, 600, 900}, 5);
  problem.self = false;
  // Queries near one corner of the cube, so that one rank owns all.
  problem.others = problem.cloud;
  for (auto& query : problem.others) {
    for (float& coordinate : query) coordinate *= 0.01f;
  }
  problem.along_curve = true;
  auto const answers = run_knn_ranks(problem, room_for_all(problem));
  std::vector<index_t> owned;
  for (auto const& answer : answers) owned.push_back(answer.owned_queries);
  std::sort(owned.begin(), owned.end());
  CHECK(owned == std::vector<index_t>{0, 0, 900});
  check_knn_answers(problem, answers);
}

TEST_CASE("knn_shard along a curve: an own point is left out, wherever its query goes", "[knn][shard]") {
  for_each_seed(rounds(60), [](std::uint64_t seed) {
    auto problem = random_knn_shard_problem<float>(seed + 12000);
    problem.along_curve = true;
    problem.in_place = false;
    // Queries of another cloud: exclude_self still excludes point i for query i.
    problem.self = false;
    problem.others = packed<float>(make_cloud(shape::cube, problem.cloud.size(), seed));
    problem.limits.exclude_self = true;
    check_knn_of_others(problem);
    problem.max_narrow = 0;
    problem.on_stream = true;
    check_knn_of_others(problem);
  });
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

TEST_CASE("knn_shard along a curve: what one rank has no room for, all ranks return from", "[knn][shard]") {
  auto problem = cube_on_ranks({0, 50, 50, 200}, 4);
  problem.in_place = problem.along_curve = true;
  // Gives the last rank another curve, and returns the status of all ranks, which must agree.
  auto const outcome = [&problem](farpoint::along_curve const& odd) {
    auto const capacity = room_for_all(problem);
    problem.odd_curve = odd;
    std::vector<status> codes;
    for (auto const& answer : run_knn_ranks(problem, capacity)) codes.push_back(answer.outcome.code);
    REQUIRE(std::set<status>{codes.begin(), codes.end()}.size() == 1);
    return codes.front();
  };
  knn_params const method{4};
  CHECK(outcome({method, 67, 0}) == status::ok);
  CHECK(outcome({method, 66, 0}) == status::workspace_too_small);
  CHECK(outcome({method, -1, 0}) == status::bad_argument);
  CHECK(outcome({method, (index_t{1} << 30) + 1, 0}) == status::bad_argument);
  CHECK(outcome({method, 67, -1}) == status::bad_argument);
  CHECK(outcome({knn_params{4, 1.0}, 67, 0}) == status::bad_argument);
  CHECK(outcome({knn_params{4, -1.0}, 67, 0}) == status::bad_argument);
  // Room for queries differs between ranks; this is allowed if all queries are the ranks' own points.
  CHECK(outcome({method, 67, 5}) == status::ok);
  problem.in_place = false;
  CHECK(outcome({method, 67, 200}) == status::ok);
  CHECK(outcome({method, 67, 60}) == status::workspace_too_small);
}

TEST_CASE("knn_shard: what one rank may not do, all ranks return from", "[knn][shard]") {
  auto problem = cube_on_ranks({0, 50, 120, 200}, 4);
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
  problem.limits.max_radius = -1;
  CHECK(outcomes(room_for_all(problem), long_enough) == std::vector<status>(3, status::bad_argument));
}

TEST_CASE("knn_shard: a rank that fails at any exchange ends the call of all ranks", "[knn][shard]") {
  auto problem = cube_on_ranks({0, 50, 120, 200}, 4);
  auto const codes_of = [&](failure const& fails) {
    std::vector<status> codes;
    for (auto const& answer : run_knn_ranks(problem, room_for_all(problem), std::chrono::minutes{1}, fails)) {
      codes.push_back(answer.outcome.code);
    }
    return codes;
  };
  CHECK(check_failures(codes_of) > 3);
  problem.planned = true;
  CHECK(check_failures(codes_of) > 3);
  problem.along_curve = true;
  CHECK(check_failures(codes_of) > 3);
}

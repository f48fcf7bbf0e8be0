// fps_shard() with ranks that are threads: fps() of the whole cloud gives the same samples, and no rank hangs.
#include <cstdio>

#include "../../support/catch.hpp"
#include "../../support/for_each_seed.hpp"
#include "../../support/together.hpp"
#include "../failing_communicator.hpp"
#include "../fps_shard_problem.hpp"
#include "../rank_lists.hpp"

using namespace farpoint_tests;
using farpoint::status;
using farpoint::detail::fps_shard_rule;

namespace {

/// Deviations of the call of one rank.
struct odd_rank {
  std::size_t rank = 1;
  bool is_missing = false;
  bool has_bad_threads = false;
  std::size_t workspace_less = 0;
  int fails_after = -1;  ///< number of exchanges before a failure; -1: no failure
  index_t more_samples = 0;
  index_t first_less = 0;
  double stop_below = 0;
  bool lacks_room = false;
};

template <class Rule = fps_shard_rule, class Coord, int Dim>
std::vector<fps_shard_answer<Coord>> run_fps_ranks(fps_shard_problem<Coord, Dim> const& problem,
                                                   odd_rank const& odd = {},
                                                   std::chrono::milliseconds timeout = std::chrono::minutes{1}) {
  std::vector<fps_shard_answer<Coord>> answers(problem.ranks());
  auto const ranks = static_cast<int>(problem.ranks());
  farpoint::thread_ranks group{ranks, timeout};
  std::vector<index_t> const chosen = problem.chosen_of_all();
  together(ranks, [&](int number) {
    auto const rank = static_cast<std::size_t>(number);
    bool const is_odd = rank == odd.rank;
    if (is_odd && odd.is_missing) return;
    index_t const begin = problem.cuts[problem.part[rank]];
    index_t const end = problem.cuts[problem.part[rank] + 1];
    // Separate memory, so that sanitizers detect a read of another rank's points.
    std::vector<std::array<Coord, Dim>> const mine{problem.cloud.begin() + begin, problem.cloud.begin() + end};
    using view = typename fps_shard_problem<Coord, Dim>::view;
    view const points{reinterpret_cast<Coord const*>(mine.data()), end - begin, index_t{sizeof mine[0]}};
    farpoint::shard<view> const part{points, problem.first_index + begin - (is_odd ? odd.first_less : 0)};
    farpoint::fps_params params = problem.params;
    params.first += problem.first_index;
    params.chosen = farpoint::index_view{chosen};
    params.samples += is_odd ? odd.more_samples : 0;
    if (is_odd && odd.stop_below != 0) params.stop_below = odd.stop_below;
    auto const size = static_cast<std::size_t>(std::max<index_t>(params.samples, 0));
    rank_lists<Coord> const lists{size};
    auto& answer = answers[rank];
    auto output = lists.template output<farpoint::fps_shard_output<Coord>>();
    if (is_odd && odd.lacks_room) output.indices = output.indices.first(size - 1);
    output.count = &answer.count;
    output.exchanges = &answer.exchanges;
    output.report = &answer.report;
    farpoint::host_exec const exec{is_odd && odd.has_bad_threads ? -3 : problem.threads};
    std::size_t needed = farpoint::fps_shard_workspace_bytes(exec, ranks, part, params, output);
    if (problem.is_tuned && needed > 0) {
      needed = farpoint::detail::fps_shard_memory<Coord, Dim>{nullptr,       problem.threads, ranks,
                                                              points.size(), params.samples,  problem.tuning}
                   .size;
    }
    host_array<unsigned char> const workspace{needed};
    farpoint::bytes const memory{workspace.data(), is_odd && odd.workspace_less > 0 ? odd.workspace_less : needed};
    failing_communicator communicator{group, number, {is_odd ? number : -1, odd.fails_after}};
    auto const outcome = problem.is_tuned ? farpoint::detail::fps_shard_by<Rule>(exec, communicator, part, params,
                                                                                 output, memory, problem.tuning)
                                          : fps_shard(exec, communicator, part, params, output, memory);
    lists.read(answer, outcome, workspace);
    answer.is_untouched = lists.untouched() && answer.count == -1;
  });
  return answers;
}

template <class Coord>
bool same_samples(fps_shard_answer<Coord> const& a, fps_shard_answer<Coord> const& b) {
  // Distances are neither NaN nor -0, so operator== compares bits.
  return a.count == b.count && a.indices == b.indices && a.distances == b.distances;
}

#if !defined(FARPOINT_TESTS_FOR_RACES)
// Mutations of the rule, which must be detected.

/// Ignores candidates that are not listed.
struct unlisted_forgotten : fps_shard_rule {
  template <class Group, class Candidate>
  static bool may_block(Group const&, Candidate const&) {
    return false;
  }
};
/// Candidates at equal distances do not block each other.
struct no_tie_rule : fps_shard_rule {
  template <class Candidate>
  static bool blocks(Candidate const& other, Candidate const& mine) {
    return fps_shard_rule::blocks(other, mine) && other.ball.radius2 > mine.ball.radius2;
  }
};
struct smaller_ball : fps_shard_rule {
  template <class Candidate>
  static bool blocks(Candidate const& other, Candidate mine) {
    bool const better = other.key() > mine.key();
    mine.ball.radius2 *= 0.8f;
    return better && farpoint::distance2(other.ball.center, mine.ball.center) < mine.ball.radius2;
  }
};
/// A sample lowers distances outside its ball, too.
struct ball_not_limited : fps_shard_rule {
  template <class Candidate>
  static auto lowers(Candidate const& sample) {
    auto ball = sample.ball;
    ball.radius2 = std::numeric_limits<float>::infinity();
    return ball;
  }
};

/// Counts the random problems, of `count`, whose samples differ from the samples of one call.
template <class Rule>
int count_different(std::uint64_t count) {
  int different = 0;
  for (std::uint64_t seed = 0; seed < count; ++seed) {
    auto problem = random_fps_shard_problem<float>(seed);
    if (!problem.is_tuned) continue;
    auto const expected = one_call(problem);
    for (auto const& answer : run_fps_ranks<Rule>(problem)) {
      bool const same = answer.outcome && same_samples(answer, expected);
      if (!same && different == 0) UNSCOPED_INFO("seed " << seed);
      different += same ? 0 : 1;
    }
  }
  return different;
}
#endif

template <class Coord, int Dim>
void check_fps_shards(fps_shard_problem<Coord, Dim> const& problem, bool fast = false) {
  check_fps_answers(run_fps_ranks(problem), one_call(problem, fast));
}

}  // namespace

TEST_CASE("fps_shard: random problems on 1 to 4 ranks give what one call gives", "[fps][shard]") {
  for_each_seed(rounds(400), [](std::uint64_t seed) { check_fps_shards(random_fps_shard_problem<float>(seed)); });
}

NUMBERS_TEST_CASE("fps_shard: double coordinates", "[fps][shard][numbers]") {
  for_each_seed(rounds(100), [](std::uint64_t seed) { check_fps_shards(random_fps_shard_problem<double>(seed)); });
}

NUMBERS_TEST_CASE("fps_shard: other numbers of coordinates", "[fps][shard][numbers]") {
  for_each_seed(rounds(40), [](std::uint64_t seed) {
    check_fps_shards(random_fps_shard_problem<float, 2>(seed));
    check_fps_shards(random_fps_shard_problem<float, 5>(seed));
  });
}

#if !defined(FARPOINT_TESTS_FOR_RACES)
TEST_CASE("fps_shard: wrong rules are caught", "[fps][shard]") {
  CHECK(count_different<unlisted_forgotten>(60) > 0);
  CHECK(count_different<no_tie_rule>(60) > 0);
  CHECK(count_different<smaller_ball>(60) > 0);
  CHECK(count_different<ball_not_limited>(100) > 0);
}
#endif

NUMBERS_TEST_CASE("fps_shard: exchanges grow with the logarithm of the samples", "[fps][shard][numbers]") {
  constexpr index_t n = 16384;
  // docs/scale.md has these bounds.
  struct row {
    shape which;
    index_t samples;
    index_t most;
  };
  for (auto const& [which, samples, most] :
       {row{shape::cube, 128, 30}, row{shape::cube, 2048, 45}, row{shape::rings, 2048, 50}}) {
    auto const problem = shared_out<float>(make_cloud(which, static_cast<std::size_t>(n), 1), samples, 4);
    auto const expected = one_call(problem, true);
    auto const answers = run_fps_ranks(problem);
    INFO(answers[0].outcome.reason);
    CHECK(same_samples(answers[3], expected));
    CAPTURE(n, samples);
    CHECK(answers[0].exchanges < most);
    std::printf("fps_shard: %d exchanges for %d samples\n", int(answers[0].exchanges), int(samples));
  }
}

TEST_CASE("fps_shard: ranks of two threads", "[fps][shard]") {
  auto problem = shared_out<float>(make_cloud(shape::cube, for_races ? 20000 : 300000, 1), 40, 2);
  problem.threads = 2;
  check_fps_shards(problem, true);
}

TEST_CASE("fps_shard: what one rank may not do, all ranks return from", "[fps][shard]") {
  auto problem = shared_out<float>(make_cloud(shape::cube, 200, 1), 30, 3);
  auto const outcomes = [&problem](odd_rank const& odd, std::chrono::milliseconds timeout = std::chrono::minutes{1}) {
    std::vector<status> codes;
    bool is_untouched = true;
    for (auto const& answer : run_fps_ranks(problem, odd, timeout)) {
      codes.push_back(answer.outcome.code);
      is_untouched = is_untouched && answer.is_untouched;
    }
    if (codes[0] == status::bad_argument) CHECK(is_untouched);
    return codes;
  };
  auto const all = [](status code) { return std::vector<status>(3, code); };
  odd_rank const as_others;
  CHECK(outcomes(as_others) == all(status::ok));

  SECTION("arguments of one rank") {
    odd_rank odd;
    odd.stop_below = -1;
    CHECK(outcomes(odd) == all(status::bad_argument));
    odd = {};
    odd.lacks_room = true;
    CHECK(outcomes(odd) == all(status::bad_argument));
    odd = {};
    odd.has_bad_threads = true;
    CHECK(outcomes(odd) == all(status::bad_argument));
    odd = {};
    odd.first_less = 100;
    CHECK(outcomes(odd) == all(status::bad_argument));
    odd = {};
    odd.workspace_less = 64;
    CHECK(outcomes(odd) ==
          std::vector<status>{status::bad_argument, status::workspace_too_small, status::bad_argument});
  }
  SECTION("arguments that differ") {
    odd_rank odd;
    odd.more_samples = 1;
    CHECK(outcomes(odd) == all(status::bad_argument));
    odd = {};
    odd.stop_below = 0.01;
    CHECK(outcomes(odd) == all(status::bad_argument));
  }
  SECTION("arguments of all") {
    problem.params.samples = -1;
    CHECK(outcomes(as_others) == all(status::bad_argument));
    problem.params.samples = 5;
    problem.params.first = -1;
    CHECK(outcomes(as_others) == all(status::bad_argument));
    problem.params.first = 200;
    CHECK(outcomes(as_others) == all(status::bad_argument));
    problem.params.first = 0;
    std::vector<index_t> const one{1};
    problem.params.firsts = farpoint::index_view{one};
    CHECK(outcomes(as_others) == all(status::bad_argument));
  }
  SECTION("a rank that does not come, or fails on its way") {
    auto const soon = std::chrono::milliseconds{50};
    odd_rank odd;
    odd.is_missing = true;
    CHECK(outcomes(odd, soon) ==
          std::vector<status>{status::communication_failure, status::ok, status::communication_failure});
    CHECK(check_failures([&](failure const& fails) {
            odd_rank failing;
            failing.rank = static_cast<std::size_t>(std::max(fails.rank, 0));
            failing.fails_after = fails.after;
            return outcomes(failing);
          }) > 3);
  }
}

TEST_CASE("fps_shard: many chosen points come in several messages", "[fps][shard]") {
  auto problem = shared_out<float>(make_cloud(shape::cube, 900, 1), 50, 3);
  for (index_t i = 0; i < 700; ++i) problem.chosen.push_back(i * 7 % 901);
  problem.is_tuned = true;
  problem.tuning.groups = 2;
  problem.tuning.listed = 3;
  check_fps_shards(problem);
}

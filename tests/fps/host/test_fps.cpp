// fps() on host_exec: the shared cases with several numbers of threads, and what only the host can show.
#include <farpoint/fps.hpp>

#include <limits>
#include <thread>

#include "../../support/catch.hpp"
#include "../../support/check_answer.hpp"
#include "../../support/limits.hpp"
#include "../../support/printed.hpp"
#include "../../support/test_scale.hpp"
#include "../fps_problem.hpp"
#include "../fps_tuned.hpp"

using namespace farpoint_tests;

namespace {

template <class Problem>
auto solve_with(Problem const& problem, int threads) {
  return collect(problem, [&](farpoint::fps_params const& params, auto const& output) {
    auto const clouds = problem.clouds_at(problem.memory.data(), problem.offsets.data());
    host_workspace const workspace{farpoint::fps_workspace_bytes(host_exec{threads}, clouds, params)};
    return farpoint::fps(host_exec{threads}, clouds, params, output, workspace.get());
  });
}

template <class Problem>
auto solve(Problem const& problem) {
  auto const answer = solve_with(problem, 1);
  for (int const threads : {2, 3}) {
    INFO("threads: " << threads);
    CHECK(same_answer(solve_with(problem, threads), answer));
  }
  return answer;
}

}  // namespace

#define BACKEND_NAME "host"
#define BACKEND_TAG "[host]"
#include "../fps_tests.inc"

// Small clouds through everything that large ones go through: few points in a bucket make many chunks, and a short list
// makes many rounds.

namespace {

using farpoint::fps_host_tuning;

fps_host_tuning tight_tuning(farpoint::index_t bucket_points, farpoint::index_t list_points) {
  fps_host_tuning tuning;
  tuning.bucket_points = bucket_points;
  tuning.list_points = list_points;
  tuning.sort_from_samples = 0;
  tuning.rounds_for_one_chunk = true;
  tuning.worth_a_thread = 1e-3;
  tuning.team_from_points = 1;
  return tuning;
}

template <class Problem>
auto solve_tuned(Problem const& problem, int threads, fps_host_tuning const& tuning) {
  return collect(problem, [&](farpoint::fps_params const& params, auto const& output) {
    auto const clouds = problem.clouds_at(problem.memory.data(), problem.offsets.data());
    host_workspace const workspace{fps_tuned_bytes(host_exec{threads}, clouds, params, tuning)};
    return fps_tuned(host_exec{threads}, clouds, params, output, workspace.get(), tuning);
  });
}

/// A team's members in turns on one thread, so that each gets units of every round, which on a busy machine the system
/// may not give it.
template <class Problem>
auto solve_in_turns(Problem const& problem, int threads, fps_host_tuning const& tuning) {
  return collect(problem, [&](farpoint::fps_params const& params, auto const& output) -> farpoint::result {
    auto const clouds = problem.clouds_at(problem.memory.data(), problem.offsets.data());
    farpoint::detail::fps_host_plan const plan{host_exec{threads}, clouds, params, tuning};
    host_workspace const workspace{plan.bytes()};
    if (params.samples == 0 || clouds.largest() <= plan.share_limit()) {
      return fps_tuned(host_exec{threads}, clouds, params, output, workspace.get(), tuning);
    }
    using view = typename Problem::view;
    farpoint::detail::fps_host_counters counters;
    farpoint::detail::fps_host_task<view> const task{{clouds, params, output}, counters, plan};
    farpoint::detail::fps_host_sampler<view> sampler{task, plan.team_memory(workspace.get()), plan.threads()};
    int turn = 0;
    for (index_t b = 0; b < clouds.size(); ++b) {
      for (std::uint32_t units = sampler.begin(b); units != 0; units = sampler.next()) {
        for (std::uint32_t unit = 0; unit < units; ++unit) sampler.work(turn++ % plan.threads(), unit);
        ++turn;
      }
    }
    *output.report = counters.sum();
    return {};
  });
}

/// Hostile coordinates that make_cloud() does not have: signed zeros, clusters at very different scales, and
/// differences that overflow.
xyz_cloud make_odd_cloud(std::int64_t which, std::size_t n, random_source& random) {
  xyz_cloud cloud(n);
  auto const unit = [&random] { return static_cast<double>(random.uniform()); };
  for (auto& p : cloud) {
    for (auto& c : p) {
      switch (which) {
        case 0: c = random.below(2) == 0 ? 0.0 : -0.0; break;
        case 1: c = (static_cast<double>(random.below(3)) - 1) * 1e30; break;
        case 2: c = (unit() - 0.5) * 1e30 * (random.below(2) == 0 ? 1e-36 : 1); break;
        case 3: c = random.below(9) == 0 ? 1e5 : unit() / 1024; break;
        case 4: c = std::ldexp(unit(), static_cast<int>(random.below(40)) - 20); break;
        default: c = static_cast<double>(random.below(3)) * (random.below(8) == 0 ? std::nan("") : 1); break;
      }
      c = rounded_to_float(c);
    }
  }
  return cloud;
}

template <class Coord>
fps_problem<Coord> make_random_problem(std::uint64_t seed, std::int64_t point_limit) {
  random_source random{seed};
  auto const n = static_cast<std::size_t>(random.below(point_limit));
  auto const shapes = static_cast<std::int64_t>(std::size(all_shapes));
  auto const which = random.below(shapes + 6);
  fps_problem<Coord> problem{
      which < shapes ? make_cloud(all_shapes[which], n, seed) : make_odd_cloud(which - shapes, n, random),
      random.below(static_cast<std::int64_t>(n) + 3)};
  problem.wide = random.below(2) == 1;
  if (n > 10 && random.below(4) == 0) {
    auto const middle = random.below(static_cast<std::int64_t>(n));
    problem.offsets = {0, middle, middle, static_cast<index_t>(n)};
  } else if (n > 0) {
    problem.first = random.below(static_cast<std::int64_t>(n));
  }
  if (n > 0 && problem.offsets.empty() && random.below(3) == 0) {
    for (auto left = random.below(12); left >= 0; --left) {
      problem.chosen.push_back(random.below(static_cast<std::int64_t>(n) + 1) - 1);
    }
  }
  if (random.below(4) == 0) problem.stop_below = static_cast<double>(random.uniform());
  return problem;
}

/// Problems of one coordinate type against the serial loop, each with some tuning and number of threads.
template <class Coord>
void check_random_problems(std::uint64_t first_seed, std::uint64_t count, std::int64_t point_limit) {
  for (std::uint64_t seed = first_seed; seed < first_seed + rounds(count); ++seed) {
    auto const problem = make_random_problem<Coord>(seed, point_limit);
    auto const expected = reference_answer(problem);
    random_source random{seed};
    auto const bucket_points = random.below(4) == 0 ? 64 : 1 + random.below(7);
    auto const list_points = random.below(4) == 0 ? 1024 : 1 + random.below(40);
    for (int const threads : {1, 2, 3, 5}) {
      // Every number of threads with every fourth problem: starting threads takes longer than such a problem.
      if (threads > 1 && (seed + static_cast<std::uint64_t>(threads)) % 4 != 0) continue;
      auto const tuning = tight_tuning(bucket_points, list_points);
      auto const actual = solve_tuned(problem, threads, tuning);
      bool const same_in_turns = threads == 1 || same_answer(solve_in_turns(problem, threads, tuning), expected);
      if (same_answer(actual, expected) && same_in_turns) continue;
      CAPTURE(seed, threads, same_in_turns, bucket_points, list_points, sizeof(Coord), problem.points);
      INFO(difference(actual, expected));
      CHECK(false);
    }
  }
}

}  // namespace

TEST_CASE("fps, host: thousands of small problems in many chunks and rounds", "[fps][host]") {
  check_random_problems<float>(10000, 5000, 150);
  check_random_problems<float>(20000, 600, 600);
  check_random_problems<double>(30000, 1000, 150);
  check_random_problems<farpoint::float16>(40000, 600, 150);
  CHECK(true);
}

TEST_CASE("fps, host: a short list keeps the best, and its threshold says what it may have dropped", "[fps][host]") {
  using entry = farpoint::detail::fps_entry<float>;
  for (std::uint64_t seed = 0; seed < rounds(500); ++seed) {
    CAPTURE(seed);
    random_source random{seed};
    auto const keep = static_cast<std::uint32_t>(1 + random.below(8));
    auto const count = static_cast<std::uint32_t>(1 + random.below(60));
    std::vector<entry> memory(4 * keep);
    std::array<farpoint::detail::fps_host_candidates<float>, 2> lists;
    for (std::size_t t = 0; t < 2; ++t) {
      lists[t].use(memory.data() + t * 2 * keep, keep);
      lists[t].restart(0, {1, 5});
    }
    std::vector<entry> all;
    for (std::uint32_t i = 0; i < count; ++i) {
      all.push_back({static_cast<float>(random.below(6)), i, i});
      lists[random.below(4) == 0 ? 1 : 0].push(all.back());
    }
    lists[0].merge(lists[1]);
    lists[0].settle();

    std::vector<bool> listed(count);
    for (std::uint32_t i = 0; i < lists[0].size(); ++i) listed[lists[0][i].slot] = true;
    std::uint32_t above_start = 0;
    bool complete = true;
    for (entry const& e : all) {
      above_start += e.distance > 1 || (e.distance == 1 && e.index < 5) ? 1 : 0;
      complete = complete && (listed[e.slot] || !lists[0].threshold().admits(e.distance, e.index));
    }
    CHECK(complete);
    CHECK(lists[0].size() <= keep);
    CHECK(lists[0].size() >= std::min(keep, above_start));
  }
}

TEST_CASE("fps, host: every shape in rounds by many threads", "[fps][host]") {
  for (shape const which : all_shapes) {
    fps_problem<float> const problem{make_cloud(which, 6000, 81), 600};
    auto const expected = reference_answer(problem);
    for (index_t const list_points : {1, 7, 64, 1000}) {
      for (int const threads : {1, 2, 5}) {
        if (for_memory && threads == 2) continue;  // five share what two share, in smaller parts
        CAPTURE(static_cast<int>(which), list_points, threads);
        auto const actual = solve_tuned(problem, threads, tight_tuning(8, list_points));
        check_answer(actual, expected);
        CHECK(same_answer(solve_in_turns(problem, threads, tight_tuning(8, list_points)), expected));
      }
    }
  }
}

TEST_CASE("fps, host: more chosen points than a list holds", "[fps][host]") {
  auto const cloud = make_cloud(shape::lattice, 3000, 82);
  fps_problem<float> problem{cloud, 1000};
  random_source random{83};
  for (int i = 0; i < 700; ++i) problem.chosen.push_back(random.below(3000));
  auto const expected = reference_answer(problem);
  for (index_t const list_points : {1, 33, 64, 1024}) {
    CAPTURE(list_points);
    CHECK(same_answer(solve_tuned(problem, 2, tight_tuning(16, list_points)), expected));
  }
  CHECK(same_answer(solve(problem), expected));
}

TEST_CASE("fps, host: a million equal points are picked by index, and soon", "[fps][host]") {
  std::vector<std::array<float, 3>> const points(1000000, {1.5f, -2, 3});
  auto const picks = farpoint::fps(points, 250000);
  REQUIRE(picks.indices.size() == 250000);
  bool ascending = true;
  for (std::size_t i = 0; i < picks.indices.size(); ++i) ascending &= picks.indices[i] == static_cast<int>(i);
  CHECK(ascending);
}

TEST_CASE("fps, host: 25 bytes of workspace per point, and a constant for each thread", "[fps][host]") {
  using view = farpoint::point_view<float>;
  for (index_t const n : {0, 1, 100, 5000, 50000, 131072, 1000000, 10000000}) {
    for (index_t const clouds : {1, 2, 100}) {
      index_t const total = n * clouds;
      auto const batch = farpoint::batch<view>::regular(view{nullptr, total}, clouds);
      farpoint::fps_params params;
      params.samples = n / 4;
      for (int const threads : {1, 2, 16}) {
        CAPTURE(n, clouds, threads);
        auto const bytes = static_cast<index_t>(farpoint::fps_workspace_bytes(host_exec{threads}, batch, params));
        CHECK(bytes <= 25 * total + 40000 * threads);
      }
    }
  }
}

TEST_CASE("fps, host: large clouds of a batch go to the team, small ones are shared out", "[fps][host]") {
  fps_problem<float> problem{make_cloud(shape::cube, 80000, 71), 40};
  problem.offsets = {0, 40000, 41000, 41100, 41200, 80000};
  auto const expected = reference_answer(problem);
  for (int const threads : {1, 2, 4, 7, 16, 0}) {
    CAPTURE(threads);
    CHECK(same_answer(solve_with(problem, threads), expected));
  }
}

TEST_CASE("fps, host: a team puts a large cloud in order", "[fps][host]") {
  for (std::uint64_t const seed : {1u, 2u, 3u}) {
    random_source random{seed};
    auto const n = static_cast<std::size_t>(17000 + random.below(30000));
    shape const which = seed == 1 ? shape::cube : seed == 2 ? shape::duplicates : shape::lattice;
    auto cloud = make_cloud(which, n, seed);
    for (int i = 0; i < 500; ++i) {
      cloud[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(n)))]
           [static_cast<std::size_t>(random.below(3))] = std::nan("");
    }
    for (std::size_t i = 0; i < 5; ++i) cloud[i][0] = -std::numeric_limits<double>::infinity();
    fps_problem<float> problem{cloud, 60};
    if (seed == 3) {
      for (int i = 0; i < 9; ++i) problem.chosen.push_back(random.below(static_cast<std::int64_t>(n) + 1) - 1);
    }
    auto const expected = reference_answer(problem);
    for (int const threads : {1, 2, 3, 8}) {
      CAPTURE(seed, n, threads);
      fps_host_tuning tuning;
      tuning.team_from_points = 1000;
      tuning.worth_a_thread = 1;
      auto const answer = solve_tuned(problem, threads, tuning);
      CHECK(same_answer(answer, expected));
      auto const in_turns = solve_in_turns(problem, threads, tuning);
      CHECK(same_answer(in_turns, expected));
    }
  }
}

TEST_CASE("fps, host: workspace is checked at the door", "[fps][host]") {
  fps_problem<float> const problem{make_cloud(shape::cube, 1000, 72), 10};
  auto const run = [&](std::size_t missing, std::size_t shift) {
    return collect(problem, [&](farpoint::fps_params const& params, auto const& output) {
      auto const clouds = problem.clouds_at(problem.memory.data(), nullptr);
      std::size_t const needed = farpoint::fps_workspace_bytes(host_exec{1}, clouds, params);
      host_workspace const workspace{needed + 256};
      farpoint::bytes const part{workspace.get().data() + shift, needed - missing};
      return farpoint::fps(host_exec{1}, clouds, params, output, part);
    });
  };
  CHECK(run(0, 0).outcome.code == farpoint::status::ok);
  CHECK(run(1, 0).outcome.code == farpoint::status::workspace_too_small);
  CHECK(run(0, 8).outcome.code == farpoint::status::bad_argument);
}

TEST_CASE("fps, host: what the arrays say is counted, as on a device", "[fps][host]") {
  auto const report = [](auto change) {
    fps_problem<float> problem{make_cloud(shape::cube, 60, 73), 5};
    problem.clouds = 2;
    change(problem);
    auto const answer = solve_with(problem, 1);
    CHECK(answer.outcome.code == farpoint::status::ok);
    CHECK(same_answer(answer, reference_answer(problem)));
    return answer.report;
  };
  CHECK(report([](auto& p) { p.firsts = {0, 30}; }).first_out_of_range == 1);
  CHECK(report([](auto& p) { p.firsts = {-1, -7}; }).first_out_of_range == 2);
  CHECK(report([](auto& p) { p.chosen = {0, 30}; }).chosen_out_of_range == 1);
  CHECK(report([](auto& p) { p.chosen = {-2, 0}; }).chosen_out_of_range == 1);
  CHECK(report([](auto& p) { p.offsets = {0, 61}; }).bad_offsets == 1);
  CHECK(report([](auto& p) { p.offsets = {-1, 5}; }).bad_offsets == 1);
  CHECK(report([](auto& p) { p.offsets = {0, 30, 20}; }).bad_offsets == 1);
  CHECK(report([](auto& p) { p.offsets = {0, 30, 40}, p.first = 10; }).first_out_of_range == 1);
}

TEST_CASE("fps, host: containers whose first sample or chosen points are out of range", "[fps][host]") {
  std::vector<std::array<float, 3>> const points(10);
  farpoint::fps_params params;
  std::vector<std::int32_t> const one{10};
  params.chosen = one;
  CHECK_THROWS_AS(farpoint::fps(points, 3, params), std::invalid_argument);
  params.chosen = {};
  params.firsts = one;
  CHECK_THROWS_AS(farpoint::fps(points, 3, params), std::invalid_argument);
}

TEST_CASE("fps, host: outputs that are too small are refused", "[fps][host]") {
  auto const cloud = make_cloud(shape::cube, 60, 74);
  fps_problem<float> const problem{cloud, 5};
  auto const clouds = problem.clouds_at(problem.memory.data(), nullptr);
  farpoint::fps_params params;
  params.samples = 5;
  host_workspace const workspace{farpoint::fps_workspace_bytes(host_exec{1}, clouds, params)};
  std::vector<int> four(4), five(5), none;
  std::vector<float> distances(4);
  auto const code = [&](farpoint::fps_output<float> const& output) {
    return farpoint::fps(host_exec{1}, clouds, params, output, workspace.get()).code;
  };
  CHECK(code({four}) == farpoint::status::bad_argument);
  CHECK(code({none}) == farpoint::status::bad_argument);
  CHECK(code({five, distances}) == farpoint::status::bad_argument);
  CHECK(code({five}) == farpoint::status::ok);
  CHECK(farpoint::fps(host_exec{-1}, clouds, params, {five}, workspace.get()).code == farpoint::status::bad_argument);
}

TEST_CASE("fps, host: calls from many threads at once do not disturb one another", "[fps][host]") {
  std::vector<std::thread> callers;
  std::vector<int> equal(8, 0);
  for (std::size_t caller = 0; caller < 8; ++caller) {
    callers.emplace_back([caller, &equal] {
      fps_problem<float> const problem{make_cloud(shape::cube, 5000 + caller, caller), 100};
      equal[caller] = same_answer(solve_with(problem, 2), reference_answer(problem)) ? 1 : 0;
    });
  }
  for (auto& caller : callers) caller.join();
  CHECK(equal == std::vector<int>(8, 1));
}

TEST_CASE("fps, host: three lines for containers of the usual point types", "[fps][host]") {
  struct point_xyzi {
    float x, y, z, intensity;
  };
  auto const cloud = make_cloud(shape::cube, 500, 75);
  std::vector<std::array<float, 3>> arrays;
  std::vector<point_xyzi> structs;
  std::vector<std::array<double, 3>> doubles{cloud.begin(), cloud.end()};
  for (auto const& p : cloud) {
    arrays.push_back({static_cast<float>(p[0]), static_cast<float>(p[1]), static_cast<float>(p[2])});
    structs.push_back({arrays.back()[0], arrays.back()[1], arrays.back()[2], 7});
  }
  auto const expected = reference_answer(fps_problem<float>{cloud, 50});

  auto const picks = farpoint::fps(arrays, 50);
  CHECK(widen(picks.indices) == expected.indices);
  CHECK(picks.distances == expected.distances);
  CHECK(widen(farpoint::fps(structs, 50).indices) == expected.indices);
  CHECK(farpoint::fps(doubles, 50).indices.size() == 50);
  CHECK(farpoint::fps(arrays, 501).indices.size() == 500);
  CHECK(farpoint::fps(std::vector<std::array<float, 3>>{}, 5).indices.empty());
  CHECK_THROWS_AS(farpoint::fps(arrays, -1), std::invalid_argument);
  farpoint::fps_params from_seven;
  from_seven.first = 7;
  CHECK(farpoint::fps(arrays, 3, from_seven).indices[0] == 7);
}

TEST_CASE("fps, host: threads change nothing in calls of containers, and -1 is refused", "[fps][host]") {
  std::vector<std::array<float, 3>> points;
  for (auto const& p : make_cloud(shape::cube, 50000, 76)) {
    points.push_back({static_cast<float>(p[0]), static_cast<float>(p[1]), static_cast<float>(p[2])});
  }
  auto const one = farpoint::fps(points, 300, {}, host_exec{1});
  auto const spread = farpoint::poisson_subset(points, 0.1, host_exec{1});
  for (int const threads : {0, 2, 3}) {
    CAPTURE(threads);
    auto const picks = farpoint::fps(points, 300, {}, host_exec{threads});
    CHECK(picks.indices == one.indices);
    CHECK(picks.distances == one.distances);
    CHECK(farpoint::poisson_subset(points, 0.1, host_exec{threads}) == spread);
  }
  CHECK(farpoint::fps(points, 300).indices == one.indices);
  CHECK(farpoint::fps(points, 300, {}, {}).indices == one.indices);
  CHECK_THROWS_AS(farpoint::fps(points, 300, {}, host_exec{-1}), std::invalid_argument);
  CHECK_THROWS_AS(farpoint::poisson_subset(points, 0.1, host_exec{-1}), std::invalid_argument);
}

TEST_CASE("fps, host: numbers of samples at the limits of their type", "[fps][host]") {
  std::vector<std::array<float, 3>> const points{{0, 0, 0}, {1, 0, 0}, {4, 0, 0}};
  constexpr index_t least = std::numeric_limits<index_t>::min();
  constexpr index_t most = std::numeric_limits<index_t>::max();
  for (index_t const samples : {least, least + 1, index_t{-1000000}, index_t{-501}, index_t{-500}, index_t{-50}}) {
    CAPTURE(samples);
    CHECK_THROWS_AS(farpoint::fps(points, samples), std::invalid_argument);
    CHECK_THROWS_AS(farpoint::fps(std::vector<std::array<float, 3>>{}, samples), std::invalid_argument);
    farpoint::batch const cloud{farpoint::view_points(points)};
    farpoint::fps_params params;
    params.samples = samples;
    for (int const threads : {0, 1, 3, std::numeric_limits<int>::max()}) {
      host_workspace const workspace{farpoint::fps_workspace_bytes(host_exec{threads}, cloud, params)};
      auto const outcome = farpoint::fps(host_exec{threads}, cloud, params, {}, workspace.get());
      CHECK(outcome.code == farpoint::status::bad_argument);
    }
  }
  CHECK(farpoint::fps(points, most).indices == std::vector<std::int32_t>{0, 2, 1});
  CHECK(farpoint::fps(std::vector<std::array<float, 3>>{}, most).indices.empty());
  farpoint::fps_params from;
  for (index_t const first : {least, index_t{-1}, index_t{3}, most}) {
    from.first = first;
    CHECK_THROWS_AS(farpoint::fps(points, 2, from), std::invalid_argument);
  }
}

TEST_CASE("fps, host: numbers of clouds and points at the limits of their type", "[fps][host]") {
  for_batches_at_limits([](auto const& clouds, bool refused) {
    farpoint::fps_params params;
    for (int const threads : {1, 2, std::numeric_limits<int>::max()}) {
      (void)farpoint::fps_workspace_bytes(host_exec{threads}, clouds, params);
    }
    CAPTURE(clouds.size(), clouds.points().size());
    if (refused) {
      CHECK(farpoint::fps(host_exec{1}, clouds, params, {}, {}).code == farpoint::status::bad_argument);
    }
  });
}

namespace {

/// Inputs of the default's choice on an H200.
farpoint::fps_case case_on_h200(index_t clouds, index_t points, index_t samples, int scalar_bytes = 4) {
  bool const is_double = scalar_bytes == 8;
  farpoint::fps_case c{};
  c.largest = points;
  c.points = clouds * points;
  c.clouds = clouds;
  c.samples = samples;
  c.scalar_bytes = scalar_bytes;
  c.region_points = is_double ? 4096 : 8192;
  c.team_points = is_double ? 2048 : 4096;
  c.multiprocessors = 132;
  return c;
}

}  // namespace

TEST_CASE("fps, host: what the default chooses on an H200 is the fastest kernel of each row", "[fps][host]") {
  using farpoint::fps_choice;
  using farpoint::fps_kernel;
  auto const choice = [](index_t clouds, index_t points, index_t samples, int scalar_bytes = 4) {
    return farpoint::fps_selector::choose(case_on_h200(clouds, points, samples, scalar_bytes));
  };
  // One block per cloud.
  CHECK(choice(1, 1024, 512) == fps_choice{fps_kernel::in_regions});
  CHECK(choice(256, 1024, 256) == fps_choice{fps_kernel::in_regions});
  CHECK(choice(1, 4096, 32) == fps_choice{fps_kernel::in_global_memory});
  CHECK(choice(1, 4096, 1024) == fps_choice{fps_kernel::in_regions});
  CHECK(choice(32, 4096, 32) == fps_choice{fps_kernel::in_global_memory});
  CHECK(choice(32, 4096, 1024) == fps_choice{fps_kernel::in_regions});
  CHECK(choice(128, 8192, 1024) == fps_choice{fps_kernel::in_regions});
  CHECK(choice(80, 16384, 32) == fps_choice{fps_kernel::in_global_memory});
  // Few samples: no sort.
  CHECK(choice(1, 10000, 32) == fps_choice{fps_kernel::in_teams, 16, false, 40, 32, 8});
  CHECK(choice(1, 16384, 32) == fps_choice{fps_kernel::in_teams, 16, false, 40, 32, 8});
  CHECK(choice(1, 17000, 32) == fps_choice{fps_kernel::in_teams, 34, false, 40, 32, 8});
  CHECK(choice(8, 16384, 32) == fps_choice{fps_kernel::in_teams, 16, false, 40, 32, 8});
  CHECK(choice(16, 8192, 1024) == fps_choice{fps_kernel::in_teams, 8, false, 40, 32, 8});
  // Small teams.
  CHECK(choice(40, 8192, 1024) == fps_choice{fps_kernel::in_teams, 3, true, 40, 32, 8});
  CHECK(choice(16, 40000, 1024) == fps_choice{fps_kernel::in_teams, 8, true, 40, 32, 8});
  CHECK(choice(16, 65536, 4096) == fps_choice{fps_kernel::in_teams, 8, true, 40, 32, 8});
  CHECK(choice(64, 10000, 1000) == fps_choice{fps_kernel::in_teams, 2, true, 40, 32, 8});
  CHECK(choice(64, 16384, 1024) == fps_choice{fps_kernel::in_teams, 2, true, 40, 32, 8});
  // Lengths of lists.
  CHECK(choice(6, 10000, 10000) == fps_choice{fps_kernel::in_teams, 20, true, 60, 32, 8});
  CHECK(choice(4, 16384, 4096) == fps_choice{fps_kernel::in_teams, 32, true, 40, 32, 8});
  CHECK(choice(1, 49497, 4096) == fps_choice{fps_kernel::in_teams, 97, true, 48, 32, 8});
  CHECK(choice(1, 131072, 4096) == fps_choice{fps_kernel::in_teams, 132, true, 24, 16, 8});
  // Points in memory are sorted for few samples, too.
  CHECK(choice(1, 1000000, 32) == fps_choice{fps_kernel::in_teams, 132, true, 12, 16, 8});
  CHECK(choice(1, 300000, 32) == fps_choice{fps_kernel::in_teams, 132, false, 40, 32, 8});
  CHECK(choice(1, 1000000, 1024) == fps_choice{fps_kernel::in_teams, 132, true, 12, 16, 20});
  CHECK(choice(1, 1000000, 10000) == fps_choice{fps_kernel::in_teams, 132, true, 28, 16, 20});
  CHECK(choice(1, 1000000, 100000) == fps_choice{fps_kernel::in_teams, 132, true, 60, 32, 20});
  CHECK(choice(1, 2000000, 10000) == fps_choice{fps_kernel::in_teams, 132, true, 24, 16, 20});
  CHECK(choice(1, 10000000, 10000) == fps_choice{fps_kernel::in_teams, 132, true, 36, 32, 20});
  // Blocks shared out: more large clouds than teams of two blocks.
  CHECK(choice(80, 16384, 1024) == fps_choice{fps_kernel::in_teams, 132, true, 40, 32, 8, true});
  // Doubles: regions of smaller clouds, and short lists.
  CHECK(choice(1, 2048, 512, 8) == fps_choice{fps_kernel::in_regions});
  CHECK(choice(200, 4096, 1024, 8) == fps_choice{fps_kernel::in_regions});
  CHECK(choice(32, 4096, 1024, 8) == fps_choice{fps_kernel::in_teams, 4, true, 24, 16, 8});
  CHECK(choice(6, 10000, 1000, 8) == fps_choice{fps_kernel::in_teams, 20, true, 24, 16, 8});
  CHECK(choice(1, 16384, 32, 8) == fps_choice{fps_kernel::in_teams, 16, false, 40, 32, 8});
  CHECK(choice(6, 10000, 10000, 8) == fps_choice{fps_kernel::in_teams, 20, true, 24, 16, 8});
  CHECK(choice(1, 131072, 4096, 8) == fps_choice{fps_kernel::in_teams, 132, true, 24, 16, 8});
  CHECK(choice(1, 1000000, 1024, 8) == fps_choice{fps_kernel::in_teams, 132, true, 12, 16, 20});
  CHECK(choice(1, 1000000, 100000, 8) == fps_choice{fps_kernel::in_teams, 132, true, 60, 32, 20});
  CHECK(choice(64, 16384, 1024, 8) == fps_choice{fps_kernel::in_teams, 2, true, 24, 16, 8});
  CHECK(choice(128, 8192, 1024, 8) == fps_choice{fps_kernel::in_teams, 132, true, 24, 16, 8, true});
  // Nothing to sample.
  CHECK(choice(0, 0, 10) == fps_choice{fps_kernel::in_regions});
  CHECK(choice(3, 0, 10) == fps_choice{fps_kernel::in_regions});
}

TEST_CASE("fps, host: what the default chooses for ragged batches, chosen points, and devices without teams",
          "[fps][host]") {
  using farpoint::fps_choice;
  using farpoint::fps_kernel;
  using farpoint::fps_selector;
  auto ragged = [](index_t clouds, index_t points, index_t largest, index_t samples) {
    auto c = case_on_h200(clouds, points, samples);
    c.ragged = true;
    c.largest = largest;
    return fps_selector::choose(c);
  };
  CHECK(ragged(16, 4096, 4096, 1024) == fps_choice{fps_kernel::in_regions});
  CHECK(ragged(256, 1024, 3072, 1000) == fps_choice{fps_kernel::in_regions});
  CHECK(ragged(6, 10000, 12000, 200) == fps_choice{fps_kernel::in_teams, 132, false, 40, 32, 8, true});
  CHECK(ragged(6, 10000, 12000, 10000) == fps_choice{fps_kernel::in_teams, 132, true, 40, 32, 8, true});
  // Equal teams for clouds of up to three times the mean size.
  CHECK(ragged(16, 4096, 11532, 1024) == fps_choice{fps_kernel::in_teams, 8, true, 24, 16, 8});
  CHECK(ragged(16, 4096, 13000, 1024) == fps_choice{fps_kernel::in_teams, 132, false, 40, 32, 8, true});
  CHECK(ragged(64, 10000, 29000, 1000) == fps_choice{fps_kernel::in_teams, 2, true, 40, 32, 8});
  // Clouds that registers do not hold are sorted for few samples, too.
  CHECK(ragged(6, 200000, 1000000, 32) == fps_choice{fps_kernel::in_teams, 132, true, 40, 32, 8, true});
  // One giant among small clouds.
  CHECK(ragged(1000, 500, 400000, 1000) == fps_choice{fps_kernel::in_teams, 132, true, 40, 32, 20, true});
  // The first samples after chosen points are none that a round of one sample would find sooner.
  auto c = case_on_h200(1, 16384, 32);
  c.chosen = 3;
  CHECK(fps_selector::choose(c) == fps_choice{fps_kernel::in_teams, 16});
  c = case_on_h200(1, 1000000, 10000);
  c.chosen = 1;
  CHECK(fps_selector::choose(c) == fps_choice{fps_kernel::in_teams, 132, true, 28, 16});
  // Without teams.
  for (index_t const points : {100, 8192, 8193, 1000000}) {
    c = case_on_h200(1, points, 100);
    c.team_points = 0;
    CAPTURE(points);
    CHECK(fps_selector::choose(c) ==
          fps_choice{points <= 8192 ? fps_kernel::in_regions : fps_kernel::in_global_memory});
    // Without regions, too.
    c.region_points = 0;
    CHECK(fps_selector::choose(c) == fps_choice{fps_kernel::in_global_memory});
  }
}

TEST_CASE("fps, host: a tuning is compared, and printed as it is written", "[fps][host]") {
  using farpoint::fps_block_tuning;
  using farpoint::fps_choice;
  using farpoint::fps_kernel;
  CHECK(fps_block_tuning{512, 8} == fps_block_tuning{512, 8});
  CHECK(fps_block_tuning{512, 8} != fps_block_tuning{512, 4});
  CHECK(printed(fps_block_tuning{512, 8}) == "{512, 8}");
  CHECK(printed(fps_choice{fps_kernel::in_regions}) == "{in_regions, 1}");
  CHECK(printed(fps_choice{fps_kernel::in_global_memory}) == "{in_global_memory, 1}");
  CHECK(printed(fps_choice{static_cast<fps_kernel>(3)}) == "{unknown kernel, 1}");
  CHECK(printed(fps_choice{fps_kernel::in_teams, 22}) == "{in_teams, 22}");
  CHECK(printed(fps_choice{fps_kernel::in_teams, 22, true}) == "{in_teams, 22, 1}");
  CHECK(printed(fps_choice{fps_kernel::in_teams, 22, true, 30, 16}) == "{in_teams, 22, 1, 30, 16}");
  CHECK(printed(fps_choice{fps_kernel::in_teams, 22, false, 30}) == "{in_teams, 22, 0, 30, 32}");
  CHECK(printed(fps_choice{fps_kernel::in_teams, 22, true, 40, 32, 20}) == "{in_teams, 22, 1, 40, 32, 20}");
  CHECK(fps_choice{fps_kernel::in_teams, 22, true, 40, 32, 20} != fps_choice{fps_kernel::in_teams, 22, true});
  fps_choice const shared_out{fps_kernel::in_teams, 132, false, 40, 32, 0, true};
  CHECK(printed(shared_out) == "{in_teams, 132, 0, 40, 32, 0, 1}");
  CHECK(shared_out != fps_choice{fps_kernel::in_teams, 132});
  CHECK(fps_choice{fps_kernel::in_teams, 22} != fps_choice{fps_kernel::in_teams, 8});
  CHECK(fps_choice{fps_kernel::in_teams, 22, true, 30} != fps_choice{fps_kernel::in_teams, 22, true});
  CHECK(fps_choice{fps_kernel::in_teams, 22} != fps_choice{fps_kernel::in_teams, 22, true});
  farpoint::fps_case const some{1, 2, 3, 4, 5, true, 4, 7, 8, 10};
  CHECK(printed(some) == "{1, 2, 3, 4, 5, 1, 4, 7, 8, 10}");
  CHECK(some == farpoint::fps_case{1, 2, 3, 4, 5, true, 4, 7, 8, 10});
  CHECK(some != farpoint::fps_case{1, 2, 3, 4, 0, true, 4, 7, 8, 10});
  CHECK(some != farpoint::fps_case{1, 2, 3, 4, 5, true, 8, 7, 8, 10});
  CHECK(fps_host_tuning{} == fps_host_tuning{});
  CHECK(tight_tuning(8, 64) != fps_host_tuning{});
  CHECK(printed(fps_host_tuning{}) == "{64, 512, 16, 0, 40, 400, 200000, 65536}");
}

TEST_CASE("fps, host: points of one, two, four and sixteen dimensions", "[fps][host]") {
  random_source random{5};
  auto const fill = [&random](auto points) {
    for (auto& p : points) {
      for (auto& c : p) c = random.uniform();
    }
    return points;
  };
  auto const line = fill(std::vector<std::array<float, 1>>(3000));
  auto const flat = fill(std::vector<std::array<float, 2>>(3000));
  auto const colored = fill(std::vector<std::array<float, 4>>(3000));
  auto const features = fill(std::vector<std::array<float, 16>>(3000));
  auto const check = [](auto const& points) {
    auto const view = farpoint::view_points(points);
    std::vector<std::int32_t> expected(400);
    farpoint::fps_params params;
    params.samples = 400;
    REQUIRE(farpoint::reference::fps(farpoint::batch{view}, params, farpoint::fps_output<float>{expected}));
    CHECK(farpoint::fps(points, 400).indices == expected);
  };
  check(line);
  check(flat);
  check(colored);
  check(features);
}

TEST_CASE("fps, host: clouds without points need no workspace", "[fps][host]") {
  index_t const offsets[] = {0, 0, 0};
  farpoint::point_view<float> const none{nullptr, 0};
  for (bool const ragged : {false, true}) {
    auto const clouds = ragged ? farpoint::batch<farpoint::point_view<float>>::ragged(none, {offsets, 3})
                               : farpoint::batch<farpoint::point_view<float>>::regular(none, 2);
    for (int const threads : {1, 3}) {
      CAPTURE(ragged, threads);
      host_exec const exec{threads};
      farpoint::fps_params params;
      params.samples = 3;
      std::vector<std::int32_t> indices(6, 7), counts(2, 7);
      REQUIRE(farpoint::fps_workspace_bytes(exec, clouds, params) == 0);
      CHECK(farpoint::fps(exec, clouds, params, farpoint::fps_output<float>{indices, {}, counts}, farpoint::bytes{}));
      CHECK(indices == std::vector<std::int32_t>(6, -1));
      CHECK(counts == std::vector<std::int32_t>(2, 0));
    }
  }
}

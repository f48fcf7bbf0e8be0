// fps() on host_exec: the shared cases with several numbers of threads, and what only the host can show.
#include <farpoint/fps.hpp>

#include <thread>

#include "../catch.hpp"
#include "../shared/fps_problem.hpp"

using namespace farpoint_tests;
using farpoint::host_exec;
using farpoint::detail::host_workspace;

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
#include "../shared/fps_tests.inc"

TEST_CASE("fps, host: large clouds of a batch go to the team, small ones are shared out", "[fps][host]") {
  fps_problem<float> problem{make_cloud(shape::cube, 80000, 71), 40};
  problem.offsets = {0, 40000, 41000, 41100, 41200, 80000};
  auto const expected = reference_answer(problem);
  for (int const threads : {1, 2, 4, 7, 16, 0}) {
    CAPTURE(threads);
    CHECK(same_answer(solve_with(problem, threads), expected));
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

TEST_CASE("fps, host: what the arrays say is checked too", "[fps][host]") {
  auto const code = [](auto change) {
    fps_problem<float> problem{make_cloud(shape::cube, 60, 73), 5};
    problem.clouds = 2;
    change(problem);
    return solve_with(problem, 1).outcome.code;
  };
  using farpoint::status;
  CHECK(code([](auto&) {}) == status::ok);
  CHECK(code([](auto& p) { p.firsts = {0, 30}; }) == status::bad_argument);
  CHECK(code([](auto& p) { p.firsts = {-1, 0}; }) == status::bad_argument);
  CHECK(code([](auto& p) { p.chosen = {0, 30}; }) == status::bad_argument);
  CHECK(code([](auto& p) { p.chosen = {-2, 0}; }) == status::bad_argument);
  CHECK(code([](auto& p) { p.offsets = {0, 61}; }) == status::bad_argument);
  CHECK(code([](auto& p) { p.offsets = {-1, 5}; }) == status::bad_argument);
  CHECK(code([](auto& p) { p.offsets = {0, 30, 20}; }) == status::bad_argument);
  CHECK(code([](auto& p) { p.offsets = {0, 30, 40}, p.first = 10; }) == status::bad_argument);
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

TEST_CASE("fps, host: points of two and of sixteen dimensions", "[fps][host]") {
  random_source random{5};
  std::vector<std::array<float, 2>> flat(300);
  std::vector<std::array<float, 16>> features(300);
  for (auto& p : flat) p = {random.uniform(), random.uniform()};
  for (auto& p : features) {
    for (auto& c : p) c = random.uniform();
  }
  auto const check = [](auto const& points) {
    auto const view = farpoint::view_points(points);
    std::vector<std::int32_t> expected(60);
    farpoint::fps_params params;
    params.samples = 60;
    REQUIRE(farpoint::reference::fps(farpoint::batch{view}, params, farpoint::fps_output<float>{expected}));
    CHECK(farpoint::fps(points, 60).indices == expected);
  };
  check(flat);
  check(features);
}

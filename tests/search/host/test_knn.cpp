// knn() on host_exec: the shared cases with several numbers of threads, and what only the host can show.
#include <farpoint/knn.hpp>
#include <farpoint/tuning/knn.hpp>

#include "../../support/catch.hpp"
#include "../../support/limits.hpp"
#include "../../support/team_tuning.hpp"
#include "../knn_problem.hpp"
#include "../search_tuned.hpp"

#include <sstream>

using namespace farpoint_tests;

namespace {

/// Answers a problem by the public function.
template <class Problem>
auto knn_with(Problem const& problem, int threads) {
  return collect_knn(problem, [&](auto const& output) {
    host_exec const exec{threads};
    auto const points = clouds_in_place(problem.points);
    auto const queries = clouds_in_place(problem.queries);
    host_workspace const workspace{problem.self ? knn_workspace_bytes(exec, points, problem.nearest())
                                                : knn_workspace_bytes(exec, points, queries, problem.nearest())};
    if (problem.self) return knn(exec, points, problem.nearest(), output, workspace.get());
    return knn(exec, points, queries, problem.nearest(), output, workspace.get());
  });
}

/// Small clouds by a team of threads, as large ones are.
template <class Problem>
auto knn_by_team(Problem const& problem, int threads) {
  auto const tuning = team_tuning();
  return collect_knn(problem, [&](auto const& output) {
    auto const run = [&](auto const& points, auto const& queries) {
      host_exec const exec{threads};
      host_workspace const workspace{search_tuned_bytes(exec, points, queries, problem.self, tuning)};
      return knn_tuned(exec, points, queries, problem.self, problem.nearest(), output, workspace.get(), tuning);
    };
    auto const points = clouds_in_place(problem.points);
    return problem.self ? run(points, points) : run(points, clouds_in_place(problem.queries));
  });
}

/// Largest cloud of the tests: each solve makes three calls. Indexes of 32,769 to 262,144 points have equally many
/// levels.
constexpr std::size_t point_limit = 100000;

template <class Problem>
auto solve_knn(Problem const& problem) {
  auto const answer = knn_with(problem, 1);
  CHECK(same_answer(knn_with(problem, 2), answer));
  CHECK(same_answer(knn_by_team(problem, 3), answer));
  return answer;
}

}  // namespace

#define BACKEND_NAME "host"
#define BACKEND_TAG "[host]"
#include "../knn_tests.inc"

TEST_CASE("knn, host: every part of the output but the indices may be left out", "[knn][host]") {
  auto const points = make_cloud(shape::cube, 300, 1);
  knn_problem<float> const problem{points, 4};
  auto const clouds = clouds_in_place(problem.points);
  std::vector<std::int32_t> indices(1200);
  host_workspace const workspace{knn_workspace_bytes(host_exec{1}, clouds, knn_params{4})};
  REQUIRE(knn(host_exec{1}, clouds, knn_params{4}, farpoint::knn_output<float>{indices}, workspace.get()));
  CHECK(widen(indices) == reference_knn(problem).indices);
}

TEST_CASE("knn, host: workspace too small, misaligned or generous", "[knn][host]") {
  knn_problem<float> const problem{make_cloud(shape::cube, 1000, 1), 4};
  auto const clouds = clouds_in_place(problem.points);
  std::size_t const needed = knn_workspace_bytes(host_exec{1}, clouds, knn_params{4});
  CHECK(needed <= 48 * 1000);
  host_workspace const workspace{needed + 256};
  auto const code = [&](farpoint::bytes memory) {
    std::vector<std::int32_t> indices(4000);
    return knn(host_exec{1}, clouds, knn_params{4}, farpoint::knn_output<float>{indices}, memory).code;
  };
  CHECK(code(workspace.get().first(needed - 1)) == farpoint::status::workspace_too_small);
  CHECK(code(workspace.get().subspan(4)) == farpoint::status::bad_argument);
  CHECK(code(workspace.get().first(needed)) == farpoint::status::ok);
  CHECK(code(workspace.get()) == farpoint::status::ok);
}

TEST_CASE("knn, host: at most 48 bytes of workspace a point", "[knn][host]") {
  auto const bytes_of = [](auto coord, index_t n) {
    using view = farpoint::point_view<decltype(coord)>;
    farpoint::batch<view> const cloud{view{nullptr, n}};
    return static_cast<double>(knn_workspace_bytes(host_exec{16}, cloud, knn_params{1024})) / static_cast<double>(n);
  };
  CHECK(bytes_of(0.0f, 100000) < 48);
  CHECK(bytes_of(0.0f, 1000000) < 25);
  CHECK(bytes_of(0.0, 1000000) < 41);
}

TEST_CASE("knn, host: wrong offsets leave all rows empty", "[knn][host]") {
  knn_problem<float> problem{make_cloud(shape::cube, 60, 1), 2};
  for (auto const& offsets : {std::vector<index_t>{0, 40, 30, 60}, {-1, 60}, {0, 61}}) {
    problem.points.offsets = offsets;
    auto const answer = knn_with(problem, 1);
    CHECK(answer.outcome.code == farpoint::status::ok);
    CHECK(answer.counts == std::vector<index_t>(60, 0));
    CHECK(answer.indices == std::vector<index_t>(120, -1));
    CHECK(answer.bad_offsets == 1);
  }
}

TEST_CASE("knn, host: a tuning is compared, and printed as it is written", "[knn][host]") {
  using farpoint::bvh_build_tuning;
  CHECK(bvh_build_tuning{1, 512, 4, 1, 16} == bvh_build_tuning{1, 512, 4, 1, 16});
  CHECK(bvh_build_tuning{1, 512, 4, 1, 16} != bvh_build_tuning{1, 512, 4, 1, 8});
  std::ostringstream out;
  out << bvh_build_tuning{1, 512, 4, 2, 16};
  CHECK(out.str() == "{from 1, block_size 512, items_per_thread 4, blocks_per_multiprocessor 2, window 16}");
}
TEST_CASE("knn, host: numbers of clouds and points at the limits of their type", "[knn][host]") {
  for_batches_at_limits([](auto const& clouds, bool refused) {
    for (int const threads : {1, 2, std::numeric_limits<int>::max()}) {
      (void)knn_workspace_bytes(host_exec{threads}, clouds, clouds, knn_params{std::numeric_limits<index_t>::max()});
    }
    CAPTURE(clouds.size(), clouds.points().size());
    if (refused) CHECK(knn(host_exec{1}, clouds, knn_params{1}, {}, {}).code == farpoint::status::bad_argument);
  });
}

TEST_CASE("knn, host: containers", "[knn][host]") {
  std::vector<std::array<float, 3>> const points{{0, 0, 0}, {1, 0, 0}, {5, 0, 0}};
  auto const found = farpoint::knn(points, 2);
  CHECK(found.indices == std::vector<std::int32_t>{0, 1, 1, 0, 2, 1});
  CHECK(found.distances == std::vector<float>{0, 1, 0, 1, 0, 16});
  std::vector<std::array<float, 3>> const queries{{4, 0, 0}};
  CHECK(farpoint::knn(points, queries, 1).indices == std::vector<std::int32_t>{2});
  CHECK_THROWS_AS(farpoint::knn(points, 0), std::invalid_argument);
}

// radius() and radius_rows() on host_exec, with several numbers of threads.
#include <farpoint/point_bvh.hpp>
#include <farpoint/radius.hpp>

#include "../../support/catch.hpp"
#include "../../support/check_answer.hpp"
#include "../../support/team_tuning.hpp"
#include "../radius_problem.hpp"
#include "../search_tuned.hpp"

using namespace farpoint_tests;

namespace {

/// `run(exec, points, queries, output, workspace, tuning)` with one thread, or by a team of several.
/// @param collect  `collect(problem, call)`: the answer of `call(output)`
template <class Problem, class Collect, class Run>
auto run_with(int threads, Problem const& problem, Collect const& collect, Run const& run) {
  return collect(problem, [&](auto const& output) {
    auto const tuning = threads > 1 ? team_tuning() : search_tuning{};
    auto const [points, queries] = both_in_place(problem);
    host_exec const exec{threads};
    host_workspace const workspace{search_tuned_bytes(exec, points, queries, problem.self, tuning)};
    return run(exec, points, queries, output, workspace.get(), tuning);
  });
}

/// Answers a call with one thread, and checks it against a team of three.
template <class... Args>
auto run_both_ways(Args const&... args) {
  auto const answer = run_with(1, args...);
  CHECK(same_answer(run_with(3, args...), answer));
  return answer;
}

template <class Problem>
auto solve_radius(Problem const& problem) {
  auto const collect = [](auto const&... args) { return collect_radius(args...); };
  return run_both_ways(problem, collect, [&](auto exec, auto const& points, auto const& queries, auto const&... rest) {
    return radius_tuned(exec, points, queries, problem.self, problem.within(), rest...);
  });
}

/// radius_rows() by an index of the points that is built before.
template <class Problem>
auto rows_by_index(Problem const& problem) {
  return collect_rows(problem, [&](auto const& output) {
    auto const [points, queries] = both_in_place(problem);
    host_exec const exec{2};
    host_workspace const memory{point_bvh_bytes(exec, points)};
    farpoint::point_bvh<typename Problem::scalar> index;
    farpoint::result const built = build_point_bvh(exec, points, memory.get(), index);
    if (!built) return built;
    host_workspace const workspace{radius_workspace_bytes(exec, index, points, queries)};
    return radius_rows(exec, index, points, queries, problem.params, output, workspace.get());
  });
}

template <class Problem>
auto solve_rows(Problem const& problem) {
  auto const collect = [](auto const&... args) { return collect_rows(args...); };
  auto const answer =
      run_both_ways(problem, collect, [&](auto exec, auto const& points, auto const& queries, auto const&... rest) {
        return radius_rows_tuned(exec, points, queries, problem.self, problem.params, rest...);
      });
  check_answer(rows_by_index(problem), answer);
  return answer;
}

}  // namespace

#define BACKEND_NAME "host"
#define BACKEND_TAG "[host]"
#define BACKEND_TEST_CASE TEST_CASE
#include "../radius_tests.inc"

TEST_CASE("radius, host: the public functions", "[radius][host]") {
  std::vector<std::array<float, 3>> const points{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
  farpoint::batch const cloud{farpoint::view_points(points)};
  farpoint::batch const asked{farpoint::view_points(points.data() + 2, 1)};
  radius_params params;
  params.radius = 1;
  host_workspace const workspace{farpoint::radius_workspace_bytes(host_exec{1}, cloud, cloud)};
  CHECK(workspace.get().size() > farpoint::radius_workspace_bytes(host_exec{1}, cloud));
  std::vector<std::int32_t> counts(3), indices(2), offsets(4), row_offsets(2), list(7);
  farpoint::radius_output<float> count;
  count.counts = counts;
  REQUIRE(farpoint::radius(host_exec{1}, cloud, params, count, workspace.get()));
  CHECK(counts == std::vector<std::int32_t>{2, 3, 2});
  params.max_neighbors = 2;
  REQUIRE(
      farpoint::radius(host_exec{1}, cloud, asked, params, farpoint::radius_output<float>{indices}, workspace.get()));
  CHECK(indices == std::vector<std::int32_t>{1, 2});
  REQUIRE(farpoint::radius_rows(host_exec{1}, cloud, params, farpoint::radius_rows_output<float>{offsets, list},
                                workspace.get()));
  CHECK(offsets == std::vector<std::int32_t>{0, 2, 5, 7});
  REQUIRE(farpoint::radius_rows(host_exec{1}, cloud, asked, params, farpoint::radius_rows_output<float>{row_offsets},
                                workspace.get()));
  CHECK(row_offsets == std::vector<std::int32_t>{0, 2});
}

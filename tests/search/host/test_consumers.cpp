// for_each_neighborhood() on host_exec: the shared cases with several numbers of threads and by a BVH.
#include <farpoint/point_bvh.hpp>
#include <farpoint/search/for_each_neighborhood.hpp>

#include "../../support/catch.hpp"
#include "../consumer_problem.hpp"
#include "../search_on_host.hpp"

using namespace farpoint_tests;

namespace {

/// Runs `call(consumer, report)` with a row_consumer on host memory.
template <class Problem, class Call>
auto consume_on_host(Problem const& problem, Call const& call) {
  auto const queries = clouds_in_place(problem.self ? problem.points : problem.queries);
  std::vector<unsigned> calls(static_cast<std::size_t>(problem.query_count()));
  unsigned wrong = 0;
  std::uint64_t total = 0;
  auto const answer = collect_knn(problem, [&](auto const& output) {
    return with_neighborhood(problem, [&](auto k) {
      row_consumer<std::decay_t<decltype(queries.points())>, k> const consumer{queries, output, calls.data(), &wrong,
                                                                               &total};
      return call(k, consumer, output.report);
    });
  });
  return consumer_answer<typename Problem::scalar>{answer, calls, wrong, total};
}

template <class Problem>
auto solve_on_threads(Problem const& problem, int threads) {
  host_exec const exec{threads};
  return consume_on_host(problem, [&](auto k, auto const& consumer, auto* report) {
    return with_clouds(problem, [&](auto const&... clouds) {
      host_workspace const workspace{knn_workspace_bytes(exec, clouds..., problem.limits.with_k(k))};
      return farpoint::for_each_neighborhood<k>(exec, clouds..., problem.limits, consumer, workspace, report);
    });
  });
}

/// Answers by a BVH. The points are passed as other queries.
template <class Problem>
auto solve_by_index(Problem const& problem, bool has_workspace) {
  host_exec const exec{2};
  auto const points = clouds_in_place(problem.points);
  host_workspace const memory{point_bvh_bytes(exec, points)};
  farpoint::point_bvh<typename Problem::scalar> index;
  return consume_on_host(problem, [&](auto k, auto const& consumer, auto* report) {
    if (auto const built = build_point_bvh(exec, points, memory, index); !built) return built;
    host_workspace const workspace{has_workspace ? knn_workspace_bytes(exec, index, consumer.queries) : 0};
    farpoint::bytes const used = has_workspace ? workspace.get() : farpoint::bytes{};
    return farpoint::for_each_neighborhood<k>(exec, index, consumer.queries, problem.limits, consumer, used, report);
  });
}

template <class Problem>
auto solve_consumer(Problem const& problem) {
  auto const answer = solve_on_threads(problem, 1);
  check_answer(solve_on_threads(problem, 3), answer, "three threads");
  if (answer.outcome) {
    check_answer(solve_by_index(problem, true), answer, "by a BVH");
    check_answer(solve_by_index(problem, false), answer, "by a BVH, without a workspace");
  }
  return answer;
}

}  // namespace

#define BACKEND_NAME "host"
#define BACKEND_TAG ""
#include "../consumer_tests.inc"

TEST_CASE("for_each_neighborhood, host: a workspace that is too small names its function", "[for_each_neighborhood]") {
  std::vector<std::array<float, 3>> const points(100);
  farpoint::batch const cloud{farpoint::view_points(points)};
  unsigned calls = 0;
  row_consumer<farpoint::point_view<float>, 1> const consumer{cloud, {}, &calls, nullptr, nullptr};
  auto const outcome = farpoint::for_each_neighborhood<1>(host_exec{1}, cloud, {}, consumer, {});
  CHECK(outcome.code == farpoint::status::workspace_too_small);
  CHECK(std::string{outcome.reason} ==
        "for_each_neighborhood: the workspace is smaller than the knn_workspace_bytes() of this call");
  CHECK(calls == 0);
}

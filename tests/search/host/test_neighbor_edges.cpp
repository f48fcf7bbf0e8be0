// neighbor_edges() on host threads, against plain loops.
#include "../../support/catch.hpp"
#include "../../support/check_on_host.hpp"
#include "../edges_problem.hpp"

using namespace farpoint_tests;
using farpoint::host_exec;
using farpoint::status;

TEST_CASE("neighbor_edges: the edges of a loop over lists of all kinds", "[edges][host]") {
  for_edges([](auto const& problem) { check_on_host(problem); });
}

TEST_CASE("neighbor_edges: lists that many threads share", "[edges][host]") {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    CAPTURE(seed);
    check_on_host(random_edges<std::int32_t>(seed, 40000));
  }
}

TEST_CASE("neighbor_edges: at most k nearest others within a radius, and all of them", "[edges][host]") {
  for_edges_of_searches([](auto const& problem) { check_on_host(problem); });
}

TEST_CASE("neighbor_edges: of the calls of containers, in both directions", "[edges][host]") {
  std::vector<std::array<float, 3>> const points{{0, 0, 0}, {1, 0, 0}, {0, 3, 0}, {9, 9, 9}};
  auto const edges = farpoint::neighbor_edges(farpoint::knn(points, {2, 3, true}));
  CHECK(edges.rows == std::vector<std::int32_t>{1, 2, 0, 0});
  CHECK(edges.cols == std::vector<std::int32_t>{0, 0, 1, 2});
  CHECK(edges.distances == std::vector<float>{1, 9, 1, 9});
  farpoint::radius_params params{3, 2};
  params.exclude_self = true;
  auto const of_rows = farpoint::neighbor_edges(farpoint::radius_rows(points, params), edge_flow::target_to_source);
  CHECK(of_rows.rows == edges.cols);
  CHECK(of_rows.cols == edges.rows);
  CHECK(farpoint::neighbor_edges(farpoint::radius(points, params)).cols == edges.cols);
}

TEST_CASE("neighbor_edges: bad arguments are refused, and nothing is written", "[edges][host]") {
  std::vector<std::array<float, 3>> const points(10);
  farpoint::batch const cloud{farpoint::view_points(points)};
  using view = std::decay_t<decltype(cloud.points())>;
  std::vector<std::int32_t> const indices(30);
  std::vector<float> const distances(30);
  std::vector<std::int32_t> rows(30, -7), cols(30, -7);
  std::vector<float> written(30, -7);
  farpoint::edges_report report;
  report.total = 7;
  farpoint::host_scratch const memory{256};
  auto const refused = [&](auto change) {
    farpoint::neighbor_lists<float> lists{indices, 3, {}, distances};
    farpoint::edges_output<float> output{rows, cols, written, {}, &report};
    change(lists, output);
    return neighbor_edges(host_exec{1}, cloud, lists, edge_flow::source_to_target, output, memory).code ==
           status::bad_argument;
  };
  CHECK(refused([](auto& lists, auto&) { lists.k = -1; }));
  CHECK(refused([](auto& lists, auto&) { lists.k = 4; }));
  CHECK(refused([](auto& lists, auto&) { lists.k = 0; }));
  CHECK(refused([](auto& lists, auto&) { lists.distances = {}; }));
  CHECK(refused([&](auto&, auto& output) { output.cols = farpoint::span<std::int32_t>{cols}.first(29); }));
  CHECK(refused([&](auto&, auto& output) { output.distances = output.distances.first(29); }));
  farpoint::neighbor_lists<float> const lists{indices, 3, {}, distances};
  farpoint::edges_output<float> const output{rows, cols, written, {}, &report};
  auto const two = farpoint::batch<view>::regular(cloud.points(), 2);
  CHECK(neighbor_edges(host_exec{1}, cloud, two, lists, edge_flow::source_to_target, output, memory).code ==
        status::bad_argument);
  CHECK(neighbor_edges(host_exec{1}, cloud, lists, edge_flow::source_to_target, output, {}).code ==
        status::workspace_too_small);
  view const many{points.data(), index_t{1} << 31, 0};
  farpoint::batch<view> const large{many};
  CHECK(neighbor_edges(host_exec{1}, large, cloud, lists, edge_flow::source_to_target, output, memory).code ==
        status::bad_argument);
  CHECK(rows == std::vector<std::int32_t>(30, -7));
  CHECK(report.total == 7);
  CHECK_FALSE(refused([](auto&, auto&) {}));
  CHECK(report.total == 30);

  std::size_t bound = 3;
  CHECK(!farpoint::neighbor_edges_workspace_bound(host_exec{1}, -1, bound));
  CHECK(bound == 3);
  REQUIRE(farpoint::neighbor_edges_workspace_bound(host_exec{1}, 30, bound));
  CHECK(neighbor_edges_workspace_bytes(host_exec{1}, cloud, lists) <= bound);
}

// Points of two coordinates in searches of three, on host threads.
#include <farpoint/estimate_normals.hpp>
#include <farpoint/interpolate.hpp>
#include <farpoint/mean_knn_distance.hpp>

#include "../../support/catch.hpp"
#include "../planar_problem.hpp"

using namespace farpoint_tests;
using farpoint::host_exec;

TEST_CASE("planar_view: lists and rows of a loop over the points of the plane", "[planar][host]") {
  auto const check = [](auto const& problem) {
    auto const expected = problem.expected();
    call_memory<host_space> memory;
    farpoint::result const outcome = problem.run(host_exec{2}, memory);
    INFO(outcome.reason);
    REQUIRE(outcome);
    CHECK(memory.outputs() == expected);
    CHECK(memory.intact());
  };
  for_planar_problems<float>(check);
  for_planar_problems<double>(check);
}

TEST_CASE("planar_view: no record is read but for its two coordinates", "[planar][host]") {
  std::vector<double> const numbers{0, 1, 2, 3, 4, 5, 6};
  farpoint::point_view<double, 2> const flat{numbers.data(), 3, 16, {8, 0}};
  auto const points = farpoint::in_plane(flat);
  CHECK(points.size() == 3);
  CHECK(points[1][0] == 3);
  CHECK(points[1][1] == 2);
  CHECK(points[1][2] == 0);
  CHECK(points.subview(2, 1)[0][0] == 5);
  CHECK(points.offset(0) == 8);
  CHECK(points.offset(1) == 0);
  CHECK(farpoint::detail::is_same_view(points, farpoint::in_plane(flat)));
  CHECK_FALSE(farpoint::detail::is_same_view(points, points.subview(1, 2)));
}

TEST_CASE("owning calls: containers of two coordinates, by points and by an index", "[owning][planar][host]") {
  std::vector<std::array<float, 2>> points, queries;
  std::vector<std::array<float, 3>> lifted, lifted_queries;
  random_source random{7};
  for (int i = 0; i < 300; ++i) {
    points.push_back({random.uniform(), random.uniform()});
    lifted.push_back({points.back()[0], points.back()[1], 0});
    queries.push_back({random.uniform(), random.uniform()});
    lifted_queries.push_back({queries.back()[0], queries.back()[1], 0});
  }
  auto const built = farpoint::build_point_bvh(points, host_exec{1});
  std::vector<float> features(600);
  for (float& value : features) value = random.uniform();

  auto const lists = farpoint::knn(lifted, lifted_queries, 4);
  CHECK(farpoint::knn(points, queries, 4, host_exec{1}).indices == lists.indices);
  CHECK(farpoint::knn(built.index, queries, 4).distances == lists.distances);
  CHECK(farpoint::knn(points, 4).indices == farpoint::knn(lifted, 4).indices);
  auto const rows = farpoint::radius_rows(lifted, lifted_queries, {0.1});
  CHECK(rows.indices.size() > 300);
  CHECK(farpoint::radius_rows(points, queries, {0.1}).indices == rows.indices);
  CHECK(farpoint::radius_rows(built.index, points, queries, {0.1}, host_exec{1}).distances == rows.distances);
  CHECK(farpoint::radius(points, queries, {0.1, 3}).indices ==
        farpoint::radius(lifted, lifted_queries, {0.1, 3}).indices);
  CHECK(farpoint::mean_knn_distance(points, 3) == farpoint::mean_knn_distance(lifted, 3));
  CHECK(farpoint::mean_knn_distance(built.index, points, 3, host_exec{1}) == farpoint::mean_knn_distance(lifted, 3));
  CHECK(farpoint::interpolate(points, features, queries, 2) ==
        farpoint::interpolate(built.index, features, queries, 2, host_exec{1}));
}

// Sliding windows on host threads, against a model in vectors.
#include "../../support/catch.hpp"
#include "../../support/check_on_host.hpp"
#include "../window_problem.hpp"

#include <farpoint/estimate_normals.hpp>

using namespace farpoint_tests;
using farpoint::host_exec;
using farpoint::status;

namespace {

using cloud = std::vector<std::array<float, 3>>;

/// A window and its memory.
struct owned_window {
  explicit owned_window(index_t capacity) : memory{farpoint::point_window_bytes<float>(host_exec{1}, capacity)} {
    REQUIRE(point_window_clear(host_exec{1}, capacity, memory, window));
  }
  farpoint::result slide(cloud const& scan, farpoint::slide_params<float> const& params = {}) {
    farpoint::batch const points{farpoint::view_points(scan)};
    return point_window_slide(host_exec{1}, window, points, params, {{}, &report}, {}, index);
  }

  farpoint::host_scratch memory;
  farpoint::point_window<float> window;
  farpoint::point_bvh<float> index;
  farpoint::slide_report report;
};

}  // namespace

TEST_CASE("point_window: slides of all kinds, as in a model of vectors", "[point_window][host]") {
  for_windows([](auto const& problem) { check_on_host(problem); });
}

TEST_CASE("point_window: the newest points remain, and searches see them only", "[point_window][host]") {
  owned_window owned{3};
  REQUIRE(owned.slide({{0, 0, 0}, {1, 0, 0}}));
  REQUIRE(owned.slide({{2, 0, 0}, {3, 0, 0}}));
  CHECK(owned.report.kept == 2);
  CHECK(owned.report.appended == 2);
  CHECK(owned.report.dropped == 1);
  CHECK(owned.window.offsets[1] == 3);
  auto const found = farpoint::knn(owned.index, cloud{{0, 0, 0}}, 4);
  CHECK(found.indices == std::vector<std::int32_t>{0, 1, 2, -1});
  CHECK(found.distances[0] == 1);
  // A scan that is larger than the window.
  REQUIRE(owned.slide({{5, 0, 0}, {6, 0, 0}, {7, 0, 0}, {8, 0, 0}}));
  CHECK(owned.report.dropped == 4);
  CHECK(owned.window.points[0] == 6);
  // The points of the window, by its BVH.
  std::vector<float> normals(9, 7.0f);
  REQUIRE(estimate_normals(host_exec{1}, owned.index, owned.window.clouds(), {}, {normals}));
  CHECK(normals == std::vector<float>(9, 0.0f));  // on a line
  farpoint::slide_params<float> nothing;
  nothing.box.high[2] = nothing.box.low[2];
  REQUIRE(owned.slide({{5, 0, 0}}, nothing));
  CHECK(owned.report.erased == 3);
  CHECK(owned.report.outside == 1);
  CHECK(farpoint::knn(owned.index, cloud{{0, 0, 0}}, 1).indices[0] == -1);
  REQUIRE(owned.slide({{5, 0, 0}}));
  REQUIRE(point_window_clear(host_exec{1}, owned.window));
  CHECK(owned.window.offsets[1] == 0);
}

TEST_CASE("point_window: wrong offsets of the window erase its points", "[point_window][host]") {
  owned_window owned{3};
  REQUIRE(owned.slide({{0, 0, 0}, {1, 0, 0}}));
  owned.window.offsets[1] = 4;
  REQUIRE(owned.slide({{2, 0, 0}}));
  CHECK(owned.report.bad_offsets == 1);
  CHECK(owned.report.kept + owned.report.erased == 0);
  CHECK(owned.window.offsets[1] == 1);
  CHECK(owned.window.points[0] == 2);
}

TEST_CASE("point_window: bad arguments are refused, and nothing is written", "[point_window][host]") {
  CHECK(farpoint::point_window_bytes<float>(host_exec{1}, -1) == 0);
  CHECK(farpoint::point_window_bytes<float>(host_exec{1}, (index_t{1} << 30) + 1) == 0);
  farpoint::point_window<float> none;
  farpoint::host_scratch const small{256};
  CHECK(point_window_clear(host_exec{1}, -1, small, none).code == status::bad_argument);
  CHECK(point_window_clear(host_exec{1}, 1000, small, none).code == status::workspace_too_small);
  CHECK(point_window_clear(host_exec{1}, none).code == status::bad_argument);
  CHECK(none.points.empty());
  owned_window owned{8};
  cloud const scan{{0, 0, 0}, {1, 1, 1}};
  REQUIRE(owned.slide(scan));
  farpoint::slide_params<float> params;
  params.box.low[1] = std::nanf("");
  CHECK(owned.slide(scan, params).code == status::bad_argument);
  params = {};
  std::vector<float> const origin(2);
  params.origin = origin;
  CHECK(owned.slide(scan, params).code == status::bad_argument);
  std::vector<std::int32_t> sources(7, -7);
  auto const slide = [&](auto const& window, auto const& points) {
    return point_window_slide(host_exec{1}, window, points, {}, {sources, nullptr}, {}, owned.index).code;
  };
  farpoint::batch const points{farpoint::view_points(scan)};
  using view = std::decay_t<decltype(points.points())>;
  CHECK(slide(owned.window, points) == status::bad_argument);
  sources.push_back(-7);
  CHECK(slide(owned.window, farpoint::batch<view>::regular(points.points(), 2)) == status::bad_argument);
  CHECK(slide(none, points) == status::bad_argument);
  auto cut = owned.window;
  cut.index = cut.index.first(cut.index.size() - 1);
  CHECK(slide(cut, points) == status::workspace_too_small);
  CHECK(sources == std::vector<std::int32_t>(8, -7));
  CHECK(owned.window.offsets[1] == 2);
  CHECK(slide(owned.window, points) == status::ok);
  CHECK(sources == std::vector<std::int32_t>{0, 1, 8, 9, -7, -7, -7, -7});
}

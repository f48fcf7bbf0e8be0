// crop_box() on host threads, against a plain loop.
#include "../../support/check_on_host.hpp"
#include "../../support/for_each_seed.hpp"
#include "../crop_box_problem.hpp"

#include <farpoint/core/float16.hpp>

using namespace farpoint_tests;
using farpoint::host_exec;
using farpoint::status;

namespace {

using cloud = std::vector<std::array<float, 3>>;
constexpr float infinity = std::numeric_limits<float>::infinity();

}  // namespace

TEST_CASE("crop_box: the answer of a plain loop, for batches of all kinds", "[crop_box]") {
  for_crop_boxes([](auto const& problem) { check_on_host(problem); });
}

TEST_CASE("crop_box: clouds that many threads share", "[crop_box]") {
  for_each_seed(6, [](std::uint64_t seed) {
    std::size_t const n = seed % 2 == 0 ? 3 * 65536 : 200001;
    check_on_host(random_crop_box<float>(seed, shape::cube, n));
  });
  // Clouds that begin and end with chunks of the host.
  auto problem = random_crop_box<float>(1, shape::lattice, 2 * 65536);
  problem.offsets = {0, 0, 65536, 65536, 131072, 131072};
  problem.largest = -1;
  check_on_host(problem);
  problem.offsets = {7, 65535};
  check_on_host(problem);
}

TEST_CASE("crop_box: the low bound is inside, the high bound is not", "[crop_box]") {
  float const above = std::nextafter(1.0f, 2.0f), below = std::nextafter(1.0f, 0.0f);
  cloud const points{{0, 0, 0},  {1, 0, 0},       {below, 0, 0}, {above, 0, 0},         {-0.0f, 0, 0},
                     {0, 0, -1}, {0, below, 0},   {0, 1, 0},     {std::nanf(""), 0, 0}, {0, -infinity, 0},
                     {0, 0, 0},  {0, 0, infinity}};
  CHECK(farpoint::crop_box(points, {{{0, 0, 0}}, {{1, 1, 1}}}) == std::vector<std::int32_t>{0, 2, 4, 6, 10});
  CHECK(farpoint::crop_box(points, {{{1, 0, 0}}, {{2, 1, 1}}}) == std::vector<std::int32_t>{1, 3});
  CHECK(farpoint::crop_box(points, {{{1, 0, 0}}, {{2, 1, 1}}}, host_exec{1}) == std::vector<std::int32_t>{1, 3});
  // Infinite bounds limit nothing, but hold no infinite coordinate.
  farpoint::bounding_box<float> const all{{{-infinity, -infinity, -infinity}}, {{infinity, infinity, infinity}}};
  CHECK(farpoint::crop_box(points, all) == std::vector<std::int32_t>{0, 1, 2, 3, 4, 5, 6, 7, 10});
  // Boxes that hold nothing.
  CHECK(farpoint::crop_box(points, {{{0, 0, 0}}, {{0, 1, 1}}}).empty());
  CHECK(farpoint::crop_box(points, {{{0, 2, 0}}, {{1, 1, 1}}}).empty());
  CHECK(farpoint::crop_box(points, farpoint::bounding_box<float>::empty()).empty());
  CHECK(farpoint::crop_box(cloud{}, all).empty());
}

TEST_CASE("crop_box: points of two coordinates, of doubles and of halves", "[crop_box]") {
  std::vector<std::array<double, 2>> const flat{{0, 0}, {1e9 + 1e-6, 0}, {1e9, 0}};
  CHECK(farpoint::crop_box(flat, {{{1e9, -1}}, {{1e9 + 1e-6, 1}}}) == std::vector<std::int32_t>{2});
  std::vector<std::array<farpoint::float16, 3>> halves(3);
  halves[1][0] = farpoint::to_float16(1.0f);
  halves[2][0] = farpoint::to_float16(infinity);
  CHECK(farpoint::crop_box(halves, {{{0.5f, 0, 0}}, {{infinity, 1, 1}}}) == std::vector<std::int32_t>{1});
}

TEST_CASE("crop_box: bad arguments are refused, and nothing is written", "[crop_box]") {
  cloud const points(10);
  auto const view = farpoint::view_points(points);
  using view_type = std::decay_t<decltype(view)>;
  farpoint::batch<view_type> const one{view};
  farpoint::bounding_box<float> const box{{{0, 0, 0}}, {{1, 1, 1}}};
  std::vector<std::int32_t> indices(10, -7);
  std::vector<index_t> offsets(2, -7);
  farpoint::crop_box_report report;
  report.written = 7;
  farpoint::crop_box_output const output{indices, offsets, &report};
  farpoint::host_scratch const memory{crop_box_workspace_bytes(host_exec{}, one)};
  farpoint::bytes const workspace = memory;
  auto const code = [&](auto const& clouds, auto const& at, farpoint::crop_box_output const& to, farpoint::bytes work,
                        int threads = 1) { return crop_box(host_exec{threads}, clouds, at, to, work).code; };

  auto nan = box;
  nan.high[1] = std::nanf("");
  CHECK(code(one, nan, output, workspace) == status::bad_argument);
  CHECK(code(one, box, output, workspace, -1) == status::bad_argument);
  CHECK(code(farpoint::batch<view_type>::regular(view, 3), box, output, workspace) == status::bad_argument);
  CHECK(code(farpoint::batch<view_type>::regular(view, 2), box, output, workspace) == status::bad_argument);
  CHECK(code(one, box, {indices, {}, &report}, workspace) == status::bad_argument);
  CHECK(code(one, box, output, workspace.first(workspace.size() - 1)) == status::workspace_too_small);
  CHECK(code(one, box, output, {workspace.data() + 1, workspace.size()}) == status::bad_argument);
  CHECK(code(farpoint::batch<view_type>{view_type{points.data(), -1}}, box, output, workspace) == status::bad_argument);
  CHECK(code(farpoint::batch<view_type>{view_type{nullptr, 1}}, box, output, workspace) == status::bad_argument);
  // Too many points for 32-bit indices, then for any index; the points are not read.
  CHECK(code(farpoint::batch<view_type>{view_type{points.data(), index_t{1} << 31, 0}}, box, output, workspace) ==
        status::bad_argument);
  std::vector<index_t> wide(1);
  CHECK(code(farpoint::batch<view_type>{view_type{points.data(), (index_t{1} << 40) + 1, 0}}, box,
             {wide, offsets, nullptr}, workspace) == status::bad_argument);
  CHECK(indices == std::vector<std::int32_t>(10, -7));
  CHECK(offsets == std::vector<index_t>(2, -7));
  CHECK(report.written == 7);
  CHECK_THROWS_AS(farpoint::crop_box(points, nan), std::invalid_argument);
  CHECK(code(one, box, output, workspace) == status::ok);
  CHECK(report.written == 10);
}

TEST_CASE("crop_box: no clouds, and no room", "[crop_box]") {
  cloud const points(10);
  auto const view = farpoint::view_points(points);
  using view_type = std::decay_t<decltype(view)>;
  farpoint::bounding_box<float> const box{{{0, 0, 0}}, {{1, 1, 1}}};
  farpoint::host_scratch const memory{256};
  std::vector<index_t> offsets(1, -7);
  farpoint::crop_box_report report;
  std::vector<index_t> const begin{3};
  auto const none = farpoint::batch<view_type>::ragged(view, begin);
  REQUIRE(crop_box(host_exec{1}, none, box, {{}, offsets, &report}, memory));
  CHECK(offsets == std::vector<index_t>{0});
  offsets.assign(2, -7);
  REQUIRE(crop_box(host_exec{1}, farpoint::batch<view_type>{view}, box, {{}, offsets, &report}, memory));
  CHECK(offsets == std::vector<index_t>{0, 0});
  CHECK(report.over_capacity == 10);
}

TEST_CASE("crop_box: a bound on the workspace is enough for every batch within it", "[crop_box]") {
  std::size_t bound = 0;
  using view_type = farpoint::point_view<float>;
  REQUIRE(farpoint::crop_box_workspace_bound<view_type>(host_exec{}, {200000, 5}, bound));
  for (index_t const n : {0, 1, 65536, 65537, 199999, 200000}) {
    float const nothing = 0;
    farpoint::batch<view_type> const clouds{view_type{&nothing, n, 0}};
    CHECK(crop_box_workspace_bytes(host_exec{}, clouds) <= bound);
  }
  std::size_t same = 3;
  CHECK(!farpoint::crop_box_workspace_bound<view_type>(host_exec{}, {-1, 5}, same));
  CHECK(!farpoint::crop_box_workspace_bound<view_type>(host_exec{-1}, {1, 5}, same));
  CHECK(same == 3);
}

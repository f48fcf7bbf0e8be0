// draw_splats() on host_exec, against lines of sight in double precision that are tested against every splat.
#include <farpoint/splat/draw_splats.hpp>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "../../support/catch.hpp"
#include "../../support/test_scale.hpp"
#include "../plain_splats.hpp"

using namespace farpoint_tests;
using farpoint::host_exec;
using farpoint::index_t;
using farpoint::status;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

struct picture {
  std::vector<float> colors;
  std::vector<std::uint8_t> bytes;
  std::vector<float> depths;
};

template <class Coord>
picture run(draw_splats_problem<Coord> const& problem, int threads = 1) {
  farpoint::result outcome;
  auto const parts = run_on_host(problem, threads, outcome);
  INFO(outcome.reason);
  REQUIRE(outcome);
  return {array_of<float>(parts[0]), parts[1], array_of<float>(parts[2])};
}

/// @return pixels that were certain
std::size_t check_against_sights(draw_splats_problem<float> const& problem, picture const& drawn) {
  auto const splats = plain_splats(problem);
  std::size_t certain = 0;
  for (int y = 0; y < problem.camera.height; ++y) {
    for (int x = 0; x < problem.camera.width; ++x) {
      auto const expected = look(problem, splats, x, y);
      if (!expected.is_certain) continue;
      ++certain;
      CAPTURE(x, y);
      float const depth = drawn.depths[static_cast<std::size_t>(y * problem.camera.width + x)];
      if (std::isinf(expected.depth)) {
        CHECK(depth == infinity);
      } else {
        CHECK(std::fabs(double{depth} - expected.depth) < 1e-3 * expected.depth);
      }
      for (std::size_t c = 0; c < 3; ++c) {
        std::size_t const at = static_cast<std::size_t>(y) * problem.row() + 3 * static_cast<std::size_t>(x) + c;
        CHECK(std::fabs(double{drawn.colors[at]} - expected.color[c]) < 0.02);
        CHECK(std::fabs(static_cast<double>(drawn.bytes[at]) - 255 * double{drawn.colors[at]}) <= 0.501);
      }
    }
  }
  return certain;
}

/// A splat in the middle of a square image, 10 m ahead.
draw_splats_problem<float> one_splat(int size, float focal) {
  draw_splats_problem<float> problem;
  problem.camera.width = problem.camera.height = size;
  problem.camera.focal = {{focal, focal}};
  problem.camera.center = {{0.5f * static_cast<float>(size), 0.5f * static_cast<float>(size)}};
  problem.points = {0, 0, 10, 0};
  problem.extents = {2, 2};
  problem.normals = {0, 0, -1};
  problem.colors = {1, 0.5f, 0};
  problem.params.light = farpoint::splat_light::none();
  return problem;
}

bool same_picture(picture const& a, picture const& b) {
  auto const same = [](auto const& one, auto const& other) {
    return one.size() == other.size() &&
           (one.empty() || std::memcmp(one.data(), other.data(), one.size() * sizeof one[0]) == 0);
  };
  return same(a.colors, b.colors) && same(a.bytes, b.bytes) && same(a.depths, b.depths);
}

}  // namespace

TEST_CASE("draw_splats, host: what every line of sight meets", "[splats][host]") {
  std::size_t certain = 0;
  std::size_t all = 0;
  for (std::uint64_t seed = 0; seed < rounds(150); ++seed) {
    CAPTURE(seed);
    auto problem = random_splats<float>(seed, all_shapes[seed % std::size(all_shapes)]);
    problem.params.light = farpoint::splat_light::none();
    problem.params.hidden = infinity;
    certain += check_against_sights(problem, run(problem));
    all += problem.pixels();
  }
  CHECK(certain * 4 > all);
}

TEST_CASE("draw_splats, host: no order and no number of threads changes a bit", "[splats][host]") {
  for (std::uint64_t seed = 0; seed < rounds(60); ++seed) {
    CAPTURE(seed);
    auto const problem = random_splats<float>(seed, shape::clusters);
    auto const first = run(problem);
    CHECK(same_picture(run(problem, 3), first));
    if (!problem.count.empty()) continue;
    auto turned = problem;
    for (std::size_t i = 0; i < problem.splats(); ++i) {
      std::size_t const from = problem.splats() - 1 - i;
      turned.whose[i] = problem.whose[from];
      for (std::size_t a = 0; a < 3; ++a) {
        if (!problem.normals.empty()) turned.normals[3 * i + a] = problem.normals[3 * from + a];
        if (!problem.tangents.empty()) turned.tangents[3 * i + a] = problem.tangents[3 * from + a];
        turned.colors[3 * i + a] = problem.colors[3 * from + a];
        if (a < 2) turned.extents[2 * i + a] = problem.extents[2 * from + a];
      }
    }
    CHECK(same_picture(run(turned), first));
  }
}

TEST_CASE("draw_splats, host: one splat is an ellipse where its plane meets the lines of sight", "[splats][host]") {
  auto problem = one_splat(101, 100);
  // 60 degrees off the line of sight: half as high as wide.
  problem.normals = {0, std::sqrt(0.75f), -0.5f};
  auto const drawn = run(problem);
  auto const depth = [&](int x, int y) { return drawn.depths[static_cast<std::size_t>(101 * y + x)]; };
  int wide = 0;
  int high = 0;
  for (int i = 0; i < 101; ++i) {
    wide += depth(i, 50) < infinity ? 1 : 0;
    high += depth(50, i) < infinity ? 1 : 0;
  }
  CHECK(wide == 41);
  CHECK(high >= 20);
  CHECK(high <= 23);
  CHECK(std::fabs(depth(50, 50) - 10) < 1e-5f);
  // Nearer below the middle, farther above: y points down, and the normal with it.
  CHECK(depth(50, 55) > 10);
  CHECK(depth(50, 45) < 10);
  auto const middle = static_cast<std::size_t>(3 * (101 * 50 + 50));
  CHECK(drawn.colors[middle] == 1);
  CHECK(std::fabs(drawn.colors[middle + 1] - 0.5f) < 1e-5f);
  CHECK(drawn.bytes[middle] == 255);
  CHECK(drawn.bytes[middle + 1] == 128);
  CHECK(drawn.bytes[middle + 2] == 0);

  problem.params.back_faces = false;
  CHECK(same_picture(run(problem), drawn));
  for (float& n : problem.normals) n = -n;
  CHECK(run(problem).depths[101 * 50 + 50] == infinity);
  problem.params.back_faces = true;
  CHECK(same_picture(run(problem), drawn));

  // The long axis is along the tangent, whatever its length, and a disc has none.
  problem.normals = {0, 0, -3};
  problem.tangents = {0, 5, 1};
  problem.extents = {2, 1};
  auto const upright = run(problem);
  CHECK(upright.depths[101 * 31 + 50] < infinity);
  CHECK(upright.depths[101 * 50 + 31] == infinity);
  problem.tangents.clear();
  auto const disc = run(problem);
  CHECK(disc.depths[101 * 31 + 50] < infinity);
  CHECK(disc.depths[101 * 50 + 31] < infinity);
}

TEST_CASE("draw_splats, host: equal depths blend, those behind do not, and the hidden are not drawn",
          "[splats][host]") {
  auto problem = one_splat(11, 10);
  problem.points = {0, 0, 10, 0, 0, 0, 10, 0, 0, 0, 12, 0};
  problem.extents = {2, 2, 2, 2, 3.9f, 3.9f};
  problem.normals = {0, 0, -1, 0, 0, -1, 0, 0, -1};
  problem.colors = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  auto const pixel = [&](picture const& drawn, int x, int y) {
    auto const at = static_cast<std::size_t>(3 * (11 * y + x));
    return std::vector<float>{drawn.colors[at], drawn.colors[at + 1], drawn.colors[at + 2]};
  };
  std::vector<float> const half{32768 / 65535.0f, 32768 / 65535.0f, 0};
  auto const background = std::vector<float>{0, 0, 0};
  problem.params.hidden = 0.5f;
  auto const with_hidden_left_out = run(problem);
  CHECK(pixel(with_hidden_left_out, 5, 5) == half);
  CHECK(pixel(with_hidden_left_out, 2, 5) == background);
  // With a larger `hidden` the farther splat shows at the rim of the nearer splats.
  problem.params.hidden = 1e3f;
  auto const with_all = run(problem);
  CHECK(pixel(with_all, 5, 5) == half);
  CHECK(pixel(with_all, 2, 5) == std::vector<float>{0, 0, 1});
  problem.params.hidden = infinity;
  CHECK(same_picture(run(problem), with_all));
  // With more slack the farther splat belongs to the same surface.
  problem.params.slack = 0.52f;
  CHECK(pixel(run(problem), 5, 5)[2] > 0.3f);
  problem.params.slack = 0;
  CHECK(pixel(run(problem), 5, 5) == half);
}

TEST_CASE("draw_splats, host: light", "[splats][host]") {
  auto problem = one_splat(3, 10);
  problem.colors = {0.5f, 1, 0};
  problem.params.light = {{{0, 0, -2}}, 0.25f, 0.5f, 0, 0};
  auto const middle = [&] {
    auto const drawn = run(problem);
    return std::vector<float>{drawn.colors[12], drawn.colors[13], drawn.colors[14]};
  };
  auto const near = [](std::vector<float> const& a, std::vector<float> const& b) {
    return std::fabs(a[0] - b[0]) < 1e-4f && std::fabs(a[1] - b[1]) < 1e-4f && std::fabs(a[2] - b[2]) < 1e-4f;
  };
  CHECK(near(middle(), {0.375f, 0.75f, 0}));
  problem.params.light.gloss = 0.5f;
  CHECK(near(middle(), {0.875f, 1, 0.5f}));
  problem.params.light.gloss = 0;
  problem.params.light.to_light = {{0, 0, 1}};
  CHECK(near(middle(), {0.125f, 0.25f, 0}));
  problem.params.light.to_light = {{1, 0, 0}};
  problem.params.light.wrap = 0.5f;
  CHECK(near(middle(), {0.25f, 0.5f, 0}));
  problem.params.light.to_light = {{0, 0, 0}};
  CHECK(near(middle(), {0.25f, 0.5f, 0}));
}

TEST_CASE("draw_splats, host: splats without area are dots, wherever they are in a pixel", "[splats][host]") {
  for (auto const& offset : {std::array<float, 2>{0, 0}, {0.5f, 0.5f}, {-0.4999f, 0.4999f}, {0.3f, -0.2f}}) {
    for (float const extent : {0.0f, -3.0f, std::nanf(""), 1e-30f}) {
      CAPTURE(offset[0], offset[1], extent);
      auto problem = one_splat(9, 10);
      problem.points = {offset[0] * 0.999f, offset[1] * 0.999f, 10, 0};
      problem.extents = {extent, extent};
      auto const drawn = run(problem);
      CHECK(drawn.depths[9 * 4 + 4] == 10);
      auto const hit = std::count_if(drawn.depths.begin(), drawn.depths.end(), [](float z) { return z < infinity; });
      CHECK(hit >= 1);
      CHECK(hit <= 4);
    }
  }
}

TEST_CASE("draw_splats, host: huge splats, and more of them than 16 bits can count", "[splats][host]") {
  auto problem = one_splat(1, 1);
  problem.points = {0, 0, 1, 0};
  problem.extents.assign(2 * 70'000, 1e38f);
  problem.normals.clear();
  problem.whose.assign(70'000, 0);
  problem.colors.assign(3 * 70'000, 0.75f);
  auto const drawn = run(problem);
  CHECK(std::fabs(drawn.colors[0] - 0.75f) < 1e-4f);
  CHECK(drawn.depths[0] == 1);
  auto wide = one_splat(64, 10);
  wide.extents = {infinity, infinity};
  auto const all = run(wide);
  CHECK(std::count(all.bytes.begin(), all.bytes.end(), 255) == 64 * 64);
  wide.params.most_extent = 0.01;
  auto const cut = run(wide);
  CHECK(std::count(cut.bytes.begin(), cut.bytes.end(), 255) <= 4);
}

TEST_CASE("draw_splats, host: nothing to draw", "[splats][host]") {
  auto problem = one_splat(5, 10);
  problem.params.background = {{0.5f, 2, std::nanf("")}};
  problem.stride = 17;
  auto const is_empty = [&](draw_splats_problem<float> const& what) {
    auto const drawn = run(what);
    bool empty = true;
    for (std::size_t y = 0; y < 5; ++y) {
      for (std::size_t x = 0; x < 17; ++x) {
        std::uint8_t const byte = drawn.bytes[17 * y + x];
        empty = empty && byte == (x >= 15 ? poison : x % 3 == 0 ? 128 : x % 3 == 1 ? 255 : 0);
      }
    }
    return empty && std::count(drawn.depths.begin(), drawn.depths.end(), infinity) == 25;
  };
  CHECK_FALSE(is_empty(problem));
  for (float const z : {-10.0f, 0.0f, std::nanf(""), infinity}) {
    auto other = problem;
    other.points[2] = z;
    CHECK(is_empty(other));
  }
  auto near = problem;
  near.camera.near_depth = 10;
  CHECK(is_empty(near));
  auto none = problem;
  none.count = {0};
  CHECK(is_empty(none));
  none.count = {-7};
  CHECK(is_empty(none));
  none.count = {900};
  CHECK_FALSE(is_empty(none));
  none.count.clear();
  none.offsets = {0, 2};
  CHECK(is_empty(none));
  none.offsets = {1, 1};
  CHECK(is_empty(none));
  none = problem;
  none.points.clear();
  none.whose = {0};
  CHECK(is_empty(none));
  none.whose.clear();
  none.extents.clear();
  CHECK(is_empty(none));
}

TEST_CASE("draw_splats, host: what is refused", "[splats][host]") {
  auto const problem = one_splat(4, 10);
  std::vector<float> colors(48), depths(16);
  std::vector<std::uint8_t> bytes(48);
  farpoint::batch const cloud{farpoint::point_view<float>{problem.points.data(), 1, 16}};
  auto splats = farpoint::splat_view<float>{problem.extents};
  farpoint::host_scratch const workspace{
      draw_splats_workspace_bytes(host_exec{}, splats, problem.camera, problem.params)};
  CHECK(workspace.size() >= 16 * 36);
  std::size_t bound = 0;
  REQUIRE(draw_splats_workspace_bound(host_exec{}, 1, 4, 4, bound));
  auto hiding = problem.params;
  hiding.hidden = 1;
  CHECK(bound == draw_splats_workspace_bytes(host_exec{}, splats, problem.camera, hiding));
  CHECK(bound > workspace.size());
  CHECK_FALSE(draw_splats_workspace_bound(host_exec{}, 1, 0, 4, bound));
  CHECK_FALSE(draw_splats_workspace_bound(host_exec{}, 1, 4, 8193, bound));
  CHECK_FALSE(draw_splats_workspace_bound(host_exec{}, -1, 4, 4, bound));
  CHECK_FALSE(draw_splats_workspace_bound(host_exec{}, (index_t{1} << 30) + 1, 4, 4, bound));
  auto camera = problem.camera;
  auto params = problem.params;
  farpoint::splat_image image{colors, bytes, 0, depths};
  farpoint::bytes memory = workspace;
  auto const code = [&] { return draw_splats(host_exec{1}, cloud, splats, camera, params, image, memory).code; };
  auto const refuses = [&](auto& value, auto const& other) {
    auto const before = value;
    value = other;
    bool const refused = code() == status::bad_argument;
    value = before;
    return refused;
  };
  CHECK(code() == status::ok);
  std::vector<float> const five(5), four(4);
  CHECK(refuses(splats.extents, farpoint::span<float const>{five}));
  CHECK(refuses(splats.extents, farpoint::span<float const>{four}));  // two splats of one point
  std::vector<float> const two(2);
  CHECK(refuses(splats.normals, farpoint::span<float const>{two}));
  CHECK(refuses(splats.tangents, farpoint::span<float const>{two}));
  CHECK(refuses(splats.colors, farpoint::span<float const>{two}));
  CHECK(refuses(camera.width, 0));
  CHECK(refuses(camera.height, 8193));
  CHECK(refuses(image.stride, index_t{11}));
  CHECK(refuses(image.stride, index_t{13}));  // 51 values
  CHECK(refuses(image.stride, index_t{1} << 41));
  CHECK(refuses(image.depths, farpoint::span<float>{depths.data(), 15}));
  CHECK(refuses(params.slack, -1.0f));
  CHECK(refuses(params.hidden, std::nanf("")));
  CHECK(refuses(params.least_radius, 0.0f));
  CHECK(refuses(params.least_radius, 17.0f));
  CHECK(refuses(params.most_extent, -1.0));
  CHECK(refuses(params.light.wrap, 1.5f));
  CHECK(refuses(params.light.gloss, infinity));
  CHECK(refuses(params.light.to_light[1], std::nanf("")));
  memory = {workspace.get().data(), workspace.size() - 1};
  CHECK(code() == status::workspace_too_small);
}

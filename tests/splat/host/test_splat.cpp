// Parts of the splat demo: visible points, splats and pictures of a closed surface whose depth is known along each line
// of sight.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <set>
#include <vector>

#include "../../support/catch.hpp"
#include "../../support/test_scale.hpp"
#include "frame.hpp"
#include "normals.hpp"
#include "shading.hpp"
#include "steadiness.hpp"
#include "torus_knot.hpp"

namespace {

using namespace farpoint_tools;

constexpr int side = 256;  // px
constexpr int k = 16;
constexpr double elevation = 40;

splat_frame draw(std::vector<point3> const& cloud, double azimuth, int threads, int rounds = farpoint::until_exact) {
  turntable const stand{cloud, elevation};
  frame_request request;
  request.looking = stand.at(azimuth, side, side);
  request.k = k;
  request.rounds = rounds;
  request.reach = stand.reach();
  return frame_on_host(cloud, request, threads);
}

std::vector<point3> const& knot_cloud() {
  static auto const cloud = torus_knot{}.sample(200'000, 0.0005, 7);
  return cloud;
}

/// Returns the frame of draw() with two threads, computed once for all test cases.
splat_frame const& view_from(int azimuth) {
  static std::map<int, splat_frame> views;
  auto found = views.find(azimuth);
  if (found == views.end()) found = views.emplace(azimuth, draw(knot_cloud(), azimuth, 2)).first;
  return found->second;
}

}  // namespace

NUMBERS_TEST_CASE("splats close a closed surface from every side", "[splat][numbers]") {
  torus_knot const knot;
  for (int const azimuth : {0, 50, 135, 260}) {
    auto const& view = view_from(azimuth);
    INFO("azimuth " << azimuth << ", " << view.seen.visible.size() << " visible points");
    auto const within = knot.depths(view.picture.looking, 0.95 * torus_knot::tube_radius);
    auto const holes = holes_in(view.picture, within, torus_knot::tube_radius);
    CHECK(holes.of > 4 * side * side / 10);
    CHECK(holes.found == 0);

    // Splats neither stand out beyond the surface nor float in front of it.
    auto const around = knot.depths(view.picture.looking, 1.05 * torus_knot::tube_radius);
    std::size_t astray = 0;
    for (std::size_t pixel = 0; pixel < around.size(); ++pixel) {
      astray += view.picture.depths[pixel] < around[pixel] - 0.05 * torus_knot::tube_radius;
    }
    CHECK(astray < holes.of / 32);
  }
}

TEST_CASE("a hundred frames around a closed model have no hole", "[splat]") {
  torus_knot const knot;
  // One turn, with changing elevation.
  int const frames = farpoint_tests::for_races ? 10 : 100;
  auto const cloud = torus_knot{}.sample(20'000, 0.0005, 11);
  std::size_t lines_of_sight = 0;
  for (int at = 0; at < frames; ++at) {
    double const turn = 360.0 * at / frames;
    turntable const stand{cloud, 60 * std::sin(turn / 57.3)};
    frame_request request;
    request.looking = stand.at(turn, 64, 64);
    request.k = k;
    request.zoom = 1;
    request.reach = stand.reach();
    auto const view = frame_on_host(cloud, request, 2);
    auto const within = knot.depths(view.picture.looking, 0.95 * torus_knot::tube_radius);
    auto const holes = holes_in(view.picture, within, torus_knot::tube_radius);
    INFO("frame " << at << " of " << frames);
    CHECK(holes.found == 0);
    lines_of_sight += holes.of;
  }
  CHECK(lines_of_sight > static_cast<std::size_t>(frames) * 64 * 64 / 16);
}

NUMBERS_TEST_CASE("neighbors that are given are drawn as those that are found", "[splat][numbers]") {
  auto const& found = view_from(10);
  turntable const stand{knot_cloud(), elevation};
  frame_request request;
  request.looking = found.looking;
  request.k = 3;  // ignored if a search is given
  request.reach = stand.reach();
  request.given = &found.seen;
  CHECK(equal_bits(found, frame_on_host(knot_cloud(), request, 2)));

  // Fewer neighbors give another picture of the same points.
  view_search few = found.seen;
  for (std::size_t i = 0; i < few.neighbors.indices.size(); ++i) {
    if (i % k >= 6) few.neighbors.indices[i] = -1;
  }
  request.given = &few;
  auto const drawn = frame_on_host(knot_cloud(), request, 2);
  CHECK(drawn.seen.visible == found.seen.visible);
  CHECK_FALSE(drawn.normals == found.normals);
}

TEST_CASE("a picture without splats is all holes", "[splat]") {
  torus_knot const knot;
  auto const looking = turntable{knot_cloud(), elevation}.at(0, side, side);
  frame const empty{looking, std::vector<float>(side * side, frame::nothing), std::vector<float>(3 * side * side)};
  auto const holes = holes_in(empty, knot.depths(looking, torus_knot::tube_radius), 0.1);
  CHECK(holes.of > side * side / 10);
  CHECK(holes.found == holes.of);
  CHECK(flicker_between(empty, empty, 1).of == 0);
}

NUMBERS_TEST_CASE("brightness stays with the surface when the camera moves by a degree", "[splat][numbers]") {
  auto const& first = view_from(10);
  auto const& second = view_from(11);
  auto const flicker = flicker_between(first.picture, second.picture, 0.02);
  CHECK(flicker.of > 4 * side * side / 10);
  CHECK(flicker.share() < 0.01);

  // The measure must detect inverted colors on an unchanged surface.
  auto astray = second.picture;
  for (float& color : astray.colors) color = 1 - color;
  CHECK(flicker_between(first.picture, astray, 0.02).share() > 0.3);
}

NUMBERS_TEST_CASE("normals are near those of the whole cloud, and look at the eye", "[splat][numbers]") {
  auto const& view = view_from(50);
  auto const all = search_cloud(knot_cloud(), view.seen.visible, k, 2);
  auto const exact = normals_of(knot_cloud(), view.seen.visible, all, eye_of(view.looking), 2);
  auto const errors = angles_between(view.normals, exact);
  auto const spread = spread_of(errors);
  CHECK(spread.mean > 0);
  CHECK(spread.mean < 4);
  CHECK(spread.deviation < 6);

  for (std::size_t i = 0; i < exact.size(); ++i) {
    CHECK(std::fabs(length(to_vec3(exact[i])) - 1) < 1e-6);
    vec3 const to_eye = eye_of(view.looking) - to_vec3(knot_cloud()[static_cast<std::size_t>(view.seen.visible[i])]);
    CHECK(dot(to_vec3(exact[i]), to_eye) >= 0);
  }
}

TEST_CASE("splats are the same bytes for every number of threads", "[splat]") {
  auto const one = draw(knot_cloud(), 10, 1);
  CHECK(one.seen.visible.size() > side * side / 10);
  CHECK(equal_bits(one, view_from(10)));
  CHECK(equal_bits(one, draw(knot_cloud(), 10, 3)));
  CHECK_FALSE(equal_bits(one, view_from(11)));
}

TEST_CASE("visible points are their own first neighbors", "[splat]") {
  auto const& seen = view_from(0).seen;
  std::set<std::int32_t> const visible{seen.visible.begin(), seen.visible.end()};
  REQUIRE(visible.size() == seen.visible.size());
  CHECK(visible.size() > side * side / 10);
  std::size_t own = 0;
  std::size_t invisible = 0;
  for (std::size_t i = 0; i < seen.visible.size(); ++i) {
    own += seen.neighbors.row(i)[0] == seen.visible[i];
    for (int j = 0; j < k; ++j) invisible += visible.count(seen.neighbors.row(i)[j]) == 0;
  }
  CHECK(own == seen.visible.size());
  CHECK(invisible == 0);
}

NUMBERS_TEST_CASE("one round of the search gets most neighbors right, and three nearly all", "[splat][numbers]") {
  auto const& exact = view_from(0).seen;
  for (int rounds = 1; rounds <= 3; ++rounds) {
    auto const some = draw(knot_cloud(), 0, 2, rounds).seen;
    REQUIRE(some.visible == exact.visible);
    double const share = share_of_equal_rows(some.neighbors, exact.neighbors);
    CAPTURE(rounds, share);
    CHECK(share > (rounds == 1 ? 0.8 : 0.99));
    CHECK(share < 1);
  }
  CHECK(share_of_equal_rows(exact.neighbors, exact.neighbors) == 1);
}

TEST_CASE("angles between normals know no sides", "[splat]") {
  float const s = std::sqrt(0.5F);
  auto const angles =
      angles_between({{1, 0, 0}, {1, 0, 0}, {1, 0, 0}, {0, 0, 1}}, {{1, 0, 0}, {-1, 0, 0}, {s, s, 0}, {1, 0, 0}});
  CHECK(angles[0] == 0);
  CHECK(angles[1] == 0);
  CHECK(std::fabs(angles[2] - 45) < 1e-4);
  CHECK(std::fabs(angles[3] - 90) < 1e-4);
  auto const spread = spread_of({1, 2, 3, 4});
  CHECK(spread.mean == 2.5);
  CHECK(std::fabs(spread.deviation - std::sqrt(1.25)) < 1e-12);
  CHECK(spread_of({}).mean == 0);
}

TEST_CASE("any axis may point up", "[splat]") {
  for (auto const up :
       {up_axis::plus_x, up_axis::minus_x, up_axis::plus_y, up_axis::minus_y, up_axis::plus_z, up_axis::minus_z}) {
    auto const axis = static_cast<std::size_t>(up) / 2;
    float const sign = static_cast<std::size_t>(up) % 2 == 0 ? 1.0F : -1.0F;
    std::vector<point3> cloud{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (auto& point : cloud) point = {point[0] + 1000, point[1] + 1000, point[2] + 1000};
    auto const upright = set_upright(cloud, up);
    // Differences of heights do not change.
    for (std::size_t i = 0; i < cloud.size(); ++i) {
      CHECK(upright[i][2] - upright[0][2] == sign * (cloud[i][axis] - cloud[0][axis]));
      CHECK(std::fabs(upright[i][0]) <= 1);
    }
    // A turn keeps the three edges right-handed.
    auto const edge = [&](std::size_t i) { return to_vec3(upright[i]) - to_vec3(upright[0]); };
    CHECK(dot(cross(edge(1), edge(2)), edge(3)) == 1);
  }
}

TEST_CASE("clouds without a surface are drawn", "[splat]") {
  float const nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<std::vector<point3>> const clouds{
      {{0, 0, 0}},
      {{0, 0, 0}, {0, 0, 0}, {nan, 0, 0}},
      {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}},
  };
  for (auto const& cloud : clouds) {
    auto const view = draw(set_upright(cloud, up_axis::plus_z), 0, 2);
    CHECK(!view.seen.visible.empty());
    CHECK(*std::min_element(view.picture.depths.begin(), view.picture.depths.end()) < frame::nothing);
    for (auto const& normal : view.normals)
      CHECK((length(to_vec3(normal)) == 0 || std::fabs(length(to_vec3(normal)) - 1) < 1e-6));
    auto const picture = shade(view.picture);
    CHECK(picture.width() == side);
    CHECK(with_caption(picture, "a caption", true).height() > side);
  }
}

TEST_CASE("false colors are dark blue, green and red", "[splat]") {
  auto const colors = colors_of_errors({0, 22.5F, 22.6F});
  REQUIRE(colors.size() == 9);
  auto const is = [&](std::size_t splat, std::size_t channel) {
    float const* const of = colors.data() + 3 * splat;
    return of[channel] >= std::max({of[0], of[1], of[2]});
  };
  CHECK(is(0, 2));
  CHECK(colors[2] < 0.5F);
  CHECK(is(1, 1));
  CHECK(is(2, 0));
  camera looking;
  looking.width = looking.height = 2;
  frame picture{looking, std::vector<float>(4, 1.0F), {}};
  for (int pixel = 0; pixel < 4; ++pixel) picture.colors.insert(picture.colors.end(), {1, 0, 0.2F});
  auto const small = show_colors(picture);
  CHECK(small.width() == 1);
  CHECK(int{small.at(0, 0).red} == 255);
  CHECK(int{small.at(0, 0).blue} == 51);
}

TEST_CASE("views of one size make a sheet", "[splat]") {
  std::vector<image> const pictures(5, image{4, 3, {9, 8, 7}});
  auto const sheet = sheet_of(pictures, 4);
  CHECK(sheet.width() == 16);
  CHECK(sheet.height() == 6);
  CHECK(sheet.at(3, 5).red == 9);
  CHECK(sheet.at(5, 5).red != 9);
}

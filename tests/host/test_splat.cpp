// The splat demo's parts: what it sees, fits and draws, on a closed surface whose every line of sight is known.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>
#include <vector>

#include "../catch.hpp"
#include "normals.hpp"
#include "shading.hpp"
#include "splats.hpp"
#include "steadiness.hpp"
#include "torus_knot.hpp"

namespace {

using namespace farpoint_demo;

constexpr int side = 256;  // px
constexpr int k = 16;
constexpr double elevation = 40;

struct test_view {
  camera looking;
  view_search seen;
  surface fitted;
  frame picture;
};

test_view draw(std::vector<point3> const& cloud, double azimuth, int threads) {
  turntable const stand{cloud, elevation};
  test_view view;
  view.looking = stand.at(azimuth, side, side);
  view.seen = search_view(cloud, view.looking, k, threads);
  vec3 const eye = eye_of(view.looking);
  view.fitted = fit_surface(cloud, view.seen.visible, view.seen.neighbours, eye, threads);
  auto turned = view.fitted;
  turn_with_neighbours(turned.normals, cloud, view.seen, eye, threads);
  auto const splats = make_splats(cloud, view.seen, turned, {}, view.looking, stand.reach() / 64);
  view.picture = draw_splats(splats, enlarged(view.looking, 2), threads);
  return view;
}

std::vector<point3> const& knot_cloud() {
  static auto const cloud = torus_knot{}.sample(200'000, 0.0005, 7);
  return cloud;
}

template <class Value>
bool same_bytes(std::vector<Value> const& a, std::vector<Value> const& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(Value)) == 0;
}

}  // namespace

TEST_CASE("splats close a closed surface from every side", "[splat]") {
  torus_knot const knot;
  for (double const azimuth : {0.0, 50.0, 135.0, 260.0}) {
    auto const view = draw(knot_cloud(), azimuth, 2);
    INFO("azimuth " << azimuth << ", " << view.seen.visible.size() << " visible points");
    auto const within = knot.depths(view.picture.looking, 0.95 * torus_knot::tube_radius);
    auto const holes = holes_in(view.picture, within, torus_knot::tube_radius);
    CHECK(holes.of > 4 * side * side / 10);
    CHECK(holes.found == 0);

    // Nor do they stand out beyond it, or float before it.
    auto const around = knot.depths(view.picture.looking, 1.05 * torus_knot::tube_radius);
    std::size_t astray = 0;
    for (std::size_t pixel = 0; pixel < around.size(); ++pixel) {
      astray += view.picture.depths[pixel] < around[pixel] - 0.05 * torus_knot::tube_radius;
    }
    CHECK(astray < holes.of / 32);
  }
}

TEST_CASE("a picture without splats is all holes", "[splat]") {
  torus_knot const knot;
  auto const looking = turntable{knot_cloud(), elevation}.at(0, side, side);
  auto const empty = draw_splats({}, looking, 2);
  auto const holes = holes_in(empty, knot.depths(looking, torus_knot::tube_radius), 0.1);
  CHECK(holes.of > side * side / 10);
  CHECK(holes.found == holes.of);
  CHECK(flicker_between(empty, empty, 1).of == 0);
}

TEST_CASE("brightness stays with the surface when the camera moves by a degree", "[splat]") {
  auto const first = draw(knot_cloud(), 10, 2);
  auto const second = draw(knot_cloud(), 11, 2);
  auto const flicker = flicker_between(first.picture, second.picture, 0.02);
  CHECK(flicker.of > 4 * side * side / 10);
  CHECK(flicker.share() < 0.01);

  // What the figure shall find: the same surface with its normals astray.
  auto astray = second.picture;
  for (auto& normal : astray.normals) normal = {normal[1], normal[0], normal[2]};
  CHECK(flicker_between(first.picture, astray, 0.02).share() > 0.3);
}

TEST_CASE("normals are near those of the whole cloud, and look at the eye", "[splat]") {
  auto const view = draw(knot_cloud(), 70, 2);
  auto const all = search_cloud(knot_cloud(), view.seen.visible, k, 2);
  auto const exact = fit_surface(knot_cloud(), view.seen.visible, all, eye_of(view.looking), 2).normals;
  auto const errors = angles_between(view.fitted.normals, exact);
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
  auto const one = draw(knot_cloud(), 30, 1);
  auto const three = draw(knot_cloud(), 30, 3);
  CHECK(one.seen.visible == three.seen.visible);
  CHECK(one.seen.neighbours.indices == three.seen.neighbours.indices);
  CHECK(same_bytes(one.fitted.normals, three.fitted.normals));
  CHECK(same_bytes(one.fitted.radii, three.fitted.radii));
  CHECK(same_bytes(one.picture.depths, three.picture.depths));
  CHECK(same_bytes(one.picture.normals, three.picture.normals));
  CHECK(same_bytes(one.picture.errors, three.picture.errors));
}

TEST_CASE("visible points are their own first neighbours", "[splat]") {
  auto const looking = turntable{knot_cloud(), elevation}.at(0, side, side);
  auto const seen = search_view(knot_cloud(), looking, k, 2);
  std::set<std::int32_t> const visible{seen.visible.begin(), seen.visible.end()};
  REQUIRE(visible.size() == seen.visible.size());
  CHECK(visible.size() > side * side / 10);
  std::size_t own = 0;
  std::size_t invisible = 0;
  for (std::size_t i = 0; i < seen.visible.size(); ++i) {
    own += seen.neighbours.row(i)[0] == seen.visible[i];
    for (int j = 0; j < k; ++j) invisible += visible.count(seen.neighbours.row(i)[j]) == 0;
  }
  CHECK(own == seen.visible.size());
  CHECK(invisible == 0);
}

TEST_CASE("each round of the search gets more neighbours right", "[splat]") {
  auto const looking = turntable{knot_cloud(), elevation}.at(0, side, side);
  auto const exact = search_view(knot_cloud(), looking, k, 2);
  double last = 0;
  for (int rounds = 1; rounds <= 3; ++rounds) {
    auto const some = search_view(knot_cloud(), looking, k, 2, rounds);
    REQUIRE(some.visible == exact.visible);
    double const share = share_of_equal_rows(some.neighbours, exact.neighbours);
    CHECK(share > last);
    CHECK(share < 1);
    last = share;
  }
  CHECK(last > 0.5);
  CHECK(share_of_equal_rows(exact.neighbours, exact.neighbours) == 1);
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

namespace {

/// A camera whose line of sight goes through the middle of its square image.
camera square_camera(int size, float focal) {
  camera looking;
  looking.width = looking.height = size;
  looking.focal = {{focal, focal}};
  looking.centre = {{static_cast<float>(size) / 2, static_cast<float>(size) / 2}};
  return looking;
}

}  // namespace

TEST_CASE("one splat is an ellipse where its plane meets the lines of sight", "[splat]") {
  camera const looking = square_camera(101, 100);
  // 60 degrees off the line of sight: half as high as wide.
  double const tilt = std::sqrt(0.75);
  auto const picture = draw_splats({{{0, 0, 10}, {0, tilt, -0.5}, 2, 5}}, looking, 1);
  int wide = 0;
  int high = 0;
  for (int i = 0; i < 101; ++i) {
    wide += picture.depths[picture.index(i, 50)] < frame::nothing;
    high += picture.depths[picture.index(50, i)] < frame::nothing;
  }
  CHECK(wide == 41);
  CHECK(high >= 20);
  CHECK(high <= 23);
  auto const middle = picture.index(50, 50);
  CHECK(picture.depths[middle] == 10);
  CHECK(picture.errors[middle] == 5);
  // Nearer below the middle, farther above: y points down, and the normal with it.
  CHECK(picture.depths[picture.index(50, 55)] > 10);
  CHECK(picture.depths[picture.index(50, 45)] < 10);
}

TEST_CASE("the nearest splats of a pixel are blended, those behind are not", "[splat]") {
  camera const looking = square_camera(11, 10);
  double const s = std::sqrt(0.5);
  splat const left{{0, 0, 10}, {-s, 0, -s}, 2, 10};
  splat const right{{0, 0, 10}, {s, 0, -s}, 2, 20};
  splat const behind{{0, 0, 12}, {0, 0, -1}, 2, 80};
  auto const picture = draw_splats({left, behind, right}, looking, 1);
  auto const middle = picture.index(5, 5);
  CHECK(picture.depths[middle] == 10);
  CHECK(picture.errors[middle] == 15);
  CHECK(std::fabs(picture.normals[middle][0]) < 1e-6);
  CHECK(picture.normals[middle][2] == -1);
}

TEST_CASE("any axis may point up", "[splat]") {
  for (auto const up :
       {up_axis::plus_x, up_axis::minus_x, up_axis::plus_y, up_axis::minus_y, up_axis::plus_z, up_axis::minus_z}) {
    auto const axis = static_cast<std::size_t>(up) / 2;
    float const sign = static_cast<std::size_t>(up) % 2 == 0 ? 1.0F : -1.0F;
    std::vector<point3> cloud{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (auto& point : cloud) point = {point[0] + 1000, point[1] + 1000, point[2] + 1000};
    auto const upright = set_upright(cloud, up);
    // Heights are what they were, but for the middle.
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
    for (auto const& normal : view.fitted.normals) CHECK(std::fabs(length(to_vec3(normal)) - 1) < 1e-6);
    auto const picture = shade(view.picture);
    CHECK(picture.width() == side);
    CHECK(with_caption(picture, "a caption", true).height() > side);
  }
}

TEST_CASE("false colours are dark blue, green and red", "[splat]") {
  camera looking;
  looking.width = 6;
  looking.height = 2;
  std::vector<float> const depths(12, 1.0F);
  frame picture{looking, depths, std::vector<point3>(12, {0, 0, -1}), std::vector<float>(12)};
  for (int x = 0; x < 6; ++x) {
    for (int y = 0; y < 2; ++y) picture.errors[picture.index(x, y)] = x < 2 ? 0.0F : x < 4 ? 22.5F : 22.6F;
  }
  auto const colors = show_errors(picture);
  auto const is = [&](int x, std::uint8_t rgb::*channel) {
    auto const color = colors.at(x, 0);
    return color.*channel >= std::max({color.red, color.green, color.blue});
  };
  CHECK(is(0, &rgb::blue));
  CHECK(colors.at(0, 0).blue < 128);
  CHECK(is(1, &rgb::green));
  CHECK(is(2, &rgb::red));
}

TEST_CASE("views of one size make a sheet", "[splat]") {
  std::vector<image> const pictures(5, image{4, 3, {9, 8, 7}});
  auto const sheet = sheet_of(pictures, 4);
  CHECK(sheet.width() == 16);
  CHECK(sheet.height() == 6);
  CHECK(sheet.at(3, 5).red == 9);
  CHECK(sheet.at(5, 5).red != 9);
}

// Normals against a surface that is known, the torus knot's: how far planes through few points are off. docs/tables
// shows errors against the normals of the 8 nearest points, which scatter themselves.
#include <algorithm>
#include <cmath>
#include <vector>

#include "../../support/catch.hpp"
#include "normals.hpp"
#include "torus_knot.hpp"
#include "view_search.hpp"

namespace {

using namespace farpoint_tools;

// Every `step`-th point.
std::vector<std::int32_t> some_of(std::size_t points, std::size_t step) {
  std::vector<std::int32_t> some;
  for (std::size_t i = 0; i < points; i += step) some.push_back(static_cast<std::int32_t>(i));
  return some;
}

point3 to_point3(vec3 const& from) {
  return {static_cast<float>(from[0]), static_cast<float>(from[1]), static_cast<float>(from[2])};
}

}  // namespace

TEST_CASE("the knot's normals are at right angles to its surface", "[splat]") {
  torus_knot const knot;
  auto const points = knot.sample(4000, 0, 3);
  std::size_t pairs = 0;
  for (auto const& point : points) {
    auto const place = to_vec3(point);
    auto const normal = knot.normal_at(point);
    CHECK(std::fabs(length(normal) - 1) < 1e-12);
    // Farther out along the normal, and nearly at the curve, it is the same: the nearest point of the curve is.
    for (double const away : {0.01, -0.2})
      CHECK(length(knot.normal_at(to_point3(place + away * normal)) - normal) < 2e-5);
    // A surface leaves its plane by the square of the distance, over twice the radius of its sharpest bend.
    for (auto const& other : points) {
      auto const aside = to_vec3(other) - place;
      double const distance = length(aside);
      if (distance > 0.03) continue;
      ++pairs;
      REQUIRE(std::fabs(dot(aside, normal)) <= distance * distance / 0.2 + 1e-6);
    }
  }
  // A point is its own pair.
  CHECK(pairs > points.size() + 1000);
}

TEST_CASE("planes through 8 points of a noisy surface scatter more than planes through 12", "[splat]") {
  torus_knot const knot;
  auto const points = knot.sample(150'000, 0.0005, 1);
  auto const asked = some_of(points.size(), 25);
  std::vector<point3> truth;
  for (auto const i : asked) truth.push_back(to_point3(knot.normal_at(points[static_cast<std::size_t>(i)])));
  auto const normals = [&](int k) {
    return normals_of(points, asked, search_cloud(points, asked, k, 1), {0, 0, 10}, 1);
  };
  auto const of_8 = normals(8);
  auto const of_12 = normals(12);
  double const off_8 = spread_of(angles_between(of_8, truth)).mean;
  double const off_12 = spread_of(angles_between(of_12, truth)).mean;
  CAPTURE(off_8, off_12);
  CHECK(off_8 > 1.2 * off_12);
  // Against the first as reference, the better ones are off by more than they are off the surface.
  CHECK(spread_of(angles_between(of_12, of_8)).mean > off_12);
}

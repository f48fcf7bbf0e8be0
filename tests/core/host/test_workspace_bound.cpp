// Workspaces that are enough for all problems within limits, on host_exec.
#include <farpoint/estimate_normals.hpp>
#include <farpoint/fps.hpp>
#include <farpoint/interpolate.hpp>
#include <farpoint/knn_screen.hpp>
#include <farpoint/mean_knn_distance.hpp>
#include <farpoint/point_bvh.hpp>
#include <farpoint/radius.hpp>
#include <farpoint/voxelize.hpp>

#include <string>

#include "../../screen/screen_limits.hpp"
#include "../../support/catch.hpp"
#include "../../support/random_batches.hpp"

using namespace farpoint_tests;
using farpoint::batch;
using farpoint::batch_limits;
using farpoint::host_exec;
using farpoint::point_view;
using farpoint::search_limits;

namespace {

/// Calls `check(limits, exec)` with limits of all magnitudes.
template <class Check>
void for_limits(Check const& check) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    random_source random{seed};
    batch_limits const limits{random_magnitude(random, 26), 1 + random_magnitude(random, 14)};
    host_exec const exec{static_cast<int>(1 + random_magnitude(random, 6))};
    CAPTURE(seed, limits.points, limits.clouds, exec.threads);
    check(limits, exec, random);
  }
}

/// @param bound_of  `bound_of(limits)`: bytes for all problems within them
template <class BoundOf>
void check_monotone(BoundOf const& bound_of, batch_limits const& limits, random_source& random) {
  batch_limits const less{random.below(limits.points + 1), random.below(limits.clouds + 1)};
  CAPTURE(less.points, less.clouds);
  CHECK(bound_of(less) <= bound_of({less.points, limits.clouds}));
  CHECK(bound_of({less.points, limits.clouds}) <= bound_of(limits));
  CHECK(bound_of({limits.points, less.clouds}) <= bound_of(limits));
}

/// The bound that a call writes, which must be ok.
template <class Call>
auto bound_by(Call const& call) {
  return [call](batch_limits const& of) {
    std::size_t bytes = 1;
    REQUIRE(call(of, bytes));
    return bytes;
  };
}

template <class Points>
void check_fps() {
  for_limits([](batch_limits const& limits, host_exec exec, random_source& random) {
    auto const bound_of = bound_by(
        [exec](auto const& of, std::size_t& bytes) { return farpoint::fps_workspace_bound<Points>(exec, of, bytes); });
    check_monotone(bound_of, limits, random);
    std::size_t const bound = bound_of(limits);
    for (int i = 0; i < 100; ++i) {
      auto const clouds = random_batch_within<Points>(limits, random);
      farpoint::fps_params params;
      params.samples = random_magnitude(random, 20);
      CAPTURE(i, clouds.points().size(), clouds.size(), clouds.is_ragged(), clouds.largest(), params.samples);
      REQUIRE(farpoint::fps_workspace_bytes(exec, clouds, params) <= bound);
    }
    // The bound is at most 120 bytes per point and thread, with 200,000 points to spare.
    CHECK(bound <= (limits.points + 200000) * 120 * static_cast<std::size_t>(exec.threads));
  });
}

template <class Points>
void check_voxelize() {
  for_limits([](batch_limits const& limits, host_exec exec, random_source& random) {
    auto const bound_of = bound_by([&](auto const& of, std::size_t& bytes) {
      return farpoint::voxelize_workspace_bound<Points>(exec, of, bytes);
    });
    check_monotone(bound_of, limits, random);
    for (int i = 0; i < 100; ++i) {
      auto const clouds = random_batch_within<Points>(limits, random);
      CAPTURE(i, clouds.points().size(), clouds.size());
      REQUIRE(farpoint::voxelize_workspace_bytes(exec, clouds, {}, {}) <= bound_of(limits));
    }
  });
}

template <class Points>
void check_searches() {
  for_limits([](batch_limits const& of_points, host_exec exec, random_source& random) {
    search_limits const limits{of_points.points, of_points.clouds, random_magnitude(random, 26)};
    auto const bound_of = bound_by([&](auto const& of, std::size_t& bytes) {
      return farpoint::knn_workspace_bound<Points>(exec, {of.points, of.clouds, limits.queries}, bytes);
    });
    check_monotone(bound_of, of_points, random);
    std::size_t const bound = bound_of(of_points);
    std::size_t others[5] = {};
    REQUIRE(farpoint::radius_workspace_bound<Points>(exec, limits, others[0]));
    REQUIRE(farpoint::interpolate_workspace_bound<Points>(exec, limits, others[1]));
    REQUIRE(farpoint::estimate_normals_workspace_bound<Points>(exec, of_points, 30, others[2]));
    REQUIRE(farpoint::mean_knn_distance_workspace_bound<Points>(exec, of_points, 30, others[3]));
    REQUIRE(farpoint::point_bvh_bound<Points>(exec, of_points, others[4]));
    for (int i = 0; i < 100; ++i) {
      auto const points = random_batch_within<Points>(of_points, random);
      auto const queries = random_batch_of<Points>(points.size(), limits.queries, random);
      CAPTURE(i, points.points().size(), points.size(), points.is_ragged(), queries.points().size());
      REQUIRE(knn_workspace_bytes(exec, points, queries, farpoint::knn_params{3}) <= bound);
      REQUIRE(knn_workspace_bytes(exec, points, farpoint::knn_params{3}) <= bound);
      REQUIRE(radius_workspace_bytes(exec, points, queries) <= others[0]);
      farpoint::point_bvh<typename Points::scalar> const index{{}, points.size(), points.points().size(), nullptr, 0,
                                                               0};
      REQUIRE(radius_workspace_bytes(exec, index, points, queries) <= others[0]);
      REQUIRE(interpolate_workspace_bytes(exec, points, queries) <= others[1]);
      REQUIRE(estimate_normals_workspace_bytes(exec, points, {}) <= others[2]);
      REQUIRE(mean_knn_distance_workspace_bytes(exec, points, {3}) <= others[3]);
      REQUIRE(point_bvh_bytes(exec, points) <= others[4]);
    }
  });
}

}  // namespace

TEST_CASE("workspace bounds: fps", "[limits][host]") {
  check_fps<point_view<float>>();
  check_fps<point_view<double, 2>>();
}

TEST_CASE("workspace bounds: voxelize", "[limits][host]") {
  check_voxelize<point_view<float>>();
}

TEST_CASE("workspace bounds: knn, radius and what is made of neighbors", "[limits][host]") {
  check_searches<point_view<float>>();
  check_searches<point_view<double>>();
}

TEST_CASE("workspace bounds: knn in screen space", "[limits][host]") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    host_exec const exec{1 + static_cast<int>(seed % 40)};
    check_screen_bound<point_view<float>>(exec, seed);
    check_screen_bound<point_view<double>>(exec, seed);
    check_screen_bound<point_view<farpoint::float16>>(exec, seed);
  }
  check_absurd_screen_limits<point_view<float>>(host_exec{2});
  std::size_t bytes = 77;
  CHECK_FALSE(farpoint::knn_screen_workspace_bound<point_view<float>>(host_exec{-1}, {1, 1, 1}, bytes));
  CHECK(bytes == 77);
}

TEST_CASE("workspace bounds: absurd limits are refused, and no bytes are set", "[limits][host]") {
  using view = point_view<float>;
  constexpr farpoint::index_t most = std::numeric_limits<farpoint::index_t>::max();
  std::size_t bytes = 77;
  for (batch_limits const limits : {batch_limits{-1, 1}, {1, -1}, {most, 1}, {1, most}}) {
    CHECK_FALSE(farpoint::fps_workspace_bound<view>(host_exec{1}, limits, bytes));
    CHECK_FALSE(farpoint::voxelize_workspace_bound<view>(host_exec{1}, limits, bytes));
    CHECK_FALSE(farpoint::point_bvh_bound<view>(host_exec{1}, limits, bytes));
    auto const refused = farpoint::knn_workspace_bound<view>(host_exec{1}, {limits.points, limits.clouds, 5}, bytes);
    CHECK(refused.code == farpoint::status::bad_argument);
    CHECK(std::string{refused.reason}.find("limits: ") == 0);
  }
  CHECK_FALSE(farpoint::knn_workspace_bound<view>(host_exec{1}, {1, 1, -1}, bytes));
  CHECK_FALSE(farpoint::fps_workspace_bound<view>(host_exec{-1}, {1, 1}, bytes));
  CHECK(bytes == 77);
  REQUIRE(farpoint::fps_workspace_bound<view>(host_exec{3}, {0, 0}, bytes));
  CHECK(bytes == 0);
}

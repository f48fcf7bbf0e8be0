// fps_extend() and poisson_subset() on host_exec against serial loops.
#include <farpoint/fps.hpp>

#include "../../search/index_problem.hpp"
#include "../../support/catch.hpp"
#include "../../support/host_array.hpp"
#include "../../support/test_scale.hpp"

using namespace farpoint_tests;
using farpoint::host_exec;
using farpoint::status;
using view = index_problem::view;

namespace {

constexpr float far = std::numeric_limits<float>::infinity();

/// Points that are picked one after another, each the farthest from all before it, until one is nearer than `radius`.
std::vector<std::int32_t> farthest(std::vector<std::array<float, 3>> const& points,
                                   std::vector<std::int32_t> const& earlier, std::size_t more, double radius) {
  auto const cloud = farpoint::view_points(points);
  float const stop2 = static_cast<float>(radius) * static_cast<float>(radius);
  std::vector<float> nearest(points.size(), far);
  std::vector<std::int32_t> picked;
  auto const pick = [&](std::size_t at) {
    for (std::size_t i = 0; i < points.size(); ++i) {
      float const d = farpoint::distance2(cloud[static_cast<index_t>(i)], cloud[static_cast<index_t>(at)]);
      nearest[i] = d < nearest[i] ? d : nearest[i];
    }
    nearest[at] = -1;
  };
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!farpoint::is_finite(cloud[static_cast<index_t>(i)])) nearest[i] = -1;
  }
  for (auto const index : earlier) {
    if (index >= 0) pick(static_cast<std::size_t>(index));
  }
  while (picked.size() < more && !points.empty()) {
    auto const best = std::max_element(nearest.begin(), nearest.end());
    if (*best < 0 || *best < stop2) break;
    picked.push_back(static_cast<std::int32_t>(best - nearest.begin()));
    pick(static_cast<std::size_t>(picked.back()));
  }
  return picked;
}

/// The subset's points of one cloud.
std::vector<std::int32_t> subset_of(std::vector<std::array<float, 3>> const& points, double radius, index_t room,
                                    farpoint::fps_report& report) {
  farpoint::batch<view> const cloud{farpoint::view_points(points)};
  std::vector<std::int32_t> indices(static_cast<std::size_t>(room), 77);
  std::vector<std::int32_t> count(1);
  farpoint::host_scratch const workspace{poisson_subset_workspace_bytes(host_exec{2}, cloud, room)};
  REQUIRE(farpoint::poisson_subset(host_exec{2}, cloud, radius, {indices, {}, count, &report}, workspace));
  for (auto i = static_cast<std::size_t>(count[0]); i < indices.size(); ++i) CHECK(indices[i] == -1);
  indices.resize(static_cast<std::size_t>(count[0]));
  return indices;
}

}  // namespace

TEST_CASE("poisson_subset: apart, maximal, and the same every time", "[fps][host]") {
  for (std::uint64_t seed = 0; seed < rounds(60); ++seed) {
    random_source random{seed};
    auto const points = random_points(random, random.below(700), seed % 2 == 0);
    auto const cloud = farpoint::view_points(points);
    auto const n = static_cast<index_t>(points.size());
    // On a lattice of whole numbers a radius of 1, 2 or 3 is the distance of many pairs.
    double const radius = seed % 2 == 0 ? static_cast<double>(random.below(4)) : 0.3 * random.uniform();
    CAPTURE(seed, n, radius);
    farpoint::fps_report report;
    auto const subset = subset_of(points, radius, n, report);
    float const least = static_cast<float>(radius) * static_cast<float>(radius);
    std::vector<bool> is_in(points.size());
    bool apart = true;
    for (auto const a : subset) {
      REQUIRE((a >= 0 && a < n && !is_in[static_cast<std::size_t>(a)]));
      for (index_t b = 0; b < n; ++b) {
        if (is_in[static_cast<std::size_t>(b)]) apart = apart && farpoint::distance2(cloud[a], cloud[b]) >= least;
      }
      is_in[static_cast<std::size_t>(a)] = true;
    }
    CHECK(apart);
    bool maximal = true;
    unsigned long long bad = 0;
    for (index_t i = 0; i < n; ++i) {
      bool const finite = farpoint::is_finite(cloud[i]);
      bad += finite ? 0 : 1;
      CHECK((finite || !is_in[static_cast<std::size_t>(i)]));
      bool is_covered = !finite || is_in[static_cast<std::size_t>(i)];
      for (auto const a : subset) is_covered = is_covered || farpoint::distance2(cloud[a], cloud[i]) < least;
      maximal = maximal && is_covered;
    }
    CHECK(maximal);
    CHECK(report.non_finite == bad);
    CHECK(subset == farthest(points, {}, points.size(), radius));
    CHECK(farpoint::poisson_subset(points, radius) == subset);
    // An output with less room gets the first indices of the subset.
    auto const half = static_cast<std::ptrdiff_t>(subset.size() / 2);
    CHECK(subset_of(points, radius, half, report) == std::vector<std::int32_t>(subset.begin(), subset.begin() + half));
  }
}

TEST_CASE("poisson_subset: radii at the ends, no points, and bad arguments", "[fps][host]") {
  std::vector<std::array<float, 3>> const points{{far, 0, 0}, {1, 1, 1}, {1, 1, 1}, {5, 1, 1}, {3e38f, 0, 0}};
  farpoint::fps_report report;
  // Duplicates too; the distance to the last overflows.
  CHECK(subset_of(points, 0, 5, report) == std::vector<std::int32_t>{1, 4, 3, 2});
  CHECK(subset_of(points, 4, 5, report) == std::vector<std::int32_t>{1, 4, 3});
  CHECK(subset_of(points, 4.001, 5, report) == std::vector<std::int32_t>{1, 4});
  CHECK(subset_of(points, static_cast<double>(far), 5, report) == std::vector<std::int32_t>{1, 4});
  CHECK(report.non_finite == 1);
  CHECK(subset_of({}, 1, 0, report).empty());
  CHECK(subset_of(points, 1, 0, report).empty());
  CHECK(farpoint::poisson_subset(std::vector<std::array<float, 3>>{}, 1).empty());

  farpoint::batch<view> const cloud{farpoint::view_points(points)};
  std::vector<std::int32_t> indices(5, 77);
  farpoint::host_scratch const workspace{poisson_subset_workspace_bytes(host_exec{1}, cloud, 5)};
  for (double const radius : {-1.0, std::numeric_limits<double>::quiet_NaN()}) {
    CHECK(farpoint::poisson_subset(host_exec{1}, cloud, radius, {indices}, workspace).code == status::bad_argument);
    CHECK_THROWS_AS(farpoint::poisson_subset(points, radius), std::invalid_argument);
  }
  CHECK(farpoint::poisson_subset(host_exec{1}, cloud, 1, {indices}, workspace.get().first(workspace.size() - 1)).code ==
        status::workspace_too_small);
  CHECK(indices == std::vector<std::int32_t>(5, 77));
}

TEST_CASE("fps_extend: a cloud grows, its samples stay", "[fps][host]") {
  for (std::uint64_t seed = 0; seed < rounds(40); ++seed) {
    random_source random{seed};
    auto const all = random_points(random, 50 + random.below(900), seed % 2 == 0);
    double const stop = seed % 3 == 0 ? 0.1 : 0;
    std::vector<std::int64_t> indices;
    std::vector<float> distances;
    std::vector<std::int32_t> expected;
    std::size_t n = 0;
    for (int scan = 0; scan < 5; ++scan) {
      n += static_cast<std::size_t>(random.below(static_cast<std::int64_t>(all.size() - n) + 1));
      std::vector<std::array<float, 3>> const points(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(n));
      auto const cloud = farpoint::view_points(points);
      farpoint::fps_params params;
      params.samples = random.below(60);
      params.stop_below = stop;
      auto const earlier = indices.size();
      indices.resize(earlier + static_cast<std::size_t>(params.samples), 77);
      distances.resize(indices.size(), 77);
      auto const before = indices;
      std::vector<std::int32_t> count(1);
      farpoint::host_scratch const workspace{fps_workspace_bytes(host_exec{2}, farpoint::batch<view>{cloud}, params)};
      CAPTURE(seed, scan, n, earlier, params.samples);
      // The first sample is point 0, or the finite one of lowest index.
      REQUIRE(farpoint::fps_extend(host_exec{2}, cloud, static_cast<index_t>(earlier), params,
                                   {indices, distances, count}, workspace));
      auto more = farthest(points, expected, static_cast<std::size_t>(params.samples), stop);
      CHECK(count[0] == static_cast<std::int32_t>(more.size()));
      // Padding stays where it is: the next call passes over it.
      more.resize(static_cast<std::size_t>(params.samples), -1);
      expected.insert(expected.end(), more.begin(), more.end());
      CHECK(std::equal(indices.begin(), indices.end(), expected.begin(), expected.end()));
      CHECK(std::equal(before.begin(), before.begin() + static_cast<std::ptrdiff_t>(earlier), indices.begin()));
    }
  }
}

TEST_CASE("fps_extend: arguments are checked at the door", "[fps][host]") {
  std::vector<std::array<float, 3>> const points{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
  auto const cloud = farpoint::view_points(points);
  std::vector<std::int32_t> indices{0, 77, 77};
  std::vector<float> distances(3, 77);
  farpoint::fps_params params;
  params.samples = 2;
  farpoint::host_scratch const workspace{fps_workspace_bytes(host_exec{1}, farpoint::batch<view>{cloud}, params)};
  auto const call = [&](index_t earlier, farpoint::span<float> squared) {
    return farpoint::fps_extend(host_exec{1}, cloud, earlier, params, {indices, squared}, workspace).code;
  };
  farpoint::span<float> const all{distances.data(), distances.size()};
  CHECK(call(-1, all) == status::bad_argument);
  CHECK(call(2, all) == status::bad_argument);
  CHECK(call(4, all) == status::bad_argument);
  CHECK(call(1, all.first(2)) == status::bad_argument);
  std::vector<std::int32_t> const chosen{1};
  params.chosen = chosen;
  CHECK(call(1, all) == status::bad_argument);
  params.chosen = {};
  CHECK(indices == std::vector<std::int32_t>{0, 77, 77});
  CHECK(call(1, all) == status::ok);
  CHECK(indices == std::vector<std::int32_t>{0, 2, 1});
  CHECK(distances == std::vector<float>{77, 4, 1});
}

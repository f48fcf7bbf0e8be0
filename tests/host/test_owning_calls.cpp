// The overloads that own their memory, and scratch memory.
#include <farpoint/estimate_normals.hpp>
#include <farpoint/fps.hpp>
#include <farpoint/gather.hpp>
#include <farpoint/interpolate.hpp>
#include <farpoint/mean_knn_distance.hpp>
#include <farpoint/point_bvh.hpp>
#include <farpoint/radius.hpp>

#include "../catch.hpp"
#include "../shared/index_problem.hpp"

using namespace farpoint_tests;
using farpoint::batch;
using farpoint::host_exec;
using farpoint::host_scratch;
using farpoint::span;

namespace {

using points_of_float = std::vector<std::array<float, 3>>;

struct two_clouds {
  points_of_float points;
  points_of_float queries;

  explicit two_clouds(std::uint64_t seed) {
    random_source random{seed};
    points = random_points(random, random.below(900), true);
    queries = random_points(random, random.below(400), true);
  }
};

auto cloud_of(points_of_float const& points) {
  return batch{farpoint::view_points(points)};
}

template <class T>
bool same(std::vector<T> const& a, std::vector<T> const& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

}  // namespace

TEST_CASE("owning calls: radius and rows, as by the core calls", "[owning][host]") {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    CAPTURE(seed);
    two_clouds const clouds{seed};
    farpoint::radius_params const params{1.5};
    auto const found = farpoint::radius(clouds.points, clouds.queries, params, 7);
    auto const points = cloud_of(clouds.points);
    auto const queries = cloud_of(clouds.queries);
    host_scratch const workspace{radius_workspace_bytes(host_exec{1}, points, queries)};
    farpoint::radius_neighbours<float> expected{7, std::vector<std::int32_t>(clouds.queries.size() * 7),
                                                std::vector<float>(clouds.queries.size() * 7),
                                                std::vector<std::int32_t>(clouds.queries.size())};
    REQUIRE(radius(host_exec{1}, points, queries, params, 7, {expected.indices, expected.distances, expected.counts},
                   workspace));
    CHECK(same(found.indices, expected.indices));
    CHECK(same(found.distances, expected.distances));
    CHECK(same(found.counts, expected.counts));

    auto const all = farpoint::radius(clouds.points, clouds.queries, params, 0);
    auto const rows = farpoint::radius_rows(clouds.points, clouds.queries, params);
    bool right = rows.offsets.size() == clouds.queries.size() + 1 && rows.distances.size() == rows.indices.size();
    for (std::size_t i = 0; i < clouds.queries.size(); ++i) {
      right = right && rows.offsets[i + 1] - rows.offsets[i] == all.counts[i];
      for (int j = 0; j < std::min(7, all.counts[i]); ++j) {
        auto const at = static_cast<std::size_t>(rows.offsets[i] + j);
        right = right && rows.indices[at] == found.indices[7 * i + static_cast<std::size_t>(j)];
      }
    }
    CHECK(right);
    CHECK(same(farpoint::radius(clouds.points, params, 5).indices,
               farpoint::radius(clouds.points, clouds.points, params, 5).indices));
    CHECK(same(farpoint::radius_rows(clouds.points, params).indices,
               farpoint::radius_rows(clouds.points, clouds.points, params).indices));
  }
}

TEST_CASE("owning calls: normals, means, interpolation and an index, as by the core calls", "[owning][host]") {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    CAPTURE(seed);
    two_clouds const clouds{seed};
    auto const points = cloud_of(clouds.points);
    auto const queries = cloud_of(clouds.queries);
    std::size_t const n = clouds.points.size();
    auto const built = farpoint::build_point_bvh(clouds.points);
    CHECK(built.index.points() == static_cast<index_t>(n));

    auto const normals = farpoint::estimate_normals(clouds.points);
    farpoint::estimated_normals<float> expected{std::vector<float>(3 * n), std::vector<float>(n)};
    REQUIRE(estimate_normals(host_exec{1}, built.index, points, {}, {expected.normals, expected.curvatures}));
    CHECK(same(normals.normals, expected.normals));
    CHECK(same(normals.curvatures, expected.curvatures));

    std::vector<float> means(n);
    REQUIRE(mean_knn_distance(host_exec{1}, built.index, points, 4, span<float>{means}));
    CHECK(same(farpoint::mean_knn_distance(clouds.points, 4), means));

    std::vector<float> const features = [&] {
      std::vector<float> values;
      for (std::size_t i = 0; i < 2 * n; ++i) values.push_back(static_cast<float>(i));
      return values;
    }();
    std::vector<float> interpolated(2 * clouds.queries.size());
    REQUIRE(interpolate(host_exec{1}, built.index, span<float const>{features}, queries, 2, {interpolated}));
    CHECK(same(farpoint::interpolate(clouds.points, features, clouds.queries, 2), interpolated));
  }
}

TEST_CASE("owning calls: gather", "[owning][host]") {
  points_of_float const points{{{0, 0, 0}}, {{1, 0, 0}}, {{0, 5, 0}}, {{9, 0, 0}}};
  auto const sampled = farpoint::gather(points, farpoint::fps(points, 2).indices);
  CHECK(sampled == points_of_float{{{0, 0, 0}}, {{9, 0, 0}}});
  std::vector<double> const values{1, 2, 3, 4};
  std::vector<std::int64_t> const rows{1, -1, 7, 0};
  CHECK(farpoint::gather(values, rows, 2) == std::vector<double>{3, 4, 0, 0, 0, 0, 1, 2});
}

TEST_CASE("owning calls: what the core calls refuse is thrown", "[owning][host]") {
  points_of_float const points(5);
  std::vector<float> const features(10);
  CHECK_THROWS_AS(farpoint::radius(points, {-1.0}, 3), std::invalid_argument);
  CHECK_THROWS_AS(farpoint::radius(points, {1.0}, -3), std::invalid_argument);
  CHECK_THROWS_AS(farpoint::radius(points, {1.0}, 1025), std::invalid_argument);
  CHECK_THROWS_AS(farpoint::radius_rows(points, {-1.0}), std::invalid_argument);
  CHECK_THROWS_AS(farpoint::mean_knn_distance(points, 0), std::invalid_argument);
  CHECK_THROWS_AS(farpoint::interpolate(points, features, points, 3), std::invalid_argument);
  CHECK_THROWS_AS(farpoint::interpolate(points, features, points, -3), std::invalid_argument);
  CHECK_THROWS_AS(farpoint::gather(features, std::vector<std::int32_t>{1}, 3), std::invalid_argument);
  CHECK_THROWS_AS(farpoint::gather(features, std::vector<std::int32_t>{1}, 0), std::invalid_argument);
  farpoint::normals_params params;
  params.k = 2;
  CHECK_THROWS_AS(farpoint::estimate_normals(points, params), std::invalid_argument);
  CHECK(farpoint::estimate_normals(points_of_float{}).normals.empty());
  CHECK(farpoint::radius_rows(points_of_float{}, {1.0}).offsets == std::vector<index_t>{0});
}

TEST_CASE("host_scratch: aligned, grows, and moves", "[owning][host]") {
  host_scratch scratch;
  CHECK(scratch.size() == 0);
  CHECK(scratch.get().empty());
  REQUIRE(scratch.reserve(1000));
  unsigned char* const first = scratch.get().data();
  CHECK(reinterpret_cast<std::uintptr_t>(first) % 256 == 0);
  REQUIRE(scratch.reserve(10));
  CHECK(scratch.get().data() == first);
  CHECK(scratch.size() == 1000);
  host_scratch moved = std::move(scratch);
  CHECK(moved.get().data() == first);
  REQUIRE(moved.reserve(100000));
  CHECK(moved.size() == 100000);
#if !defined(FARPOINT_TESTS_WITHOUT_SLOW)  // a sanitizer ends the program
  auto const refused = moved.reserve(std::size_t{1} << 62);
  CHECK(refused.code == farpoint::status::out_of_memory);
#endif
  CHECK(moved.size() == 100000);
  moved.release();
  CHECK(moved.size() == 0);
  moved = host_scratch{5};
  CHECK(moved.size() == 5);
}

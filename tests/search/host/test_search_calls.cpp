// The ways to call a search on host_exec, by an index that has been built or with memory of its own, give the same
// bits. One file: what they are made of takes long to compile.
#include <farpoint/estimate_normals.hpp>
#include <farpoint/fps.hpp>
#include <farpoint/gather.hpp>
#include <farpoint/interpolate.hpp>
#include <farpoint/mean_knn_distance.hpp>
#include <farpoint/point_bvh.hpp>
#include <farpoint/radius.hpp>

#include <string>

#include "../../support/catch.hpp"
#include "../../support/check_answer.hpp"
#include "../../support/host_array.hpp"
#include "../../support/test_scale.hpp"
#include "../box_of_finite.hpp"
#include "../index_problem.hpp"

using namespace farpoint_tests;
using farpoint::batch;
using farpoint::bytes;
using farpoint::host_scratch;
using farpoint::span;
using view = index_problem::view;

namespace {

class clouds_on_host {
 public:
  explicit clouds_on_host(index_problem const& problem)
      : points{index_problem::batch_of(problem.points.data(), problem.points.size(), problem.point_offsets.data(),
                                       problem.clouds())},
        queries{index_problem::batch_of(problem.queries.data(), problem.queries.size(), problem.query_offsets.data(),
                                        problem.clouds())},
        memory_{point_bvh_bytes(host_exec{2}, points)} {
    REQUIRE(build_point_bvh(host_exec{2}, points, memory_.get(), index));
  }

  farpoint::batch<view> points;
  farpoint::batch<view> queries;
  farpoint::point_bvh<float> index;

 private:
  host_workspace memory_;
};

/// An output of `size` elements, twice: of the call with an index, and of the one without.
template <class T>
class twice {
 public:
  explicit twice(index_t size) : one_{static_cast<std::size_t>(size)}, other_{static_cast<std::size_t>(size)} {}
  span<T> first() const { return {one_.data(), one_.size()}; }
  span<T> second() const { return {other_.data(), other_.size()}; }
  /// Returns first(), filled with poison.
  span<T> spoiled() const {
    if (one_.size() != 0) std::memset(static_cast<void*>(one_.data()), poison, one_.size() * sizeof(T));
    return first();
  }
  bool same() const {
    bool const equal = one_.size() == 0 || std::memcmp(one_.data(), other_.data(), one_.size() * sizeof(T)) == 0;
    return equal && one_.intact() && other_.intact();
  }

 private:
  host_array<T> one_;
  host_array<T> other_;
};

template <class Report, class... T>
void check_same(Report const (&reports)[2], twice<T> const&... outputs) {
  check_all({outputs.same()...});
  CHECK(std::memcmp(&reports[0], &reports[1], sizeof reports[0]) == 0);
}

/// `search(workspace)` without a workspace and with one of the least size, and `check()` after each.
template <class Search, class Check>
void with_and_without(std::size_t needed, Search const& search, Check const& check) {
  REQUIRE(search(bytes{}));
  check();
  host_workspace const workspace{needed};
  REQUIRE(search(workspace.get()));
  check();
  if (needed == 0) return;
  CHECK(search(bytes{workspace.get().data(), needed - 1}).code ==
        (needed == 1 ? farpoint::status::ok : farpoint::status::workspace_too_small));
}

void check_knn(clouds_on_host const& clouds, index_t k) {
  index_t const rows = clouds.queries.points().size();
  twice<std::int32_t> const indices{rows * k};
  twice<float> const distances{rows * k};
  farpoint::knn_report reports[2];
  host_workspace const workspace{
      knn_workspace_bytes(host_exec{1}, clouds.points, clouds.queries, farpoint::knn_params{k})};
  REQUIRE(knn(host_exec{1}, clouds.points, clouds.queries, farpoint::knn_params{k},
              {indices.second(), distances.second(), {}, &reports[1]}, workspace.get()));
  with_and_without(
      knn_workspace_bytes(host_exec{3}, clouds.index, clouds.queries),
      [&](bytes memory) {
        return knn(host_exec{3}, clouds.index, clouds.queries, farpoint::knn_params{k},
                   {indices.spoiled(), distances.spoiled(), {}, &reports[0]}, memory);
      },
      [&] { check_same(reports, indices, distances); });
}

void check_radius(clouds_on_host const& clouds, farpoint::radius_params params, index_t max) {
  params.max_neighbors = max;
  index_t const rows = clouds.queries.points().size();
  twice<std::int32_t> const indices{rows * max};
  twice<float> const distances{rows * max};
  twice<std::int32_t> const counts{rows};
  farpoint::radius_report reports[2];
  host_workspace const workspace{radius_workspace_bytes(host_exec{1}, clouds.points, clouds.queries)};
  REQUIRE(radius(host_exec{1}, clouds.points, clouds.queries, params,
                 {indices.second(), distances.second(), counts.second(), &reports[1]}, workspace.get()));
  with_and_without(
      radius_workspace_bytes(host_exec{3}, clouds.index, clouds.queries),
      [&](bytes memory) {
        return radius(host_exec{3}, clouds.index, clouds.queries, params,
                      {indices.spoiled(), distances.spoiled(), counts.spoiled(), &reports[0]}, memory);
      },
      [&] { check_same(reports, indices, distances, counts); });
}

/// @param capacity  of the lists
void check_rows(clouds_on_host const& clouds, farpoint::radius_params const& params, index_t capacity) {
  twice<std::int32_t> const offsets{clouds.queries.points().size() + 1};
  twice<std::int32_t> const indices{capacity};
  twice<float> const distances{capacity};
  farpoint::radius_report reports[2];
  host_workspace const workspace{radius_workspace_bytes(host_exec{1}, clouds.points, clouds.queries)};
  REQUIRE(radius_rows(host_exec{1}, clouds.points, clouds.queries, params,
                      {offsets.second(), indices.second(), distances.second(), &reports[1]}, workspace.get()));
  with_and_without(
      radius_workspace_bytes(host_exec{3}, clouds.index, clouds.points, clouds.queries),
      [&](bytes memory) {
        return radius_rows(host_exec{3}, clouds.index, clouds.points, clouds.queries, params,
                           {offsets.spoiled(), indices.spoiled(), distances.spoiled(), &reports[0]}, memory);
      },
      [&] { check_same(reports, offsets, indices, distances); });
}

void check_points(clouds_on_host const& clouds, index_t k) {
  index_t const rows = clouds.points.points().size();
  twice<float> const normals{3 * rows};
  twice<float> const curvatures{rows};
  farpoint::knn_report reports[2];
  farpoint::normals_params params;
  params.k = k;
  params.max_radius = 2;
  REQUIRE(estimate_normals(host_exec{3}, clouds.index, clouds.points, params,
                           {normals.first(), curvatures.first(), &reports[0]}));
  host_workspace const workspace{estimate_normals_workspace_bytes(host_exec{1}, clouds.points, params)};
  REQUIRE(estimate_normals(host_exec{1}, clouds.points, params, {normals.second(), curvatures.second(), &reports[1]},
                           workspace.get()));
  check_same(reports, normals, curvatures);

  twice<float> const means{rows};
  REQUIRE(mean_knn_distance(host_exec{3}, clouds.index, clouds.points, {k}, {means.first(), &reports[0]}, {}));
  REQUIRE(mean_knn_distance(host_exec{1}, clouds.points, {k}, {means.second(), &reports[1]}, workspace.get()));
  check_same(reports, means);
}

void check_interpolate(clouds_on_host const& clouds, index_problem const& problem) {
  twice<float> const features{clouds.queries.points().size() * problem.channels};
  farpoint::knn_report reports[2];
  span<float const> const of_points{problem.features};
  host_workspace const workspace{interpolate_workspace_bytes(host_exec{1}, clouds.points, clouds.queries)};
  REQUIRE(interpolate(host_exec{1}, clouds.points, of_points, clouds.queries, problem.channels,
                      {features.second(), &reports[1]}, workspace.get()));
  with_and_without(
      interpolate_workspace_bytes(host_exec{3}, clouds.index, clouds.queries),
      [&](bytes memory) {
        return interpolate(host_exec{3}, clouds.index, of_points, clouds.queries, problem.channels,
                           {features.spoiled(), &reports[0]}, memory);
      },
      [&] { check_same(reports, features); });
}

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

TEST_CASE("point_bvh: knn, radius, rows, normals, means and interpolation by an index that has been built",
          "[point_bvh][host]") {
  for (std::uint64_t seed = 0; seed < rounds(40); ++seed) {
    CAPTURE(seed);
    auto const problem = random_index_problem(seed);
    clouds_on_host const clouds{problem};
    for (auto const order : {farpoint::radius_order::index, farpoint::radius_order::nearest}) {
      farpoint::radius_params params;
      params.radius = seed % 2 == 0 ? 1 : 0.1;
      params.order = order;
      for (index_t const max : {0, 5, 70}) check_radius(clouds, params, max);
      for (index_t const capacity : {0, 1000, 200000}) check_rows(clouds, params, capacity);
    }
    for (index_t const k : {1, 10, 20, 70}) check_knn(clouds, k);
    check_points(clouds, 3 + static_cast<index_t>(seed % 5) * 9);
    check_interpolate(clouds, problem);
  }
}

TEST_CASE("point_bvh: an index of other points is refused", "[point_bvh][host]") {
  auto const problem = random_index_problem(3);
  clouds_on_host const clouds{problem};
  std::vector<float> values(3 * problem.points.size());
  auto const fewer = farpoint::batch<view>::ragged(clouds.points.points().subview(0, clouds.index.points() - 1),
                                                   clouds.points.offsets());
  farpoint::batch<view> const one{clouds.points.points()};
  for (auto const& others : {fewer, one}) {
    auto const normals = estimate_normals(host_exec{1}, clouds.index, others, {}, {values});
    auto const means = mean_knn_distance(host_exec{1}, clouds.index, others, {3}, {span<float>{values}});
    CHECK(normals.code == farpoint::status::bad_argument);
    CHECK(means.code == farpoint::status::bad_argument);
    CHECK(std::string{normals.reason} == means.reason);
    std::vector<std::int32_t> offsets(problem.queries.size() + 1);
    auto const rows = radius_rows(host_exec{1}, clouds.index, others, clouds.queries, {1.0}, {offsets});
    CHECK(rows.code == farpoint::status::bad_argument);
    CHECK(std::string{rows.reason} == means.reason);
  }
  CHECK_FALSE(radius(host_exec{1}, clouds.index, one, {1.0, 0}, {}));
  CHECK_FALSE(radius_rows(host_exec{1}, clouds.index, clouds.points, one, {1.0}, {}));
  CHECK_FALSE(radius_rows(host_exec{1}, clouds.index, clouds.points, clouds.queries, {1.0}, {}));
  CHECK_FALSE(interpolate(host_exec{1}, clouds.index, span<float const>{values}, one, 3, {span<float>{values}}));
  CHECK_FALSE(interpolate(host_exec{-1}, clouds.index, span<float const>{values}, clouds.queries, 1, {}));
}

TEST_CASE("point_bvh: an index that was never built is refused, and named", "[point_bvh][host]") {
  host_exec const exec{1};
  auto const problem = random_index_problem(3);
  clouds_on_host const clouds{problem};
  farpoint::point_bvh<float> const index;
  std::vector<float> values(3 * problem.points.size());
  auto const reason_of = [](farpoint::result const& outcome) {
    CHECK(outcome.code == farpoint::status::bad_argument);
    return std::string{outcome.reason};
  };
  std::string const expected = "index: it was never built, or of no clouds; build it before it is searched";
  CHECK(reason_of(knn(exec, index, clouds.queries, farpoint::knn_params{1}, {})) == expected);
  CHECK(reason_of(radius(exec, index, clouds.queries, {1.0, 0}, {})) == expected);
  CHECK(reason_of(radius_rows(exec, index, clouds.points, clouds.queries, {1.0}, {})) == expected);
  CHECK(reason_of(estimate_normals(exec, index, clouds.points, {}, {values})) == expected);
  CHECK(reason_of(mean_knn_distance(exec, index, clouds.points, {3}, {span<float>{values}})) == expected);
  CHECK(reason_of(interpolate(exec, index, span<float const>{values}, clouds.queries, 1, {})) == expected);
  auto const none = farpoint::batch<view>::regular(view{}, 0);
  CHECK(knn(exec, index, none, farpoint::knn_params{1}, {}));
}

TEST_CASE("point_bvh_ref: bounds of the finite points", "[point_bvh][host]") {
  for (std::uint64_t seed = 0; seed < rounds(60); ++seed) {
    CAPTURE(seed);
    auto problem = random_index_problem(seed);
    auto const all = static_cast<index_t>(problem.points.size());
    // Clouds of none, and of one leaf.
    if (seed % 3 == 0 && all > 9) problem.point_offsets = {0, 0, 8, all};
    if (problem.clouds() != problem.query_offsets.size() - 1) problem.query_offsets.resize(1 + problem.clouds(), 0);
    clouds_on_host const clouds{problem};
    for (index_t b = 0; b < clouds.index.size(); ++b) {
      // If an offset is wrong, all clouds are empty.
      auto const cloud = clouds.index.bad_offsets() == 0 ? clouds.points[b] : view{};
      CHECK(same_box(clouds.index[b].bounds(), box_of_finite(cloud)));
    }
  }
  CHECK(same_box(farpoint::point_bvh_ref<double>{}.bounds(), farpoint::bounding_box<double>::empty()));
}

TEST_CASE("point_bvh_ref: the nearest by number", "[point_bvh][host]") {
  auto problem = random_index_problem(5);
  problem.point_offsets = {0, 5, 600};
  problem.query_offsets = {0, 0, static_cast<index_t>(problem.queries.size())};
  clouds_on_host const clouds{problem};
  std::vector<std::int32_t> indices(problem.queries.size() * 6);
  std::vector<float> distances(indices.size());
  REQUIRE(knn(host_exec{1}, clouds.index, clouds.queries, farpoint::knn_params{6}, {indices, distances}));
  bool right = true;
  for (std::size_t i = 0; i < problem.queries.size(); ++i) {
    farpoint::vec<float> const q{{problem.queries[i][0], problem.queries[i][1], problem.queries[i][2]}};
    if (!farpoint::is_finite(q)) continue;
    auto const found = clouds.index[1].nearest<8>(q, 6);
    auto const all = clouds.index[1].nearest<6>(q);
    right = right && found.size() == 6 && all.size() == 6;
    for (int j = 0; j < 6; ++j) {
      std::size_t const at = 6 * i + static_cast<std::size_t>(j);
      right = right && static_cast<std::int32_t>(found[j].index()) == indices[at];
      right = right && found[j].distance2() == distances[at] && all[j].index() == found[j].index();
    }
  }
  CHECK(right);
  auto const few = clouds.index[0].nearest<8>({{0, 0, 0}});
  CHECK(few.size() == clouds.index[0].size());
  CHECK(few[7].index() == farpoint::no_index);
  CHECK(farpoint::point_bvh_ref<float>{}.nearest<4>({{0, 0, 0}}).empty());
}

TEST_CASE("owning calls: radius and rows, as by the core calls", "[owning][host]") {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    CAPTURE(seed);
    two_clouds const clouds{seed};
    farpoint::radius_params const params{1.5, 7};
    auto const found = farpoint::radius(clouds.points, clouds.queries, params);
    auto const points = cloud_of(clouds.points);
    auto const queries = cloud_of(clouds.queries);
    host_scratch const workspace{radius_workspace_bytes(host_exec{1}, points, queries)};
    farpoint::radius_neighbors<float> expected{7, std::vector<std::int32_t>(clouds.queries.size() * 7),
                                               std::vector<float>(clouds.queries.size() * 7),
                                               std::vector<std::int32_t>(clouds.queries.size())};
    REQUIRE(radius(host_exec{1}, points, queries, params, {expected.indices, expected.distances, expected.counts},
                   workspace));
    CHECK(same(found.indices, expected.indices));
    CHECK(same(found.distances, expected.distances));
    CHECK(same(found.counts, expected.counts));

    auto const all = farpoint::radius(clouds.points, clouds.queries, {1.5});
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
    CHECK(same(farpoint::radius(clouds.points, params).indices,
               farpoint::radius(clouds.points, clouds.points, params).indices));
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
    auto const by_index = farpoint::estimate_normals(built.index, clouds.points, {}, host_exec{1});
    CHECK(same(by_index.normals, expected.normals));
    CHECK(same(by_index.curvatures, expected.curvatures));
    auto const lists = farpoint::knn(clouds.points, clouds.queries, 9, host_exec{2});
    auto const lists_by_index = farpoint::knn(built.index, clouds.queries, 9);
    CHECK(same(lists_by_index.indices, lists.indices));
    CHECK(same(lists_by_index.distances, lists.distances));
    auto const table = farpoint::radius(built.index, clouds.queries, {1.5, 7});
    CHECK(same(table.indices, farpoint::radius(clouds.points, clouds.queries, {1.5, 7}).indices));

    std::vector<float> means(n);
    REQUIRE(mean_knn_distance(host_exec{1}, built.index, points, {4}, {span<float>{means}}));
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
  // 200,000 values, so that threads are started.
  std::vector<std::int32_t> many(100000);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = static_cast<std::int32_t>(i % 3) - 1;
  auto const one = farpoint::gather(values, many, 2, host_exec{1});
  CHECK(std::vector<double>(one.begin(), one.begin() + 6) == std::vector<double>{0, 0, 1, 2, 3, 4});
  for (int const threads : {0, 2, 3}) CHECK(farpoint::gather(values, many, 2, host_exec{threads}) == one);
  CHECK_THROWS_AS(farpoint::gather(values, rows, 2, host_exec{-1}), std::invalid_argument);
}

TEST_CASE("owning calls: what the core calls refuse is thrown", "[owning][host]") {
  points_of_float const points(5);
  std::vector<float> const features(10);
  CHECK_THROWS_AS(farpoint::radius(points, {-1.0, 3}), std::invalid_argument);
  CHECK_THROWS_AS(farpoint::radius(points, {1.0, -3}), std::invalid_argument);
  CHECK_THROWS_AS(farpoint::radius(points, {1.0, 1025}), std::invalid_argument);
  CHECK_THROWS_AS(farpoint::radius_rows(points, {-1.0}), std::invalid_argument);
  CHECK_THROWS_AS(farpoint::mean_knn_distance(points, 0), std::invalid_argument);
  CHECK_THROWS_AS(farpoint::knn(points, 3, host_exec{-1}), std::invalid_argument);
  auto const built = farpoint::build_point_bvh(points);
  CHECK_THROWS_AS(farpoint::knn(built.index, points, 0), std::invalid_argument);
  CHECK_THROWS_AS(farpoint::mean_knn_distance(built.index, points_of_float(4), 2), std::invalid_argument);
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

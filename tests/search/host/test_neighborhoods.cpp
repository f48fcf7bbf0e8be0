// Functions on top of neighbor searches on host_exec, and the index for use in own code.
#include <farpoint/estimate_normals.hpp>
#include <farpoint/gather.hpp>
#include <farpoint/interpolate.hpp>
#include <farpoint/mean_knn_distance.hpp>
#include <farpoint/point_bvh.hpp>

#include <map>

#include "../../support/catch.hpp"
#include "../knn_problem.hpp"
#include "../ragged_batches.hpp"

using namespace farpoint_tests;
using farpoint::span;
using farpoint::vec;
using points_of_float = std::vector<std::array<float, 3>>;

namespace {

points_of_float as_floats(xyz_cloud const& cloud) {
  points_of_float points;
  for (auto const& p : cloud) {
    points.push_back({static_cast<float>(p[0]), static_cast<float>(p[1]), static_cast<float>(p[2])});
  }
  return points;
}

std::vector<float> random_features(index_t size) {
  std::vector<float> features;
  random_source random{static_cast<std::uint64_t>(size)};
  for (index_t i = 0; i < size; ++i) features.push_back(random.uniform() - 0.5f);
  return features;
}

auto batch_of(points_of_float const& points) {
  return farpoint::batch{farpoint::view_points(points)};
}

/// An index and its memory.
class built_index {
 public:
  template <class Batch>
  explicit built_index(Batch const& clouds, int threads = 1)
      : memory_{farpoint::point_bvh_bytes(host_exec{threads}, clouds)} {
    build(clouds, threads);
  }
  template <class Batch>
  void build(Batch const& clouds, int threads = 1) {
    REQUIRE(farpoint::build_point_bvh(host_exec{threads}, clouds, memory_.get(), index_));
  }
  farpoint::point_bvh<float> const& get() const { return index_; }

 private:
  host_workspace memory_;
  farpoint::point_bvh<float> index_;
};

}  // namespace

TEST_CASE("point_bvh: holds each finite point once, inside all boxes above it", "[point_bvh][host]") {
  for (shape const which : all_shapes) {
    for (std::size_t const n : {0u, 1u, 8u, 9u, 64u, 65u, 600u, 20000u}) {
      CAPTURE(static_cast<int>(which), n);
      auto const points = as_floats(make_cloud(which, n, n));
      built_index const built{batch_of(points), 2};
      std::vector<int> seen(n);
      std::size_t listed = 0;
      bool right = true;
      built.get()[0].for_each([&](std::uint32_t i, vec<float> const& p) {
        ++seen[i];
        right = right && p[0] == points[i][0] && p[1] == points[i][1] && p[2] == points[i][2];
      });
      for (std::size_t i = 0; i < n; ++i) {
        vec<float> const p{{points[i][0], points[i][1], points[i][2]}};
        right = right && seen[i] == (farpoint::is_finite(p) ? 1 : 0);
        // A search with radius 0 around a point finds it only if all boxes above it contain it. If all points coincide,
        // each search lists all points, so the number of searches is limited to about a hundred.
        if (i % 7 != 0 || !farpoint::is_finite(p) || listed > 100 * n) continue;
        bool found = false;
        built.get()[0].within(p, 0.0f, [&](std::uint32_t other, float) {
          found = found || other == i;
          ++listed;
        });
        right = right && found;
      }
      CHECK(right);
    }
  }
}

TEST_CASE("point_bvh: built once, asked many times, built again for a cloud that has moved", "[point_bvh][host]") {
  auto points = as_floats(make_cloud(shape::cube, 3000, 1));
  built_index built{batch_of(points), 2};
  for (int step = 0; step < 3; ++step) {
    auto const queries = as_floats(make_cloud(shape::cube, 200, 10 + static_cast<std::uint64_t>(step)));
    std::vector<std::int32_t> indices(200 * 5), expected(200 * 5);
    farpoint::knn_report report;
    farpoint::knn_output<float> output{indices};
    output.report = &report;
    REQUIRE(knn(host_exec{2}, built.get(), batch_of(queries), knn_params{5}, output));
    REQUIRE(farpoint::reference::knn(batch_of(points), batch_of(queries), knn_params{5},
                                     farpoint::knn_output<float>{expected}));
    CHECK(indices == expected);
    CHECK(report.non_finite_points == static_cast<unsigned long long>(step == 0 ? 0 : 1));
    for (auto& p : points) p[0] = p[0] * 3 + p[1];
    points[7][2] = std::numeric_limits<float>::infinity();
    built.build(batch_of(points));
  }
}

TEST_CASE("point_bvh: bad arguments", "[point_bvh][host]") {
  auto const points = as_floats(make_cloud(shape::cube, 100, 1));
  built_index const built{batch_of(points)};
  std::vector<std::int32_t> indices(100);
  farpoint::knn_output<float> const output{indices};
  auto const two = farpoint::batch<farpoint::point_view<float>>::regular(farpoint::view_points(points), 2);
  CHECK(knn(host_exec{1}, built.get(), two, knn_params{1}, output).code == farpoint::status::bad_argument);
  CHECK(knn(host_exec{1}, built.get(), batch_of(points), knn_params{2}, output).code == farpoint::status::bad_argument);
  farpoint::point_bvh<float> index;
  host_workspace const memory{64};
  CHECK(farpoint::build_point_bvh(host_exec{1}, batch_of(points), memory.get(), index).code ==
        farpoint::status::workspace_too_small);
  CHECK(index.size() == 0);
}

TEST_CASE("point_bvh_ref: the nearest for one's own use, as knn() has them", "[point_bvh][host]") {
  auto const points = as_floats(make_cloud(shape::lattice, 900, 3));
  built_index const built{batch_of(points)};
  auto const ref = built.get()[0];
  auto const found = farpoint::knn(points, 6);
  for (std::size_t i = 0; i < points.size(); ++i) {
    farpoint::neighbor_key<float> keys[6];
    vec<float> const q{{points[i][0], points[i][1], points[i][2]}};
    ref.nearest<8>(q, 6).write(keys, 6);
    bool same = true;
    for (std::size_t j = 0; j < 6; ++j) {
      same = same && static_cast<std::int32_t>(keys[j].index()) == found.indices[6 * i + j];
      same = same && keys[j].distance2() == found.distances[6 * i + j];
    }
    REQUIRE(same);
    auto const other = ref.nearest<1>(q, 1, 0.5f, static_cast<std::uint32_t>(i)).worst();
    if (other.index() != farpoint::no_index) REQUIRE(other.distance2() <= 0.5f);
    REQUIRE(other.index() != i);
  }
}

TEST_CASE("topk: the smallest keys in order, whatever order they come in", "[topk][host]") {
  for (std::uint64_t seed = 0; seed < rounds(200); ++seed) {
    random_source random{seed};
    int const k = 1 + static_cast<int>(random.below(16));
    farpoint::neighbor_key<double> const limit{2.0, farpoint::no_index};
    farpoint::topk_list<farpoint::neighbor_key<double>, 16> list{k, limit};
    farpoint::neighbor_key<double> from_heap[16], from_list[16];
    farpoint::topk_heap<farpoint::neighbor_key<double>> heap{from_heap, k, limit};
    std::vector<std::pair<double, std::uint32_t>> all;
    auto const n = random.below(60);
    for (std::int64_t i = 0; i < n; ++i) {
      auto const d = static_cast<double>(random.below(5)) / 2;
      auto const index = static_cast<std::uint32_t>(random.below(1000));
      list.push({d, index});
      heap.push({d, index});
      if (d <= 2) all.emplace_back(d, index);
    }
    std::sort(all.begin(), all.end());
    list.write(from_list, k);
    heap.sort();
    CAPTURE(seed, k, n);
    for (std::size_t j = 0; j < static_cast<std::size_t>(k); ++j) {
      auto const wanted = j < all.size() ? all[j] : std::make_pair(2.0, farpoint::no_index);
      REQUIRE(from_list[j].index() == wanted.second);
      REQUIRE(from_heap[j].index() == wanted.second);
      REQUIRE(from_list[j].distance2() == wanted.first);
      REQUIRE(from_heap[j].distance2() == wanted.first);
    }
  }
}

TEST_CASE("mean_knn_distance: the mean of the three nearest others", "[mean_knn_distance][host]") {
  auto cloud = make_cloud(shape::duplicates, 1500, 5);
  cloud[3][1] = std::nan("");
  auto const points = as_floats(cloud);
  auto const clouds = batch_of(points);
  knn_params others{3};
  others.exclude_self = true;
  std::vector<std::int32_t> indices(4500), counts(1500);
  std::vector<float> distances(4500), means(1500);
  REQUIRE(farpoint::reference::knn(clouds, others, farpoint::knn_output<float>{indices, distances, counts}));
  for (int const threads : {1, 3}) {
    host_exec const exec{threads};
    host_workspace const workspace{knn_workspace_bytes(exec, clouds, others)};
    REQUIRE(farpoint::mean_knn_distance(exec, clouds, {3}, {means}, workspace.get()));
    bool same = true;
    for (std::size_t i = 0; i < 1500; ++i) {
      float volatile sum = distances[3 * i] + distances[3 * i + 1];
      sum = sum + distances[3 * i + 2];
      float const mean = i == 3 ? std::numeric_limits<float>::infinity() : sum / 3;
      same = same && means[i] == mean;
    }
    CHECK(same);
    CHECK_FALSE(farpoint::mean_knn_distance(exec, clouds, {0}, {means}, workspace.get()));
    CHECK_FALSE(farpoint::mean_knn_distance(exec, clouds, {3}, {span<float>{means}.first(1499)}, workspace.get()));
  }
}

TEST_CASE("mean_knn_distance: fewer than three others", "[mean_knn_distance][host]") {
  points_of_float const points{{0, 0, 0}, {2, 0, 0}};
  host_workspace const workspace{knn_workspace_bytes(host_exec{1}, batch_of(points), knn_params{3})};
  std::vector<float> means(2);
  REQUIRE(farpoint::mean_knn_distance(host_exec{1}, batch_of(points), {3}, {means}, workspace.get()));
  CHECK(means == std::vector<float>{4, 4});
  points_of_float const alone{{1, 2, 3}};
  REQUIRE(farpoint::mean_knn_distance(host_exec{1}, batch_of(alone), {3}, {means}, workspace.get()));
  CHECK(means[0] == std::numeric_limits<float>::infinity());
}

namespace {

template <class Scalar>
void check_eigen(farpoint::symmetric3<Scalar> const& m, double tolerance) {
  auto const e = farpoint::eigen_of(m);
  double const a[3][3] = {{double(m.xx), double(m.xy), double(m.xz)},
                          {double(m.xy), double(m.yy), double(m.yz)},
                          {double(m.xz), double(m.yz), double(m.zz)}};
  double size = 0;
  for (auto const& row : a) {
    for (double const x : row) size = std::max(size, std::fabs(x));
  }
  CHECK(e.values[0] <= e.values[1]);
  CHECK(e.values[1] <= e.values[2]);
  for (int i = 0; i < 3; ++i) {
    for (int r = 0; r < 3; ++r) {
      double product = 0;
      for (int c = 0; c < 3; ++c) product += a[r][c] * double(e.vectors[i][c]);
      CHECK(std::fabs(product - double(e.values[i]) * double(e.vectors[i][r])) <= tolerance * size);
    }
    for (int j = 0; j <= i; ++j) {
      double dot = 0;
      for (int c = 0; c < 3; ++c) dot += double(e.vectors[i][c]) * double(e.vectors[j][c]);
      CHECK(std::fabs(dot - (i == j ? 1 : 0)) <= tolerance);
    }
  }
}

}  // namespace

TEST_CASE("eigen_of: random, diagonal, singular and lopsided matrices", "[eigen][host]") {
  for (std::uint64_t seed = 0; seed < rounds(300); ++seed) {
    random_source random{seed};
    double const scales[] = {1, 1e-12, 1e12};
    double const scale = scales[seed % 3];
    auto const next = [&] { return (double(random.uniform()) - 0.5) * scale; };
    farpoint::symmetric3<double> m{next(), next(), next(), next(), next(), next()};
    if (seed % 4 == 1) m.xy = m.yz = 0;
    if (seed % 4 == 2) m = {m.xx * m.xx, m.xx * m.xy, m.xx * m.xz, m.xy * m.xy, m.xy * m.xz, m.xz * m.xz};
    if (seed % 5 == 3) m.xx *= 1e-9;
    CAPTURE(seed);
    check_eigen(m, 1e-13);
    check_eigen(
        farpoint::symmetric3<float>{float(m.xx), float(m.xy), float(m.xz), float(m.yy), float(m.yz), float(m.zz)},
        2e-6);
  }
  auto const zero = farpoint::eigen_of(farpoint::symmetric3<float>{});
  CHECK(zero.values[2] == 0);
  CHECK(zero.vectors[0][0] == 1);
}

TEST_CASE("estimate_normals: of a plane, a sphere, a line and a point", "[normals][host]") {
  auto const normals_of = [](points_of_float const& points, farpoint::normals_params const& params) {
    std::vector<float> normals(3 * points.size()), curvatures(points.size());
    host_workspace const workspace{knn_workspace_bytes(host_exec{2}, batch_of(points), knn_params{params.k})};
    REQUIRE(farpoint::estimate_normals(host_exec{2}, batch_of(points), params, {normals, curvatures}, workspace.get()));
    return std::make_pair(normals, curvatures);
  };
  farpoint::normals_params params;

  auto const plane = as_floats(make_cloud(shape::coplanar, 500, 1));  // z = 0.5, viewpoint at the origin
  auto const flat = normals_of(plane, params);
  for (std::size_t i = 0; i < plane.size(); ++i) {
    CHECK(std::fabs(flat.first[3 * i + 2] + 1) < 1e-5f);
    CHECK(flat.second[i] < 1e-6f);
  }
  params.viewpoint = {{0, 0, 9}};
  CHECK(normals_of(plane, params).first[2] > 0.9999f);

  points_of_float sphere = as_floats(make_cloud(shape::cube, 4000, 2));
  for (auto& p : sphere) {
    float length = 0;
    for (auto& c : p) length += (c - 0.5f) * (c - 0.5f);
    for (auto& c : p) c = (c - 0.5f) / std::sqrt(length);
  }
  params.viewpoint = {{0, 0, 0}};
  auto const round = normals_of(sphere, params);
  for (std::size_t i = 0; i < sphere.size(); ++i) {
    float dot = 0;
    for (std::size_t k = 0; k < 3; ++k) dot += round.first[3 * i + k] * sphere[i][k];
    CHECK(dot < -0.9f);
  }

  auto const nothing = std::vector<float>(3 * 50, 0.0f);
  CHECK(normals_of(as_floats(make_cloud(shape::all_equal, 50, 1)), params).first == nothing);
  points_of_float line(50);
  for (std::size_t i = 0; i < 50; ++i) line[i] = {static_cast<float>(i), static_cast<float>(2 * i), 3};
  CHECK(normals_of(line, params).first == nothing);
  CHECK(normals_of({{1, 2, 3}, {2, 3, 5}}, params).first == std::vector<float>(6, 0.0f));
}

namespace {

/// Covariance of the neighbors that brute force finds, in long doubles; zeros for a query without neighbors.
std::array<double, 6> covariance_by_definition(points_of_float const& points, std::int32_t const* row, std::size_t k) {
  std::array<long double, 3> mean{};
  std::size_t count = 0;
  for (; count < k && row[count] >= 0; ++count) {
    for (std::size_t axis = 0; axis < 3; ++axis) mean[axis] += points[static_cast<std::size_t>(row[count])][axis];
  }
  std::array<double, 6> covariance{};
  if (count == 0) return covariance;
  for (auto& value : mean) value /= static_cast<long double>(count);
  std::size_t at = 0;
  for (std::size_t r = 0; r < 3; ++r) {
    for (std::size_t c = r; c < 3; ++c, ++at) {
      long double sum = 0;
      for (std::size_t j = 0; j < count; ++j) {
        auto const& p = points[static_cast<std::size_t>(row[j])];
        sum += (p[r] - mean[r]) * (p[c] - mean[c]);
      }
      covariance[at] = static_cast<double>(sum / static_cast<long double>(count));
    }
  }
  return covariance;
}

struct normals_and_covariances {
  std::vector<float> normals, curvatures, covariances;
};

/// @param parts  1: normals and curvatures, 2: covariances, 3: both
normals_and_covariances surfaces_of(points_of_float const& points, farpoint::normals_params const& params, int parts) {
  bool const has_normals = (parts & 1) != 0, has_covariances = (parts & 2) != 0;
  normals_and_covariances found{std::vector<float>(has_normals ? 3 * points.size() : 0),
                                std::vector<float>(has_normals ? points.size() : 0),
                                std::vector<float>(has_covariances ? 6 * points.size() : 0)};
  farpoint::normals_output<float> output;
  output.normals = found.normals;
  output.curvatures = found.curvatures;
  output.covariances = found.covariances;
  host_workspace const workspace{estimate_normals_workspace_bytes(host_exec{2}, batch_of(points), params)};
  REQUIRE(farpoint::estimate_normals(host_exec{2}, batch_of(points), params, output, workspace.get()));
  return found;
}

}  // namespace

TEST_CASE("estimate_normals: covariances by their definition, whatever else is written", "[normals][host]") {
  for (shape const which : {shape::cube, shape::lattice, shape::coplanar, shape::collinear, shape::non_finite}) {
    for (std::size_t const n : {1u, 2u, 5u, 700u}) {
      CAPTURE(static_cast<int>(which), n);
      auto const points = as_floats(make_cloud(which, n, n));
      farpoint::normals_params params;
      params.k = n == 700 ? 12 : 16;
      params.max_radius = which == shape::lattice ? 1.5 : 1e6;
      auto const k = static_cast<std::size_t>(params.k);
      std::vector<std::int32_t> rows(k * n);
      REQUIRE(
          farpoint::reference::knn(batch_of(points), {params.k, params.max_radius}, farpoint::knn_output<float>{rows}));
      auto const both = surfaces_of(points, params, 3);
      CHECK(surfaces_of(points, params, 2).covariances == both.covariances);
      auto const normals = surfaces_of(points, params, 1);
      CHECK(normals.normals == both.normals);
      CHECK(normals.curvatures == both.curvatures);
      for (std::size_t i = 0; i < n; ++i) {
        auto const expected = covariance_by_definition(points, &rows[k * i], k);
        double const scale = std::max({expected[0], expected[3], expected[5], 1e-6});
        for (std::size_t j = 0; j < 6; ++j) {
          REQUIRE(std::fabs(double(both.covariances[6 * i + j]) - expected[j]) <= 2e-5 * scale);
        }
      }
    }
  }
}

TEST_CASE("estimate_normals: covariances of four corners, of one point and of an overflow", "[normals][host]") {
  farpoint::normals_params const params;
  auto const corners = surfaces_of({{1, 1, 5}, {1, 3, 5}, {5, 1, 5}, {5, 3, 5}}, params, 2).covariances;
  std::vector<float> const corner{4, 0, 0, 1, 0, 0};
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(std::vector<float>(corners.data() + 6 * i, corners.data() + 6 * i + 6) == corner);
  }
  CHECK(surfaces_of({{7, 8, 9}}, params, 3).covariances == std::vector<float>(6, 0.0f));
  CHECK(surfaces_of({{3e38f, 0, 0}, {-3e38f, 0, 0}}, params, 3).covariances == std::vector<float>(12, 0.0f));
}

TEST_CASE("estimate_normals: bad arguments", "[normals][host]") {
  points_of_float const points(10);
  std::vector<float> normals(30);
  host_workspace const workspace{knn_workspace_bytes(host_exec{1}, batch_of(points), knn_params{8})};
  auto const refused = [&](auto change) {
    farpoint::normals_params params;
    farpoint::normals_output<float> output{normals};
    change(params, output);
    return !farpoint::estimate_normals(host_exec{1}, batch_of(points), params, output, workspace.get());
  };
  CHECK_FALSE(refused([](auto&, auto&) {}));
  CHECK(refused([](auto& p, auto&) { p.k = 2; }));
  CHECK(refused([](auto& p, auto&) { p.k = 1025; }));
  CHECK(refused([](auto& p, auto&) { p.max_radius = -1; }));
  CHECK(refused([](auto& p, auto&) { p.viewpoint[1] = std::nan(""); }));
  CHECK(refused([](auto&, auto& o) { o.normals = o.normals.first(29); }));
  CHECK(refused([](auto&, auto& o) { o.curvatures = o.normals.first(9); }));
  CHECK(refused([](auto&, auto& o) { o.normals = {}; }));
  std::vector<float> covariances(60);
  CHECK(refused([&](auto&, auto& o) { o.covariances = span<float>{covariances}.first(59); }));
  CHECK_FALSE(refused([&](auto&, auto& o) { o.covariances = covariances; }));
  CHECK_FALSE(refused([&](auto&, auto& o) {
    o.normals = {};
    o.covariances = covariances;
  }));
}

TEST_CASE("interpolate: inverse squared distances of the three nearest", "[interpolate][host]") {
  points_of_float const points{{0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {50, 0, 0}, {50, 0, 0}};
  std::vector<float> const features{1, 10, 2, 20, 4, 40, 8, 80, 16, 160};
  auto const bad = std::numeric_limits<float>::quiet_NaN();
  points_of_float const queries{{0, 0, 0}, {50, 0, 0}, {0.5f, 0, 0}, {bad, 0, 0}};
  std::vector<float> out(8);
  host_workspace const workspace{knn_workspace_bytes(host_exec{1}, batch_of(points), batch_of(queries), knn_params{3})};
  auto const run = [&](auto const& asked, span<float const> given, farpoint::index_t channels) {
    return farpoint::interpolate(host_exec{1}, batch_of(points), given, asked, channels, {out}, workspace.get());
  };
  REQUIRE(run(batch_of(queries), features, 2));
  CHECK(out[0] == 1);  // query at a point
  CHECK(out[1] == 10);
  CHECK(out[2] == 12);  // query at two coincident points
  CHECK(out[3] == 120);
  double const far_weight = 0.25 / 4.25;
  CHECK(std::fabs(double(out[4]) - (1 + 2 + 4 * far_weight) / (2 + far_weight)) < 1e-6);
  CHECK(out[6] == 0);  // non-finite query
  CHECK(out[7] == 0);
  CHECK_FALSE(run(batch_of(queries), features, 0));
  CHECK_FALSE(run(batch_of(queries), span<float const>{features}.first(9), 2));
  CHECK_FALSE(run(batch_of(queries), features, 3));
}

namespace {

/// Checks that `run(points, queries, rows, first, workspace)` of a ragged batch writes to rows, `[queries of the view,
/// width]`, the rows of calls for each cloud alone, and nothing else. `first` is the index of the batch's first point
/// in the problem.
template <class Run>
void check_ragged_batches(knn_problem<float> problem, std::size_t width, Run const& run) {
  for_ragged_batches([&](auto const& point_offsets, auto const& query_offsets) {
    set_offsets(problem, point_offsets, query_offsets);
    auto const points = clouds_in_place(problem.points);
    auto const queries = problem.self ? points : clouds_in_place(problem.queries);
    host_workspace const workspace{knn_workspace_bytes(host_exec{2}, points, queries, knn_params{1024})};
    auto const size = static_cast<std::size_t>(problem.query_count()) * width;
    host_array<float> const actual{size};
    host_array<float> const expected{size};
    run(points, queries, span<float>{actual.data(), size}, 0, workspace.get());
    for (index_t b = 0; b < points.size(); ++b) {
      auto const begin = static_cast<std::size_t>(queries.begin_of(b)) * width;
      auto const rows = static_cast<std::size_t>(queries[b].size()) * width;
      run(farpoint::batch{points[b]}, farpoint::batch{queries[b]}, span<float>{expected.data() + begin, rows},
          points.begin_of(b), workspace.get());
    }
    CHECK(actual.intact());
    CHECK(same_bits(actual.download(), expected.download()));
  });
}

}  // namespace

TEST_CASE("neighborhoods: ragged batches that begin and end anywhere in the view", "[neighborhoods][host]") {
  knn_problem<float> const self{make_cloud(shape::non_finite, ragged_points, 31), 4};
  check_ragged_batches(self, 1, [](auto points, auto, span<float> means, index_t, farpoint::bytes workspace) {
    REQUIRE(farpoint::mean_knn_distance(host_exec{2}, points, {4}, {means}, workspace));
  });
  check_ragged_batches(self, 3, [](auto points, auto, span<float> normals, index_t, farpoint::bytes workspace) {
    farpoint::normals_params params;
    params.k = 8;
    REQUIRE(farpoint::estimate_normals(host_exec{2}, points, params, {normals}, workspace));
  });
  auto asking = self;
  asking.ask(make_cloud(shape::non_finite, ragged_queries, 32));
  std::vector<float> const features = random_features(ragged_points * 2);
  check_ragged_batches(asking, 2, [&](auto points, auto queries, span<float> rows, index_t first, auto workspace) {
    auto const own = span<float const>{features}.subspan(static_cast<std::size_t>(2 * first));
    REQUIRE(farpoint::interpolate(host_exec{2}, points, own, queries, 2, {rows}, workspace));
  });
}

TEST_CASE("neighborhoods, host: garbage in the offsets leaves all rows empty", "[neighborhoods][host]") {
  for_garbage_batches(12, [](auto const& point_offsets, auto const& query_offsets) {
    knn_problem<float> problem{make_cloud(shape::non_finite, ragged_points, 31), 3};
    problem.ask(make_cloud(shape::non_finite, ragged_queries, 32));
    set_offsets(problem, point_offsets, query_offsets);
    auto const points = clouds_in_place(problem.points);
    auto const queries = clouds_in_place(problem.queries);
    auto const bad = farpoint::detail::count_bad_offsets(points, queries);
    auto const rows = static_cast<std::size_t>(ragged_points);
    host_workspace const workspace{knn_workspace_bytes(host_exec{2}, points, queries, knn_params{8})};
    farpoint::knn_report report{7, 7, 7};

    auto const features = random_features(ragged_points * 2);
    std::vector<float> out(2 * static_cast<std::size_t>(ragged_queries), 9.0f);
    REQUIRE(farpoint::interpolate(host_exec{2}, points, span<float const>{features}, queries, 2, {out, &report},
                                  workspace.get()));
    if (bad > 0) CHECK(out == std::vector<float>(out.size(), 0.0f));
    CHECK(report.bad_offsets == bad);
    if (bad > 0) CHECK(report.non_finite_points + report.non_finite_queries == 0);

    auto const own = static_cast<unsigned long long>(farpoint::detail::count_bad_offsets(points));
    std::vector<float> means(rows, 9.0f);
    REQUIRE(farpoint::mean_knn_distance(host_exec{2}, points, {4}, {means, &report}, workspace.get()));
    CHECK(report.bad_offsets == own);
    if (own > 0) CHECK(means == std::vector<float>(rows, std::numeric_limits<float>::infinity()));

    std::vector<float> normals(3 * rows, 9.0f), curvatures(rows, 9.0f), covariances(6 * rows, 9.0f);
    farpoint::normals_params params;
    params.k = 8;
    farpoint::normals_output<float> const surfaces{normals, curvatures, &report, covariances};
    REQUIRE(farpoint::estimate_normals(host_exec{2}, points, params, surfaces, workspace.get()));
    CHECK(report.bad_offsets == own);
    if (own > 0) CHECK(normals == std::vector<float>(3 * rows, 0.0f));
    if (own > 0) CHECK(curvatures == std::vector<float>(rows, 0.0f));
    if (own > 0) CHECK(covariances == std::vector<float>(6 * rows, 0.0f));

    farpoint::point_bvh<float> index;
    host_workspace const memory{point_bvh_bytes(host_exec{2}, points)};
    REQUIRE(farpoint::build_point_bvh(host_exec{2}, points, memory.get(), index));
    CHECK(index.bad_offsets() == own);
    std::vector<std::int32_t> indices(3 * static_cast<std::size_t>(ragged_queries), 9);
    farpoint::knn_output<float> output{indices};
    output.report = &report;
    REQUIRE(knn(host_exec{2}, index, queries, knn_params{3}, output));
    CHECK(report.bad_offsets == bad);
    if (bad > 0) CHECK(indices == std::vector<std::int32_t>(indices.size(), -1));
  });
}

TEST_CASE("gather: rows by index, zeros for -1", "[gather][host]") {
  std::vector<float> const features{1, 2, 3, 4, 5, 6};
  std::vector<std::int32_t> const indices{2, -1, 0, 2};
  std::vector<float> out(8, 9.0f);
  REQUIRE(farpoint::gather(host_exec{2}, span<float const>{features}, 2, indices, span<float>{out}));
  CHECK(out == std::vector<float>{5, 6, 0, 0, 1, 2, 5, 6});
  std::vector<std::int64_t> many(200000);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = static_cast<std::int64_t>(i % 3);
  std::vector<float> wide(400000);
  REQUIRE(farpoint::gather(host_exec{3}, span<float const>{features}, 2, many, span<float>{wide}));
  bool right = true;
  for (std::size_t i = 0; i < wide.size(); ++i) right = right && wide[i] == features[i % 6];
  CHECK(right);
  std::vector<std::int32_t> const garbage{3, 1, -2, INT32_MAX, INT32_MIN, -1};
  std::vector<float> some(12, 9.0f);
  farpoint::gather_report report{77};
  REQUIRE(farpoint::gather(host_exec{2}, span<float const>{features}, 2, garbage, span<float>{some}, &report));
  CHECK(some == std::vector<float>{0, 0, 3, 4, 0, 0, 0, 0, 0, 0, 0, 0});
  CHECK(report.out_of_range == 4);
  auto const refused = [&](std::vector<std::int32_t> const& rows, farpoint::index_t channels, std::size_t size) {
    return !farpoint::gather(host_exec{1}, span<float const>{features}, channels, rows, span<float>{out}.first(size));
  };
  CHECK(refused({1}, 4, 4));
  CHECK(refused({1}, 0, 2));
  CHECK(refused({1, 1}, 2, 3));
}

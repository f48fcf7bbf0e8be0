// voxel_grid::around(), and the calls that voxelize in it.
#include <farpoint/voxelize.hpp>

#include <map>
#include <tuple>

#include "../../support/answers.hpp"
#include "../../support/catch.hpp"
#include "../../support/clouds.hpp"

using namespace farpoint_tests;
using farpoint::downsample;
using farpoint::index_t;
using farpoint::voxel_grid;

namespace {

template <class Scalar>
using cloud = std::vector<std::array<Scalar, 3>>;

template <class Scalar>
cloud<Scalar> cloud_of(shape which, std::size_t n, std::uint64_t seed) {
  cloud<Scalar> points;
  for (auto const& p : make_cloud(which, n, seed)) {
    points.push_back({static_cast<Scalar>(p[0]), static_cast<Scalar>(p[1]), static_cast<Scalar>(p[2])});
  }
  return points;
}

template <class Scalar>
bool is_finite_point(std::array<Scalar, 3> const& p) {
  return std::isfinite(p[0]) && std::isfinite(p[1]) && std::isfinite(p[2]);
}

template <class T>
bool same_bits(T const& a, T const& b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

/// Compares members: a grid of doubles ends with padding.
template <class Scalar>
bool same_grid(voxel_grid<Scalar> const& a, voxel_grid<Scalar> const& b) {
  return same_bits(a.origin, b.origin) && same_bits(a.size, b.size) && same_bits(a.dims, b.dims);
}

/// Every finite point is in the grid, the grid ends with the last one, and its origin is the multiple below the first.
template <class Scalar>
void check_around(cloud<Scalar> points, Scalar edge) {
  auto const grid = voxel_grid<Scalar>::around(points, edge);
  int last[3] = {0, 0, 0};
  bool any = false, all_inside = true;
  Scalar low[3] = {};
  for (auto const& p : points) {
    if (!is_finite_point(p)) continue;
    farpoint::vec<std::int32_t> voxel{};
    all_inside = all_inside && farpoint::voxel_of(grid, {{p[0], p[1], p[2]}}, voxel);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      last[axis] = std::max(last[axis], voxel[static_cast<int>(axis)]);
      low[axis] = any ? std::min(low[axis], p[axis]) : p[axis];
    }
    any = true;
  }
  CHECK(all_inside);
  for (int axis = 0; axis < 3; ++axis) {
    CAPTURE(axis, grid.origin[axis], low[axis]);
    CHECK(grid.size[axis] == edge);
    CHECK(grid.dims[axis] == last[axis] + 1);
    CHECK(!std::signbit(grid.origin[axis] == 0 ? grid.origin[axis] : Scalar(1)));
    if (!any) continue;
    CHECK(grid.origin[axis] <= low[axis]);
    long double const wide = edge;
    long double const cells = std::floor(static_cast<long double>(low[axis]) / wide);
    // Multiples are rounded: the next one may be at or below the point, or this one above it.
    bool is_multiple = false;
    for (long double const more : {-1, 0, 1}) {
      is_multiple = is_multiple || grid.origin[axis] == static_cast<Scalar>((cells + more) * wide);
    }
    CHECK(is_multiple);
  }
  std::reverse(points.begin(), points.end());
  points.insert(points.end(), points.begin(), points.end());
  for (auto& p : points) {
    for (auto& x : p) x = x == 0 ? -x : x;
  }
  CHECK(same_grid(voxel_grid<Scalar>::around(points, edge), grid));
}

/// Sums by voxel in a map, in input order.
template <class Scalar>
cloud<Scalar> means_of_voxels(cloud<Scalar> const& points, Scalar edge) {
  auto const origin = voxel_grid<Scalar>::around(points, edge).origin;
  std::map<std::tuple<double, double, double>, std::size_t> row_of;
  cloud<Scalar> sums;
  std::vector<Scalar> counts;
  for (auto const& p : points) {
    if (!is_finite_point(p)) continue;
    double cell[3];
    for (std::size_t axis = 0; axis < 3; ++axis) {
      Scalar const offset = p[axis] - origin[static_cast<int>(axis)];
      cell[axis] = std::floor(static_cast<double>(offset / edge));
    }
    auto const row = row_of.emplace(std::make_tuple(cell[0], cell[1], cell[2]), sums.size());
    if (row.second) {
      sums.push_back(p);
      counts.push_back(1);
      continue;
    }
    for (std::size_t axis = 0; axis < 3; ++axis) sums[row.first->second][axis] += p[axis];
    counts[row.first->second] += 1;
  }
  for (std::size_t v = 0; v < sums.size(); ++v) {
    for (auto& x : sums[v]) x /= counts[v];
  }
  return sums;
}

constexpr float infinity = std::numeric_limits<float>::infinity();

}  // namespace

TEST_CASE("voxel_grid: around a cloud of any shape", "[voxelize][grid]") {
  for (shape const which : all_shapes) {
    if (which == shape::overflowing || which == shape::huge || which == shape::subnormal) continue;
    for (std::size_t const n : {0u, 1u, 2u, 500u}) {
      CAPTURE(static_cast<int>(which), n);
      auto const wide = cloud_of<double>(which, n, n + 1);
      // The extent is 307 edges long, at every scale of the cloud.
      double extent = 0;
      for (auto const& p : wide) {
        for (double const x : p) extent = std::isfinite(x) ? std::max(extent, std::fabs(x)) : extent;
      }
      double const edge = extent > 0 ? extent / 307 : 1;
      check_around<double>(wide, edge);
      check_around<double>(wide, extent > 0 ? extent * 2 : 1);
      check_around<float>(cloud_of<float>(which, n, n + 1), static_cast<float>(edge));
    }
  }
}

TEST_CASE("voxel_grid: around points on borders, and what is not finite", "[voxelize][grid]") {
  auto const grid = voxel_grid<float>::around(
      cloud<float>{{-0.5f, 0, 1}, {1, 0, 1.25f}, {std::nanf(""), -9, -9}, {infinity, 9, 9}, {-9, -infinity, 0}}, 0.5f);
  CHECK(same_grid(grid, {{{-0.5f, 0, 1}}, {{0.5f, 0.5f, 0.5f}}, {{4, 1, 1}}}));
  // No finite point: one voxel.
  voxel_grid<float> const unit{{{0, 0, 0}}, {{2, 2, 2}}, {{1, 1, 1}}};
  CHECK(same_grid(voxel_grid<float>::around(cloud<float>{}, 2), unit));
  CHECK(same_grid(voxel_grid<float>::around(cloud<float>{{infinity, 0, 0}}, 2), unit));
  // A view with a stride; halves.
  std::vector<float> const records{7, 7, 7, 0, -1, -1, -1, 0};
  CHECK(voxel_grid<float>::around(farpoint::point_view<float>{records.data(), 2, 16}, 1).dims[2] == 9);
  std::vector<std::array<farpoint::float16, 3>> halves(1);
  halves[0][1] = farpoint::to_float16(-3.0f);
  CHECK(voxel_grid<float>::around(halves, 2).origin[1] == -4);
}

TEST_CASE("voxel_grid: grids around clouds of one scene have their borders in common", "[voxelize][grid]") {
  auto const whole = cloud_of<double>(shape::cube, 200, 5);
  auto const grid = voxel_grid<double>::around(whole, 0.125);
  for (auto const& p : whole) {
    auto const alone = voxel_grid<double>::around(cloud<double>{p}, 0.125);
    farpoint::vec<std::int32_t> voxel{};
    REQUIRE(farpoint::voxel_of(grid, {{p[0], p[1], p[2]}}, voxel));
    for (int axis = 0; axis < 3; ++axis) {
      CHECK(alone.dims[axis] == 1);
      CHECK(alone.origin[axis] == grid.origin[axis] + voxel[axis] * 0.125);
    }
  }
}

TEST_CASE("voxel_grid: edges that no grid can have, and extents that none can hold", "[voxelize][grid]") {
  cloud<float> const points{{0, 0, 0}, {3e9f, 1, 1}};
  for (float const edge : {0.0f, -1.0f, std::nanf(""), infinity, -infinity}) {
    auto const grid = voxel_grid<float>::around(points, edge);
    CHECK(grid.cells() == 0);
  }
  CHECK(voxel_grid<float>::around(points, 1).dims[0] == 0);
  CHECK(voxel_grid<float>::around(points, 2).dims[0] == 1500000001);
  cloud<double> const wide{{0, 0, 0}, {2147483646.5, 0, 0}};
  CHECK(voxel_grid<double>::around(wide, 1).dims[0] == 2147483647);
  CHECK(voxel_grid<double>::around(cloud<double>{{0, 0, 0}, {2147483647, 0, 0}}, 1).dims[0] == 0);
  // The largest and the smallest numbers: a grid that holds them, or none.
  constexpr float most = std::numeric_limits<float>::max(), least = std::numeric_limits<float>::denorm_min();
  for (float const edge : {least, 1.0f, 3e38f, most}) {
    for (cloud<float> const& some :
         {cloud<float>{{-most, -least, least}}, {{-most, 0, 0}, {most, 0, 0}}, {{most, most, 0}}}) {
      auto const grid = voxel_grid<float>::around(some, edge);
      for (auto const& p : some) {
        farpoint::vec<std::int32_t> voxel{};
        CAPTURE(edge, p[0], grid.origin[0], grid.dims[0]);
        bool const is_inside = farpoint::voxel_of(grid, {{p[0], p[1], p[2]}}, voxel);
        bool const is_inside_or_no_grid = is_inside || grid.cells() == 0;
        CHECK(is_inside_or_no_grid);
      }
      // A point just below a multiple is in the next voxel once its offset is rounded.
      bool const is_small = some.size() > 1 || (grid.cells() >= 1 && grid.cells() <= 8);
      CHECK(is_small);
    }
  }
}

TEST_CASE("downsample: the means of voxels, in order of first occurrence", "[voxelize][downsample]") {
  for (shape const which : all_shapes) {
    if (which == shape::overflowing || which == shape::huge || which == shape::subnormal || which == shape::tiny)
      continue;
    for (std::size_t const n : {0u, 1u, 700u}) {
      CAPTURE(static_cast<int>(which), n);
      auto const points = cloud_of<float>(which, n, 3);
      float extent = 1;
      for (auto const& p : points) extent = std::isfinite(p[0]) ? std::max(extent, std::fabs(p[0])) : extent;
      auto const edge = extent / 7;
      CHECK(same_bits(downsample(points, edge), means_of_voxels(points, edge)));
      auto const doubles = cloud_of<double>(which, n, 3);
      CHECK(same_bits(downsample(doubles, extent / 7.0), means_of_voxels(doubles, extent / 7.0)));
    }
  }
}

TEST_CASE("downsample: features come along, and voxelize() by an edge says the same", "[voxelize][downsample]") {
  struct point {
    float x, y, z, intensity;
  };
  std::vector<point> const points{{0.5f, 0, 0, 1}, {2.5f, 0, 0, 2}, {0.25f, 0.5f, 0, 4}, {infinity, 0, 0, 8}};
  auto const features = farpoint::feature_view::packed(&points[0].intensity, 4, 1, index_t{sizeof(point)});
  auto const thin = downsample(points, 1, features);
  CHECK(thin.points == cloud<float>{{0.375f, 0.25f, 0}, {2.5f, 0, 0}});
  CHECK(thin.means == std::vector<float>{2.5f, 2});
  CHECK(downsample(points, 1) == thin.points);

  farpoint::voxelize_params<float> params;
  params.features = features;
  params.order = farpoint::voxel_order::grid;
  auto const voxels = farpoint::voxelize(points, 1, params);
  CHECK(voxels.means == thin.means);
  CHECK(voxels.coords == std::vector<std::int32_t>{0, 0, 0, 2, 0, 0});
  CHECK(voxels.report.non_finite == 1);
  CHECK(voxels.report.outside == 0);
  CHECK(same_grid(voxels.grid, voxel_grid<float>::around(points, 1)));
  CHECK(farpoint::voxelize(points, 0.5).points_per_voxel == std::vector<std::int32_t>{1, 1, 1});
}

TEST_CASE("downsample and voxelize of containers: threads change nothing, and -1 is refused",
          "[voxelize][downsample]") {
  // More than 20,000 points per thread, so that threads are started.
  auto const points = cloud_of<float>(shape::cube, 70000, 8);
  auto const features = farpoint::feature_view::packed(points[0].data(), index_t{70000}, 3);
  auto const thin = downsample(points, 0.05, features, farpoint::host_exec{1});
  auto const voxels = farpoint::voxelize(points, 0.05, {}, farpoint::host_exec{1});
  for (int const threads : {0, 2, 3}) {
    CAPTURE(threads);
    farpoint::host_exec const exec{threads};
    CHECK(same_bits(downsample(points, 0.05, exec), thin.points));
    CHECK(downsample(points, 0.05, features, exec).means == thin.means);
    CHECK(farpoint::voxelize(points, 0.05, {}, exec).point_voxel == voxels.point_voxel);
    farpoint::voxelize_params<float> params;
    params.grid = voxels.grid;
    CHECK(farpoint::voxelize(points, params, exec).coords == voxels.coords);
  }
  // Empty braces are no features, with or without threads.
  CHECK(same_bits(downsample(points, 0.05, {}).points, thin.points));
  CHECK(downsample(points, 0.05, {}, {}).means.empty());
  farpoint::host_exec const wrong{-1};
  CHECK_THROWS_AS(downsample(points, 0.05, wrong), std::invalid_argument);
  CHECK_THROWS_AS(downsample(points, 0.05, features, wrong), std::invalid_argument);
  CHECK_THROWS_AS(farpoint::voxelize(points, 0.05, {}, wrong), std::invalid_argument);
}

TEST_CASE("downsample: empty clouds, and edges that are refused", "[voxelize][downsample]") {
  cloud<float> const points{{0, 0, 0}, {3e9f, 1, 1}};
  CHECK(downsample(cloud<float>{}, 1).empty());
  CHECK(downsample(cloud<float>{{infinity, 0, 0}}, 1).empty());
  for (double const edge : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity(), 1e300, 1e-300, 1.0}) {
    CAPTURE(edge);
    CHECK_THROWS_AS(downsample(points, edge), std::invalid_argument);
    CHECK_THROWS_AS(farpoint::voxelize(points, edge), std::invalid_argument);
  }
  CHECK(downsample(points, 4) == points);
  // Fewer features than points.
  float const one = 1;
  CHECK_THROWS_AS(downsample(points, 4, farpoint::feature_view::packed(&one, 1, 1)), std::invalid_argument);
}

// Workspaces that are enough for all problems within limits, on a stream. Sizes are worked out on the host: no kernel
// runs, and none is compiled. test_fps_workspace.cu tests the sizes of fps().
#include <farpoint/estimate_normals.cuh>
#include <farpoint/interpolate.cuh>
#include <farpoint/knn.cuh>
#include <farpoint/knn_screen.cuh>
#include <farpoint/mean_knn_distance.cuh>
#include <farpoint/point_bvh.cuh>
#include <farpoint/quadtree.cuh>
#include <farpoint/radius.cuh>
#include <farpoint/voxelize.cuh>

#include "../../screen/screen_limits.hpp"
#include "../../support/catch.hpp"
#include "../../support/random_batches.hpp"

using namespace farpoint_tests;
using farpoint::batch_limits;
using farpoint::point_view;
using farpoint::search_limits;

namespace {

farpoint::cuda_exec const no_stream{cudaStream_t{}};

template <class Points>
void check_searches(std::uint64_t seed) {
  random_source random{seed};
  batch_limits const of_points{random_magnitude(random, 26), 1 + random_magnitude(random, 14)};
  search_limits const limits{of_points.points, of_points.clouds, random_magnitude(random, 26)};
  index_t const max_k = 1 + random.below(1024);
  CAPTURE(seed, limits.points, limits.clouds, limits.queries, max_k);
  std::size_t knn = 0;
  std::size_t radius = 0;
  std::size_t interpolation = 0;
  std::size_t normals = 0;
  std::size_t means = 0;
  std::size_t index = 0;
  REQUIRE(farpoint::knn_workspace_bound<Points>(no_stream, limits, knn));
  REQUIRE(farpoint::radius_workspace_bound<Points>(no_stream, limits, radius));
  REQUIRE(farpoint::interpolate_workspace_bound<Points>(no_stream, limits, interpolation));
  REQUIRE(farpoint::estimate_normals_workspace_bound<Points>(no_stream, of_points, max_k, normals));
  REQUIRE(farpoint::mean_knn_distance_workspace_bound<Points>(no_stream, of_points, max_k, means));
  REQUIRE(farpoint::point_bvh_bound<Points>(no_stream, of_points, index));
  for (int i = 0; i < 100; ++i) {
    auto const points = random_batch_within<Points>(of_points, random);
    auto const queries = random_batch_of<Points>(points.size(), limits.queries, random);
    farpoint::normals_params params;
    params.k = 1 + random.below(max_k);
    CAPTURE(i, points.points().size(), points.size(), points.is_ragged(), queries.points().size(), params.k);
    REQUIRE(knn_workspace_bytes(no_stream, points, queries, farpoint::knn_params{3}) <= knn);
    REQUIRE(knn_workspace_bytes(no_stream, points, farpoint::knn_params{3}) <= knn);
    REQUIRE(radius_workspace_bytes(no_stream, points, queries) <= radius);
    REQUIRE(radius_workspace_bytes(no_stream, points) <= radius);
    farpoint::device_point_bvh<typename Points::scalar> const built;
    REQUIRE(radius_workspace_bytes(no_stream, built, points, queries) <= radius);
    REQUIRE(interpolate_workspace_bytes(no_stream, points, queries) <= interpolation);
    REQUIRE(estimate_normals_workspace_bytes(no_stream, points, params) <= normals);
    REQUIRE(mean_knn_distance_workspace_bytes(no_stream, points, {params.k}) <= means);
    REQUIRE(point_bvh_bytes(no_stream, points) <= index);
  }
  // Never less for higher limits.
  search_limits const more{limits.points + random.below(1000), limits.clouds + random.below(9),
                           limits.queries + random.below(20000)};
  std::size_t higher = 0;
  REQUIRE(farpoint::knn_workspace_bound<Points>(no_stream, more, higher));
  CHECK(higher >= knn);
  REQUIRE(farpoint::radius_workspace_bound<Points>(no_stream, more, higher));
  CHECK(higher >= radius);
  index_t const higher_k = max_k + random.below(1025 - max_k);
  REQUIRE(farpoint::mean_knn_distance_workspace_bound<Points>(no_stream, {more.points, more.clouds}, higher_k, higher));
  CHECK(higher >= means);
}

/// Never less for a larger image.
void check_quadtree(std::uint64_t seed) {
  random_source random{seed};
  int const width = static_cast<int>(1 + random.below(1900));
  int const height = static_cast<int>(1 + random.below(1900));
  index_t const by = random_magnitude(random, 6);
  CAPTURE(seed, width, height, by);
  REQUIRE(quadtree_workspace_bytes(no_stream, width, height) <=
          quadtree_workspace_bytes(no_stream, width + static_cast<int>(random.below(by + 1)),
                                   height + static_cast<int>(random.below(by + 1))));
}

template <class Points>
void check_voxelize(std::uint64_t seed) {
  using scalar = typename Points::scalar;
  random_source random{seed};
  batch_limits const limits{random_magnitude(random, 26), 1 + random_magnitude(random, 14)};
  std::size_t bound = 0;
  REQUIRE(farpoint::voxelize_workspace_bound<Points>(no_stream, limits, bound));
  CAPTURE(seed, limits.points, limits.clouds);
  std::vector<std::int32_t> coords(3);
  farpoint::voxelize_report report;
  for (int i = 0; i < 100; ++i) {
    auto const clouds = random_batch_within<Points>(limits, random);
    farpoint::voxelize_params<scalar> params;
    params.grid.size = {{1, 1, 1}};
    for (int axis = 0; axis < 3; ++axis)
      params.grid.dims[axis] = static_cast<std::int32_t>(1 + random_magnitude(random, 14));
    if (random.below(2) == 0) params.mode = farpoint::hard{random_magnitude(random, 24), random_magnitude(random, 8)};
    if (random.below(2) == 0) params.order = farpoint::voxel_order::grid;
    if (random.below(2) == 0) params.points = farpoint::voxel_points::random_subset;
    farpoint::voxelize_output<scalar> output;
    output.capacity = random_magnitude(random, 24);
    // Lists of the right size, which are not written.
    auto const points = static_cast<std::size_t>(clouds.points().size());
    if (random.below(2) == 0) output.list_points = farpoint::span<std::int32_t>{coords.data(), points};
    if (random.below(2) == 0) output.report = &report;
    CAPTURE(i, points, clouds.size(), params.grid.dims[0], params.grid.dims[1], params.grid.dims[2], output.capacity,
            params.mode.max_voxels, params.mode.max_points);
    REQUIRE(voxelize_workspace_bytes(no_stream, clouds, params, output) <= bound);
  }
}

}  // namespace

TEST_CASE("workspace bounds, device: knn, radius and what is made of neighbors", "[limits][device]") {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    check_searches<point_view<float>>(seed);
    check_searches<point_view<double>>(seed);
  }
  std::size_t bound = 77;
  CHECK_FALSE(farpoint::knn_workspace_bound<point_view<float>>(no_stream, {index_t{1} << 31, 1, 1}, bound));
  CHECK_FALSE(farpoint::mean_knn_distance_workspace_bound<point_view<float>>(no_stream, {1, 1}, 1025, bound));
  CHECK(bound == 77);
}

TEST_CASE("workspace bounds, device: voxelize", "[limits][device]") {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    check_voxelize<point_view<float>>(seed);
    check_voxelize<point_view<double>>(seed);
  }
}

TEST_CASE("workspace bounds, device: knn in screen space", "[limits][device]") {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    check_screen_bound<point_view<float>>(no_stream, seed);
    check_screen_bound<point_view<double>>(no_stream, seed);
    check_screen_bound<point_view<farpoint::float16>>(no_stream, seed);
  }
  check_absurd_screen_limits<point_view<float>>(no_stream);
}

TEST_CASE("workspace bounds, device: a larger image in screen space may need less", "[limits][device]") {
  // One row more, and tiles are of 128 x 128 pixels: more than the row's words are saved.
  screen_limits limits{4193800, 8192, 8191};
  using pinhole = farpoint::pinhole_camera<float>;
  std::size_t const smaller = screen_bytes<point_view<float>, pinhole>(no_stream, limits);
  limits.height = 8192;
  CHECK(screen_bytes<point_view<float>, pinhole>(no_stream, limits) < smaller);
  CHECK(screen_bound<point_view<float>>(no_stream, limits) >= smaller);
}

TEST_CASE("workspace bounds, device: quadtrees need no less for more", "[limits][device]") {
  for (std::uint64_t seed = 0; seed < 4000; ++seed) check_quadtree(seed);
}

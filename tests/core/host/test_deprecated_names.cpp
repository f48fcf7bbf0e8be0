// Names of before 0.1.0 that forward until 0.2, see docs/upgrading.md: each is the type, value or function of its new
// name.
#include <farpoint/compat/three_nn.hpp>
#include <farpoint/container/neighbour_key.hpp>
#include <farpoint/knn_screen.hpp>
#include <farpoint/point_bvh.hpp>
#include <farpoint/radius.hpp>
#include <farpoint/runtime/stream_float16.hpp>
#include <farpoint/splat/normals_from_neighbours.hpp>
#include <farpoint/types/device_point_bvh.hpp>
#include <farpoint/types/neighbour_normals.hpp>

#include <array>
#include <type_traits>
#include <vector>

#include "../../support/catch.hpp"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace {

namespace fp = farpoint;

template <class Old, class New>
constexpr bool is_same = std::is_same_v<Old, New>;

static_assert(is_same<fp::neighbour_key<float>, fp::neighbor_key<float>>);
static_assert(is_same<fp::neighbour_key<double>, fp::neighbor_key<double>>);
static_assert(is_same<fp::knn_neighbours<double>, fp::knn_neighbors<double>>);
static_assert(is_same<fp::radius_neighbours<float>, fp::radius_neighbors<float>>);
static_assert(is_same<fp::radius_row_neighbours<float>, fp::radius_row_neighbors<float>>);
static_assert(is_same<fp::screen_neighbours<float>, fp::screen_neighbors<float>>);
static_assert(is_same<fp::neighbour_rows, fp::neighbor_rows>);
static_assert(is_same<fp::neighbour_normals_params, fp::neighbor_normals_params>);
static_assert(is_same<fp::neighbour_normals_output<>, fp::neighbor_normals_output<float>>);
static_assert(is_same<fp::neighbour_normals_output<double>, fp::neighbor_normals_output<double>>);
static_assert(is_same<fp::point_index<float>, fp::point_bvh<float>>);
static_assert(is_same<fp::point_index_ref<double>, fp::point_bvh_ref<double>>);
static_assert(is_same<fp::device_point_index<float>, fp::device_point_bvh<float>>);
static_assert(fp::max_neighbours == fp::max_neighbors);
static_assert(fp::point_index_width == fp::point_bvh_width);
static_assert(fp::point_index_levels == fp::point_bvh_levels);
static_assert(fp::compat::three_nn_distances::metres == fp::compat::three_nn_distances::meters);

using points_of_float = std::vector<std::array<float, 3>>;

points_of_float const points{{0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {3, 1, 0}, {1, 4, 1}};

}  // namespace

TEST_CASE("Deprecated names of the BVH build the same BVH") {
  fp::batch const cloud{fp::view_points(points)};
  fp::host_exec const exec{1};
  REQUIRE(fp::point_index_bytes(exec, cloud) == fp::point_bvh_bytes(exec, cloud));
  fp::host_scratch const memory{fp::point_index_bytes(exec, cloud)};
  fp::point_index<float> index;
  REQUIRE(fp::build_point_index(exec, cloud, memory, index));
  CHECK(fp::knn(index, points, 3).indices == fp::knn(points, 3).indices);
}

TEST_CASE("normals_from_neighbours() is normals_from_neighbors()") {
  fp::batch const cloud{fp::view_points(points)};
  fp::knn_neighbours<float> const found = fp::knn(points, 4);
  std::vector<float> old_normals(3 * points.size(), 2);
  std::vector<float> normals(3 * points.size(), 3);
  REQUIRE(fp::normals_from_neighbours(fp::host_exec{1}, cloud, {found.indices, found.k}, {}, {old_normals}));
  REQUIRE(fp::normals_from_neighbors(fp::host_exec{1}, cloud, {found.indices, found.k}, {}, {normals}));
  CHECK(old_normals == normals);
}

// Calls of before 0.1.0, with k or max as an argument, which forward until 0.2: results equal those of the calls that
// have the number of neighbors in their parameters.
#include <farpoint/core/workspace.hpp>
#include <farpoint/estimate_normals.hpp>
#include <farpoint/knn_screen.hpp>
#include <farpoint/mean_knn_distance.hpp>
#include <farpoint/point_bvh.hpp>
#include <farpoint/radius.hpp>
#include <farpoint/scale/knn_shard.hpp>
#include <farpoint/scale/neighborhood_shard.hpp>
#include <farpoint/scale/radius_shard.hpp>
#include <farpoint/scale/thread_communicator.hpp>
#include <farpoint/scale/tiles/radius_tiles.hpp>
#include <farpoint/search/for_each_neighborhood.hpp>

#include <array>
#include <vector>

#include "../../support/catch.hpp"
#include "../../support/clouds.hpp"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace {

namespace fp = farpoint;
using fp::bytes;
using fp::index_t;
using view = fp::point_view<float>;

constexpr fp::host_exec exec{1};
constexpr index_t k = 3;
constexpr std::size_t n = 200;

std::vector<std::array<float, 3>> cloud_of(std::uint64_t seed) {
  std::vector<std::array<float, 3>> points(n);
  farpoint_tests::random_source random{seed};
  for (auto& p : points) p = {random.uniform(), random.uniform(), random.uniform()};
  return points;
}

auto const points = cloud_of(1);
auto const queries = cloud_of(2);
fp::batch<view> const cloud{fp::view_points(points)};
fp::batch<view> const asked{fp::view_points(queries)};
fp::exact const others{0.3, true};
fp::knn_params const nearest{k, 0.3, true};
fp::radius_params const ball{0.2};
fp::radius_params const few{0.2, k};

/// Memory for every call of this file.
bytes memory() {
  static fp::host_scratch const all{std::size_t{1} << 20};
  return all;
}

/// Rows of a search.
template <class Index = std::int32_t>
struct rows {
  std::vector<Index> indices = std::vector<Index>(n * k, -7);
  std::vector<float> distances = std::vector<float>(n * k, -7);
  std::vector<Index> counts = std::vector<Index>(n, -7);

  friend bool operator==(rows const& a, rows const& b) {
    return a.indices == b.indices && a.distances == b.distances && a.counts == b.counts;
  }
};

/// Checks that calls succeed and write the same rows.
template <class Index = std::int32_t, class Old, class New>
void check_same(Old const& old_call, New const& new_call) {
  rows<Index> before, now;
  REQUIRE(old_call(before));
  REQUIRE(new_call(now));
  CHECK(before == now);
  CHECK(now.indices[0] != -7);
}

fp::knn_output<float> lists(rows<>& to) {
  return {to.indices, to.distances, to.counts};
}

}  // namespace

TEST_CASE("deprecated calls: knn() with exact and k", "[knn][host]") {
  CHECK(knn_workspace_bytes(exec, cloud, others, k) == knn_workspace_bytes(exec, cloud, nearest));
  CHECK(knn_workspace_bytes(exec, cloud, asked, others, k) == knn_workspace_bytes(exec, cloud, asked, nearest));
  check_same([](auto& to) { return knn(exec, cloud, others, k, lists(to), memory()); },
             [](auto& to) { return knn(exec, cloud, nearest, lists(to), memory()); });
  check_same([](auto& to) { return knn(exec, cloud, asked, others, k, lists(to), memory()); },
             [](auto& to) { return knn(exec, cloud, asked, nearest, lists(to), memory()); });
  check_same(
      [](auto& to) {
        return knn(exec, cloud, {0.3, true}, k, {to.indices, to.distances, to.counts}, memory());
      },
      [](auto& to) {
        return knn(exec, cloud, {k, 0.3, true}, lists(to), memory());
      });
  auto const built = fp::build_point_bvh(points, exec);
  check_same([&](auto& to) { return knn(exec, built.index, asked, fp::exact{}, k, {to.indices}); },
             [&](auto& to) { return knn(exec, built.index, asked, {k}, {to.indices}); });
  CHECK(fp::knn(points, k, others).indices == fp::knn(points, nearest).indices);
  CHECK(fp::knn(points, queries, k, others, exec).indices == fp::knn(points, queries, nearest, exec).indices);
  CHECK(fp::knn(built.index, queries, k, fp::exact{}).distances == fp::knn(built.index, queries, k).distances);
}

TEST_CASE("deprecated calls: knn() in screen space with k", "[knn_screen][host]") {
  fp::pinhole_camera<float> camera;
  camera.width = camera.height = 40;
  camera.focal = {{30, 30}};
  camera.center = {{20, 20}};
  camera.translation = {{-0.5f, -0.5f, 1}};
  fp::screen_space const old_method{camera};
  fp::screen_space const method{camera, k};
  CHECK(knn_workspace_bytes(exec, cloud, old_method, k) == knn_workspace_bytes(exec, cloud, method));
  auto const output = [](rows<>& to) { return fp::knn_screen_output<float>{to.indices, to.distances, to.counts}; };
  check_same([&](auto& to) { return knn(exec, cloud, old_method, k, output(to), memory()); },
             [&](auto& to) { return knn(exec, cloud, method, output(to), memory()); });
  CHECK(fp::knn(points, k, old_method).indices == fp::knn(points, method).indices);
}

TEST_CASE("deprecated calls: radius() with max", "[radius][host]") {
  auto const output = [](rows<>& to) { return fp::radius_output<float>{to.indices, to.distances, to.counts}; };
  check_same([&](auto& to) { return radius(exec, cloud, ball, k, output(to), memory()); },
             [&](auto& to) { return radius(exec, cloud, few, output(to), memory()); });
  check_same([&](auto& to) { return radius(exec, cloud, asked, ball, k, output(to), memory()); },
             [&](auto& to) { return radius(exec, cloud, asked, few, output(to), memory()); });
  check_same([&](auto& to) { return radius(exec, cloud, asked, {0.2}, k, {to.indices}, memory()); },
             [&](auto& to) {
               return radius(exec, cloud, asked, {0.2, k}, {to.indices}, memory());
             });
  auto const built = fp::build_point_bvh(points, exec);
  check_same([&](auto& to) { return radius(exec, built.index, asked, ball, k, output(to)); },
             [&](auto& to) { return radius(exec, built.index, asked, few, output(to)); });
  CHECK(fp::radius(points, {0.2}, k).indices == fp::radius(points, few).indices);
  CHECK(fp::radius(points, queries, ball, k, exec).indices == fp::radius(points, queries, few, exec).indices);
  CHECK(fp::radius(built.index, queries, {0.2}, k).indices == fp::radius(built.index, queries, few).indices);
}

TEST_CASE("deprecated calls: mean_knn_distance() with k and means", "[mean_knn_distance][host]") {
  fp::knn_report reports[2];
  std::vector<float> before(n), now(n);
  auto const built = fp::build_point_bvh(points, exec);
  CHECK(mean_knn_distance_workspace_bytes(exec, cloud, k) == mean_knn_distance_workspace_bytes(exec, cloud, {k}));
  CHECK(mean_knn_distance_workspace_bytes(exec, built.index, cloud, k) == 0);
  REQUIRE(mean_knn_distance(exec, cloud, k, before, memory(), &reports[0]));
  REQUIRE(mean_knn_distance(exec, cloud, {k}, {now, &reports[1]}, memory()));
  CHECK(before == now);
  std::fill(before.begin(), before.end(), -1.0f);
  REQUIRE(mean_knn_distance(exec, built.index, cloud, k, fp::span<float>{before}));
  CHECK(before == now);
}

TEST_CASE("deprecated calls: searches on ranks", "[shard]") {
  fp::thread_ranks group{1};
  fp::thread_communicator rank{group, 0};
  fp::shard<view> const part{cloud.points(), 0};
  auto const all = asked.points();
  auto const output = [](rows<index_t>& to) {
    std::fill(to.counts.begin(), to.counts.end(), 0);
    fp::knn_shard_output<float> lists;
    lists.indices = to.indices;
    lists.distances = to.distances;
    lists.exchanged_capacity = 1;
    return lists;
  };
  rows<index_t> some;
  fp::exact const all_near{0.3};
  fp::knn_params const near{k, 0.3};
  CHECK(knn_shard_workspace_bytes(exec, 1, part, all, all_near, k, output(some)) ==
        knn_shard_workspace_bytes(exec, 1, part, all, near, output(some)));
  CHECK(knn_shard_plan_workspace_bytes(exec, 1, part, all, all_near, k, output(some)) ==
        knn_shard_plan_workspace_bytes(exec, 1, part, all, near, output(some)));
  check_same<index_t>([&](auto& to) { return knn_shard(exec, rank, part, all, all_near, k, output(to), memory()); },
                      [&](auto& to) { return knn_shard(exec, rank, part, all, near, output(to), memory()); });
  fp::along_curve curve;
  curve.owned_points = curve.owned_queries = n;
  fp::along_curve along = curve;
  along.neighbors.k = k;
  check_same<index_t>([&](auto& to) { return knn_shard(exec, rank, part, all, curve, k, output(to), memory()); },
                      [&](auto& to) { return knn_shard(exec, rank, part, all, along, output(to), memory()); });
  fp::host_scratch const room{1 << 20};
  check_same<index_t>(
      [&](auto& to) { return knn_shard_plan(exec, rank, part, all, all_near, k, output(to), memory()).run(room); },
      [&](auto& to) { return knn_shard_plan(exec, rank, part, all, near, output(to), memory()).run(room); });

  auto const balls = [](rows<index_t>& to) {
    fp::radius_shard_output<float> lists;
    lists.indices = to.indices;
    lists.distances = to.distances;
    lists.counts = to.counts;
    lists.exchanged_capacity = 1;
    return lists;
  };
  CHECK(radius_shard_workspace_bytes(exec, 1, part, all, ball, k, balls(some)) ==
        radius_shard_workspace_bytes(exec, 1, part, all, few, balls(some)));
  CHECK(radius_shard_plan_workspace_bytes(exec, 1, part, all, ball, k, balls(some)) ==
        radius_shard_plan_workspace_bytes(exec, 1, part, all, few, balls(some)));
  check_same<index_t>([&](auto& to) { return radius_shard(exec, rank, part, all, ball, k, balls(to), memory()); },
                      [&](auto& to) { return radius_shard(exec, rank, part, all, few, balls(to), memory()); });
  check_same<index_t>(
      [&](auto& to) { return radius_shard_plan(exec, rank, part, all, ball, k, balls(to), memory()).run(room); },
      [&](auto& to) { return radius_shard_plan(exec, rank, part, all, few, balls(to), memory()).run(room); });

  std::vector<float> before(n), now(n);
  CHECK(mean_knn_distance_shard_plan_workspace_bytes(exec, 1, part, k, fp::span<float>{before}) ==
        mean_knn_distance_shard_plan_workspace_bytes(exec, 1, part, {k}, {before}));
  REQUIRE(mean_knn_distance_shard_plan(exec, rank, part, k, fp::span<float>{before}, memory()).run(room));
  REQUIRE(mean_knn_distance_shard_plan(exec, rank, part, {k}, {now}, memory()).run(room));
  CHECK(before == now);
}

TEST_CASE("deprecated calls: searches in tiles", "[tiles]") {
  std::vector<index_t> const sizes{static_cast<index_t>(n)};
  auto tiles = fp::tiles_of<fp::vec<float>>(sizes, [](index_t, fp::span<fp::vec<float>> to) {
    for (std::size_t i = 0; i < n; ++i) to[i] = {{points[i][0], points[i][1], points[i][2]}};
    return fp::result{};
  });
  std::vector<fp::tile_extent<float>> extents(1);
  REQUIRE(fp::measure_tiles(tiles, extents, memory()));
  fp::shard<view> const all{asked.points(), 0};
  fp::span<fp::tile_extent<float> const> const boxes{extents};
  auto const output = [](rows<index_t>& to) {
    fp::knn_tiles_output<float> lists;
    lists.indices = to.indices;
    lists.distances = to.distances;
    return lists;
  };
  check_same<index_t>(
      [&](auto& to) { return knn_tiles(exec, tiles, boxes, all, fp::exact{}, k, output(to), memory()); },
      [&](auto& to) { return knn_tiles(exec, tiles, boxes, all, {k}, output(to), memory()); });
  auto const balls = [](rows<index_t>& to) {
    fp::radius_tiles_output<float> lists;
    lists.indices = to.indices;
    lists.distances = to.distances;
    lists.counts = to.counts;
    return lists;
  };
  check_same<index_t>([&](auto& to) { return radius_tiles(exec, tiles, boxes, all, ball, k, balls(to), memory()); },
                      [&](auto& to) { return radius_tiles(exec, tiles, boxes, all, few, balls(to), memory()); });
}

TEST_CASE("calls in braces are not deprecated calls", "[knn]") {
  using fp::status;
  fp::host_scratch const memory{fp::point_bvh_bytes(exec, cloud)};
  fp::point_bvh<float> bvh;
  REQUIRE(build_point_bvh(exec, cloud, memory.get(), bvh));
  CHECK(radius(exec, cloud, {0.2, 8}, {}, {}).code == status::bad_argument);
  CHECK(radius(exec, cloud, asked, {0.2, 8}, {}, {}).code == status::bad_argument);
  CHECK(radius(exec, bvh, asked, {0.2, 8}, {}, {}).code == status::bad_argument);
  CHECK(radius_rows(exec, cloud, {0.2}, {}, {}).code == status::bad_argument);
  CHECK(radius_rows(exec, cloud, asked, {0.2}, {}, {}).code == status::bad_argument);
  CHECK(knn(exec, cloud, {k}, {}, {}).code == status::bad_argument);
  CHECK(knn(exec, cloud, asked, {k}, {}, {}).code == status::bad_argument);
  CHECK(knn(exec, bvh, asked, {k}, {}, {}).code == status::bad_argument);
  CHECK(mean_knn_distance(exec, cloud, {k}, {}, {}).code == status::bad_argument);
  CHECK(estimate_normals(exec, cloud, {k}, {}, {}).code == status::bad_argument);
}

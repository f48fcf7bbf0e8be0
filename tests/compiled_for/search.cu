// Neighbor searches, calls that build on them, and gather().
#include <farpoint/estimate_normals.cuh>
#include <farpoint/estimate_normals.hpp>
#include <farpoint/gather.cuh>
#include <farpoint/gather.hpp>
#include <farpoint/interpolate.cuh>
#include <farpoint/interpolate.hpp>
#include <farpoint/knn.cuh>
#include <farpoint/knn.hpp>
#include <farpoint/knn_screen.cuh>
#include <farpoint/knn_screen.hpp>
#include <farpoint/mean_knn_distance.cuh>
#include <farpoint/mean_knn_distance.hpp>
#include <farpoint/radius.cuh>
#include <farpoint/radius.hpp>

#include "../screen/cameras.hpp"
#include "two_sides.cuh"

using namespace farpoint_tests;
using farpoint::knn_params;

namespace {

constexpr index_t points = 30000, queries = 20000;

/// `call(side, points, queries)` on both sides.
template <class Call>
void check_search(Call const& call) {
  std::vector<float> const from = cube_of(points), to = cube_of(queries, 2);
  check_both_sides([&](auto side) {
    typename decltype(side)::template array<float> const xyz{from}, asked{to};
    return call(side, clouds_in(xyz), clouds_in(asked));
  });
}

template <class Side, class T>
using array_of = typename Side::template array<T>;

}  // namespace

TEST_CASE("compiled for another GPU: knn, of the points and of others, short lists and long ones", "[knn][device]") {
  for (index_t const k : {1, 8, 40}) {
    CAPTURE(k);
    check_search([&](auto const& side, auto const& cloud, auto const& others) {
      using side_type = std::decay_t<decltype(side)>;
      auto const size = static_cast<std::size_t>(k);
      array_of<side_type, std::int32_t> const own{points * size}, found{queries * size};
      array_of<side_type, float> const own_distances{points * size}, distances{queries * size};
      array_of<side_type, unsigned char> const own_memory{knn_workspace_bytes(side.exec(), cloud, knn_params{k})};
      array_of<side_type, unsigned char> const memory{knn_workspace_bytes(side.exec(), cloud, others, knn_params{k})};
      REQUIRE(knn(side.exec(), cloud, knn_params{k}, {all_of(own), all_of(own_distances)}, all_of(own_memory)));
      REQUIRE(knn(side.exec(), cloud, others, knn_params{k}, {all_of(found), all_of(distances)}, all_of(memory)));
      side.wait();
      return written_to(own, own_distances, found, distances);
    });
  }
}

TEST_CASE("compiled for another GPU: radius and radius_rows", "[radius][device]") {
  farpoint::radius_params params;
  params.radius = 1.5;
  params.max_neighbors = 16;
  check_search([&](auto const& side, auto const& cloud, auto const& others) {
    using side_type = std::decay_t<decltype(side)>;
    constexpr std::size_t most = 16, capacity = 1 << 20;
    array_of<side_type, std::int32_t> const lists{queries * most}, counts{queries}, offsets{queries + 1};
    array_of<side_type, std::int32_t> const rows{capacity};
    array_of<side_type, unsigned char> const memory{radius_workspace_bytes(side.exec(), cloud, others)};
    REQUIRE(radius(side.exec(), cloud, others, params, {all_of(lists), {}, all_of(counts)}, all_of(memory)));
    REQUIRE(radius_rows(side.exec(), cloud, others, params, {all_of(offsets), all_of(rows)}, all_of(memory)));
    side.wait();
    return written_to(lists, counts, offsets, rows);
  });
}

TEST_CASE("compiled for another GPU: mean_knn_distance, estimate_normals and interpolate", "[neighborhoods][device]") {
  farpoint::normals_params params;
  params.k = 8;
  check_search([&](auto const& side, auto const& cloud, auto const& others) {
    using side_type = std::decay_t<decltype(side)>;
    array_of<side_type, float> const means{points}, normals{3 * points}, curvatures{points}, mixed{3 * queries};
    array_of<side_type, float> const features{cube_of(points, 3)};
    array_of<side_type, unsigned char> const mean_memory{mean_knn_distance_workspace_bytes(side.exec(), cloud, {8})};
    array_of<side_type, unsigned char> const normal_memory{
        estimate_normals_workspace_bytes(side.exec(), cloud, params)};
    array_of<side_type, unsigned char> const mixed_memory{interpolate_workspace_bytes(side.exec(), cloud, others)};
    REQUIRE(mean_knn_distance(side.exec(), cloud, {8}, {all_of(means)}, all_of(mean_memory)));
    REQUIRE(estimate_normals(side.exec(), cloud, params, {all_of(normals), all_of(curvatures)}, all_of(normal_memory)));
    REQUIRE(interpolate(side.exec(), cloud, span<float const>{features.data(), features.size()}, others, 3,
                        {all_of(mixed)}, all_of(mixed_memory)));
    side.wait();
    return written_to(means, normals, curvatures, mixed);
  });
}

TEST_CASE("compiled for another GPU: gather", "[gather][device]") {
  std::vector<float> const rows = cube_of(1000);
  std::vector<std::int32_t> chosen(5000);
  random_source random{4};
  for (std::int32_t& index : chosen) index = static_cast<std::int32_t>(random.below(1002) - 1);
  check_both_sides([&](auto side) {
    using side_type = decltype(side);
    array_of<side_type, float> const features{rows}, output{3 * chosen.size()};
    array_of<side_type, std::int32_t> const indices{chosen};
    array_of<side_type, farpoint::gather_report> const report{1};
    REQUIRE(farpoint::gather(side.exec(), span<float const>{features.data(), features.size()}, 3, all_of(indices),
                             all_of(output), report.data()));
    side.wait();
    return written_to(output, report);
  });
}

TEST_CASE("compiled for another GPU: knn in screen space, exact and approximate", "[knn_screen][device]") {
  random_source random{5};
  std::vector<float> cube(3 * points);
  for (float& x : cube) x = random.uniform();
  for (int const rounds : {farpoint::until_exact, 2}) {
    farpoint::screen_space method{camera_at_cube<float>(160, 120), 8};
    method.rounds = rounds;
    method.rows = farpoint::screen_rows::input;
    CAPTURE(rounds);
    check_both_sides([&](auto side) {
      using side_type = decltype(side);
      constexpr index_t k = 8;
      array_of<side_type, float> const xyz{cube}, distances{points * k};
      array_of<side_type, std::int32_t> const indices{points * k}, counts{points}, pixels{points};
      array_of<side_type, farpoint::knn_screen_report> const report{1};
      auto const cloud = clouds_in(xyz);
      array_of<side_type, unsigned char> const memory{knn_workspace_bytes(side.exec(), cloud, method)};
      farpoint::knn_screen_output<float> output{all_of(indices), all_of(distances), all_of(counts), all_of(pixels)};
      output.report = report.data();
      REQUIRE(knn(side.exec(), cloud, method, output, all_of(memory)));
      side.wait();
      return written_to(indices, distances, counts, pixels, report);
    });
  }
}

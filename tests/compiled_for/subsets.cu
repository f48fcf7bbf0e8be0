// Offsets and subsets of clouds, edges of neighbor lists, and windows of points.
#include <farpoint/offsets_of_sizes.cuh>
#include <farpoint/search/neighbor_edges.cuh>
#include <farpoint/search/neighbor_edges.hpp>
#include <farpoint/search/point_window.cuh>
#include <farpoint/subset/crop_box.cuh>
#include <farpoint/subset/crop_box.hpp>
#include <farpoint/subset/random_subset.cuh>
#include <farpoint/subset/random_subset.hpp>

#include "two_sides.cuh"

using namespace farpoint_tests;

namespace {

template <class Side, class T>
using array_of = typename Side::template array<T>;

/// Batch of two clouds of different sizes in an array of 5,000 points.
template <class Array, class Offsets>
farpoint::batch<view> ragged_clouds_in(Array const& xyz, Offsets const& offsets) {
  return farpoint::batch<view>::ragged(clouds_in(xyz).points(), {offsets.data(), offsets.size()});
}

std::vector<index_t> const offsets_of_two{0, 3100, 5000};

}  // namespace

TEST_CASE("compiled for another GPU: offsets_of_sizes", "[offsets_of_sizes][device]") {
  std::vector<std::int32_t> counts(300);
  random_source random{8};
  for (std::int32_t& count : counts) count = static_cast<std::int32_t>(random.below(1000));
  check_both_sides([&](auto side) {
    using side_type = decltype(side);
    array_of<side_type, std::int32_t> const sizes{counts};
    array_of<side_type, index_t> const offsets{counts.size() + 1};
    REQUIRE(farpoint::offsets_of_sizes(side.exec(), all_of(sizes), all_of(offsets)));
    side.wait();
    return written_to(offsets);
  });
}

TEST_CASE("compiled for another GPU: crop_box", "[crop_box][device]") {
  std::vector<float> const points = cube_of(5000);
  check_both_sides([&](auto side) {
    using side_type = decltype(side);
    array_of<side_type, float> const xyz{points};
    array_of<side_type, index_t> const starts{offsets_of_two}, offsets{3};
    array_of<side_type, std::int32_t> const indices{5000};
    array_of<side_type, farpoint::crop_box_report> const report{1};
    auto const clouds = ragged_clouds_in(xyz, starts);
    array_of<side_type, unsigned char> const memory{crop_box_workspace_bytes(side.exec(), clouds)};
    REQUIRE(crop_box(side.exec(), clouds, {{{-12, -15, -20}}, {{14, 12, 9}}},
                     {all_of(indices), all_of(offsets), report.data()}, all_of(memory)));
    side.wait();
    CHECK(memory.intact());
    return written_to(indices, offsets, report);
  });
}

TEST_CASE("compiled for another GPU: random_subset", "[random_subset][device]") {
  std::vector<float> const points = cube_of(5000);
  check_both_sides([&](auto side) {
    using side_type = decltype(side);
    array_of<side_type, float> const xyz{points};
    array_of<side_type, index_t> const starts{offsets_of_two}, offsets{3};
    // The second cloud has fewer points than samples.
    array_of<side_type, std::int32_t> const indices{2 * 2000};
    array_of<side_type, farpoint::random_subset_report> const report{1};
    REQUIRE(random_subset(side.exec(), ragged_clouds_in(xyz, starts), 2000, 7,
                          {all_of(indices), all_of(offsets), report.data()}));
    side.wait();
    return written_to(indices, offsets, report);
  });
}

TEST_CASE("compiled for another GPU: neighbor_edges of tables and of rows", "[neighbor_edges][device]") {
  constexpr std::size_t queries = 5000, k = 4, entries = queries * k;
  std::vector<float> const points = cube_of(queries);
  // Any table is a valid input; entries that are no points of the cloud are counted.
  std::vector<std::int32_t> table(entries);
  std::vector<float> lengths(entries);
  std::vector<index_t> row_offsets(queries + 1);
  random_source random{3};
  for (std::int32_t& index : table) index = static_cast<std::int32_t>(random.below(2100) - 50);
  for (float& length : lengths) length = random.uniform();
  for (std::size_t row = 0; row < queries; ++row) {
    row_offsets[row + 1] = row_offsets[row] + static_cast<index_t>(random.below(k + 1));
  }
  for (bool const rows : {false, true}) {
    CAPTURE(rows);
    check_both_sides([&](auto side) {
      using side_type = decltype(side);
      array_of<side_type, float> const xyz{points}, distances{lengths}, edge_distances{entries};
      array_of<side_type, index_t> const starts{offsets_of_two}, begins{row_offsets}, count{1};
      array_of<side_type, std::int32_t> const indices{table}, sources{entries}, targets{entries};
      array_of<side_type, farpoint::edges_report> const report{1};
      auto const clouds = ragged_clouds_in(xyz, starts);
      farpoint::neighbor_lists<float> lists;
      lists.indices = all_of(indices);
      lists.distances = all_of(distances);
      if (rows) {
        lists.offsets = all_of(begins);
      } else {
        lists.k = k;
      }
      array_of<side_type, unsigned char> const memory{neighbor_edges_workspace_bytes(side.exec(), clouds, lists)};
      REQUIRE(neighbor_edges(side.exec(), clouds, lists, farpoint::edge_flow::source_to_target,
                             {all_of(sources), all_of(targets), all_of(edge_distances), all_of(count), report.data()},
                             all_of(memory)));
      side.wait();
      CHECK(memory.intact());
      return written_to(sources, targets, edge_distances, count, report);
    });
  }
}

TEST_CASE("compiled for another GPU: point_window_slide, and knn among the window's points", "[point_window][device]") {
  constexpr std::size_t capacity = 6000, queries = 1000, k = 4;
  std::vector<float> const scans[] = {cube_of(4000), cube_of(5000, 2), cube_of(3000, 3)};
  std::vector<float> const others = cube_of(queries, 4), sensor{3, -2, 1};
  check_both_sides([&](auto side) {
    using side_type = decltype(side);
    using index_type = std::conditional_t<std::is_same_v<side_type, device_side>, farpoint::device_point_bvh<float>,
                                          farpoint::point_bvh<float>>;
    array_of<side_type, float> const points{3 * capacity}, origin{sensor}, asked{others}, distances{queries * k};
    array_of<side_type, index_t> const offsets{2};
    array_of<side_type, std::int64_t> const sources{3 * capacity};
    array_of<side_type, std::int32_t> const indices{queries * k};
    array_of<side_type, farpoint::slide_report> const reports{3};
    farpoint::point_window<float> window{all_of(points), all_of(offsets), {}};
    array_of<side_type, unsigned char> const bvh{point_bvh_bytes(side.exec(), window.clouds())};
    window.index = all_of(bvh);
    REQUIRE(point_window_clear(side.exec(), window));
    farpoint::slide_params<float> params;
    params.box = {{{-18, -15, -16}}, {{16, 18, 15}}};
    params.origin = all_of(origin);
    index_type index;
    for (std::size_t i = 0; i < 3; ++i) {
      array_of<side_type, float> const xyz{scans[i]};
      auto const scan = clouds_in(xyz);
      array_of<side_type, unsigned char> const memory{point_window_slide_workspace_bytes(side.exec(), window, scan)};
      farpoint::slide_output const output{all_of(sources).subspan(i * capacity, capacity), reports.data() + i};
      REQUIRE(point_window_slide(side.exec(), window, scan, params, output, all_of(memory), index));
      side.wait();
      CHECK(memory.intact());
    }
    REQUIRE(knn(side.exec(), index, clouds_in(asked), farpoint::knn_params{index_t{k}},
                {all_of(indices), all_of(distances)}));
    side.wait();
    CHECK(bvh.intact());
    // Rows past the window's size are unspecified.
    auto const size = static_cast<std::size_t>(offsets.download()[1]);
    auto rows = points.download();
    rows.resize(3 * size);
    array_of<side_type, float> const kept{rows};
    return written_to(kept, offsets, sources, reports, indices, distances);
  });
}

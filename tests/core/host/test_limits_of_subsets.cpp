// Limits on host_exec of crop_box(), random_subset(), neighbor_edges() and point windows. See limit_tests.inc.
#include <farpoint/search/neighbor_edges.hpp>
#include <farpoint/search/point_window.hpp>
#include <farpoint/subset/crop_box.hpp>
#include <farpoint/subset/random_subset.hpp>

#include <limits>

#include "../../support/catch.hpp"
#include "../backend_limits.hpp"

using namespace farpoint_tests;
using farpoint::span;

namespace {

constexpr farpoint::host_exec exec{1};
constexpr index_t max_narrow = 2147483647;

limit_batch empty_clouds(index_t clouds) {
  return limit_batch::regular(limit_points(0), clouds);
}

/// Elements at a null pointer: their number is checked, and no refused call reads them.
template <class T>
span<T> absent(index_t size) {
  return {static_cast<T*>(nullptr), static_cast<std::size_t>(size)};
}

}  // namespace

TEST_CASE("limits, host: points in a box", "[limits][host]") {
  std::int32_t index = 0;
  std::int64_t wide = 0;
  index_t offsets[2] = {-7, -7};
  // At the limits the call refuses the workspace, which is missing.
  auto const crop = [&](limit_batch const& clouds, farpoint::index_span indices) {
    farpoint::crop_box_output const output{indices, {offsets, 2}, nullptr};
    return crop_box(exec, clouds, {{{0, 0, 0}}, {{1, 1, 1}}}, output, {});
  };
  check_limit(max_narrow, "crop_box: more than 2^31 - 1 points in a cloud need 64-bit indices", [&](index_t points) {
    return crop(one_cloud(points), span<std::int32_t>{&index, 1});
  });
  char const* const too_large = "crop_box: more than 2^31 - 1 clouds, or 2^40 points";
  check_limit(index_t{1} << 40, too_large, [&](index_t points) {
    return crop(one_cloud(points), span<std::int64_t>{&wide, 1});
  });
  check_limit(max_narrow, too_large, [&](index_t clouds) { return crop(empty_clouds(clouds), {}); });
  CHECK(offsets[0] == -7);
}

TEST_CASE("limits, host: random subsets", "[limits][host]") {
  std::int32_t index = -7;
  std::int64_t wide = -7;
  // At the limits the call refuses the offsets, which are missing; the last limit is checked after those.
  auto const draw = [&](limit_batch const& clouds, farpoint::index_span indices, span<index_t> offsets) {
    return random_subset(exec, clouds, 1, 1, {indices, offsets, nullptr});
  };
  check_limit(max_narrow, "random_subset: more than 2^31 - 1 clouds, or 2^48 points",
              [&](index_t clouds) { return draw(empty_clouds(clouds), {}, {}); });
  check_limit(index_t{1} << 48, "random_subset: more than 2^31 - 1 clouds, or 2^48 points", [&](index_t points) {
    return draw(one_cloud(points), span<std::int64_t>{&wide, 1}, {});
  });
  index_t offsets[2] = {-7, -7};
  span<index_t> const two{offsets, 2};
  farpoint::result const above = draw(one_cloud(max_narrow + 1), span<std::int32_t>{&index, 1}, two);
  CHECK(std::string{above.reason} == "random_subset: more than 2^31 - 1 points in a cloud need 64-bit indices");
  CHECK((index == -7 && wide == -7 && offsets[0] == -7));
  CHECK(draw(one_cloud(max_narrow), span<std::int32_t>{&index, 1}, two));
  CHECK(index >= 0);
}

TEST_CASE("limits, host: lists of neighbors as edges", "[limits][host]") {
  std::int32_t narrow = 0;
  auto const edges = [&](limit_batch const& points, limit_batch const& queries, farpoint::neighbor_lists<float> lists,
                         farpoint::index_span ends) {
    return neighbor_edges(exec, points, queries, lists, farpoint::edge_flow::source_to_target, {ends, ends}, {});
  };
  auto const table = [&](index_t queries, index_t k, index_t entries) {
    farpoint::neighbor_lists<float> const lists{absent<std::int32_t const>(entries), k};
    return edges(one_cloud(10), one_cloud(queries), lists, {});
  };
  // At the limits the call refuses the workspace, which is missing.
  check_limit(max_narrow, "neighbor_edges: lists.k is negative or above 2^31 - 1",
              [&](index_t k) { return table(1, k, k); });
  check_limit(index_t{1} << 40, "neighbor_edges: more than 2^40 entries of lists",
              [&](index_t entries) { return table(entries, 1, entries); });
  char const* const wide = "neighbor_edges: more than 2^31 - 1 points need 64-bit indices";
  farpoint::index_span const ends{span<std::int32_t>{&narrow, 1}};
  check_limit(max_narrow, wide, [&](index_t points) {
    return edges(one_cloud(points), one_cloud(1), {absent<std::int32_t const>(1), 1}, ends);
  });
  check_limit(max_narrow, wide, [&](index_t queries) {
    return edges(one_cloud(1), one_cloud(queries), {absent<std::int32_t const>(queries), 1}, ends);
  });
  check_limit(max_narrow, "neighbor_edges: more than 2^31 - 1 clouds, or 2^48 points", [&](index_t clouds) {
    return edges(empty_clouds(clouds), one_cloud(0), {{}, 1}, {});
  });
  std::size_t bytes = 7;
  CHECK(farpoint::neighbor_edges_workspace_bound(exec, index_t{1} << 40, bytes));
  std::size_t const most = bytes;
  CHECK(std::string{farpoint::neighbor_edges_workspace_bound(exec, (index_t{1} << 40) + 1, bytes).reason} ==
        "neighbor_edges: the number of entries is negative or above 2^40");
  CHECK(bytes == most);
}

TEST_CASE("limits, host: windows of points", "[limits][host]") {
  constexpr index_t most = index_t{1} << 30;
  farpoint::point_window<float> window;
  check_limit(most, "point_window_clear: the capacity is negative or above 2^30",
              [&](index_t capacity) { return point_window_clear(exec, capacity, {}, window); });
  farpoint::host_scratch const memory{farpoint::point_window_bytes<float>(exec, 4)};
  REQUIRE(point_window_clear(exec, 4, memory, window));
  farpoint::point_bvh<float> index;
  // At the limits the call refuses the box, which is checked after them.
  farpoint::slide_params<float> no_box;
  no_box.box.low[0] = std::numeric_limits<float>::quiet_NaN();
  auto const slide = [&](index_t capacity, index_t points, auto const& params, farpoint::index_span sources) {
    auto large = window;
    large.points = {window.points.data(), static_cast<std::size_t>(3 * capacity)};
    large.index = {window.index.data(), std::size_t{1} << 62};
    return point_window_slide(exec, large, one_cloud(points), params, {sources, nullptr}, {}, index);
  };
  check_limit(most, "point_window_slide: a scan of more than 2^30 points",
              [&](index_t points) { return slide(4, points, no_box, {}); });
  check_limit(most, "point_window: a capacity of more than 2^30 points",
              [&](index_t capacity) { return slide(capacity, 1, no_box, {}); });
  std::int32_t source = -7;
  span<std::int32_t> const sources{&source, static_cast<std::size_t>(most)};
  farpoint::slide_params<float> const every_point;
  CHECK(std::string{slide(most, most, every_point, sources).reason} ==
        "point_window_slide: a capacity and a scan of 2^30 points need 64-bit sources");
  CHECK(source == -7);
  CHECK(window.offsets[1] == 0);
}

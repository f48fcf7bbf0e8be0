// Searches among the points of a BVH that is built once, and consumers of neighborhoods. 20,000 queries are put in
// order along a curve; 1,000 are answered as they come.
#include <farpoint/knn.cuh>
#include <farpoint/knn.hpp>
#include <farpoint/point_bvh.cuh>
#include <farpoint/point_bvh.hpp>
#include <farpoint/radius.cuh>
#include <farpoint/radius.hpp>
#include <farpoint/search/for_each_neighborhood.cuh>
#include <farpoint/search/for_each_neighborhood.hpp>

#include "two_sides.cuh"

using namespace farpoint_tests;
using farpoint::knn_params;

namespace {

constexpr std::size_t points = 30000, k = 8;

template <class Side, class T>
using array_of = typename Side::template array<T>;

/// Index that build_point_bvh() sets on a side.
template <class Side>
using index_of = std::conditional_t<std::is_same_v<Side, device_side>, farpoint::device_point_bvh<float>,
                                    farpoint::point_bvh<float>>;

/// `call(side, points, queries, count)` on both sides, for few queries and for many.
template <class Call>
void check_queries(Call const& call) {
  std::vector<float> const from = cube_of(points);
  for (index_t const count : {1000, 20000}) {
    CAPTURE(count);
    std::vector<float> const to = cube_of(count, 2);
    check_both_sides([&](auto side) {
      array_of<decltype(side), float> const xyz{from}, asked{to};
      return call(side, clouds_in(xyz), clouds_in(asked), static_cast<std::size_t>(count));
    });
  }
}

/// `call(side, index, points, queries, count)` on both sides, with the index of the points.
template <class Call>
void check_built_index(Call const& call) {
  check_queries([&](auto const& side, auto const& cloud, auto const& others, std::size_t count) {
    using side_type = std::decay_t<decltype(side)>;
    array_of<side_type, unsigned char> const memory{point_bvh_bytes(side.exec(), cloud)};
    index_of<side_type> index;
    REQUIRE(build_point_bvh(side.exec(), cloud, all_of(memory), index));
    auto const written = call(side, index, cloud, others, count);
    CHECK(memory.intact());
    return written;
  });
}

/// Writes the nearest index of a query, and the sum of the squared distances of its list.
struct nearest_and_sum {
  std::int32_t* nearest;  ///< `[queries]`
  float* sums;            ///< `[queries]`

  FARPOINT_HD void operator()(farpoint::neighborhood_query<float> const& query,
                              farpoint::neighborhood<float, k> const& list) const {
    float sum = 0;
    list.for_each([&](std::uint32_t, float distance2) { sum = farpoint::add_rn(sum, distance2); });
    nearest[query.row] = static_cast<std::int32_t>(list[0].index());
    sums[query.row] = sum;
  }
  FARPOINT_HD void leave_empty(index_t row) const {
    nearest[row] = -1;
    sums[row] = 0;
  }
};

}  // namespace

TEST_CASE("compiled for another GPU: knn of few and of many other queries, by points and by a built index",
          "[knn][point_bvh][device]") {
  check_built_index([](auto const& side, auto const& index, auto const& cloud, auto const& others, std::size_t count) {
    using side_type = std::decay_t<decltype(side)>;
    constexpr index_t size = k;
    array_of<side_type, std::int32_t> const found{count * k}, by_index{count * k};
    array_of<side_type, float> const distances{count * k}, by_index_distances{count * k};
    array_of<side_type, unsigned char> const memory{knn_workspace_bytes(side.exec(), cloud, others, knn_params{size})};
    array_of<side_type, unsigned char> const index_memory{knn_workspace_bytes(side.exec(), index, others)};
    REQUIRE(knn(side.exec(), cloud, others, knn_params{size}, {all_of(found), all_of(distances)}, all_of(memory)));
    REQUIRE(knn(side.exec(), index, others, knn_params{size}, {all_of(by_index), all_of(by_index_distances)},
                all_of(index_memory)));
    side.wait();
    return written_to(found, distances, by_index, by_index_distances);
  });
}

TEST_CASE("compiled for another GPU: radius and radius_rows by a built index", "[radius][point_bvh][device]") {
  farpoint::radius_params params;
  params.radius = 1.5;
  params.max_neighbors = 16;
  check_built_index([&](auto const& side, auto const& index, auto const& cloud, auto const& others, std::size_t count) {
    using side_type = std::decay_t<decltype(side)>;
    constexpr std::size_t longest = 16, capacity = 1 << 19;
    array_of<side_type, std::int32_t> const lists{count * longest}, counts{count}, offsets{count + 1}, rows{capacity};
    array_of<side_type, unsigned char> const memory{radius_workspace_bytes(side.exec(), index, others)};
    array_of<side_type, unsigned char> const row_memory{radius_workspace_bytes(side.exec(), index, cloud, others)};
    REQUIRE(radius(side.exec(), index, others, params, {all_of(lists), {}, all_of(counts)}, all_of(memory)));
    REQUIRE(
        radius_rows(side.exec(), index, cloud, others, params, {all_of(offsets), all_of(rows)}, all_of(row_memory)));
    side.wait();
    return written_to(lists, counts, offsets, rows);
  });
}

TEST_CASE("compiled for another GPU: for_each_neighborhood of points, of other queries, and by a built index",
          "[for_each_neighborhood][device]") {
  check_built_index([](auto const& side, auto const& index, auto const& cloud, auto const& others, std::size_t count) {
    using side_type = std::decay_t<decltype(side)>;
    constexpr int size = k;
    array_of<side_type, std::int32_t> const own{points}, found{count}, by_index{count};
    array_of<side_type, float> const own_sums{points}, sums{count}, by_index_sums{count};
    array_of<side_type, unsigned char> const own_memory{knn_workspace_bytes(side.exec(), cloud, knn_params{size})};
    array_of<side_type, unsigned char> const memory{knn_workspace_bytes(side.exec(), cloud, others, knn_params{size})};
    array_of<side_type, unsigned char> const index_memory{knn_workspace_bytes(side.exec(), index, others)};
    REQUIRE(farpoint::for_each_neighborhood<size>(side.exec(), cloud, {}, nearest_and_sum{own.data(), own_sums.data()},
                                                  all_of(own_memory)));
    REQUIRE(farpoint::for_each_neighborhood<size>(side.exec(), cloud, others, {},
                                                  nearest_and_sum{found.data(), sums.data()}, all_of(memory)));
    REQUIRE(farpoint::for_each_neighborhood<size>(
        side.exec(), index, others, {}, nearest_and_sum{by_index.data(), by_index_sums.data()}, all_of(index_memory)));
    side.wait();
    return written_to(own, own_sums, found, sums, by_index, by_index_sums);
  });
}

// Queries that are not the points, on cuda_exec: every order of the queries and every way to search, against the host's
// answer or brute force, bit for bit.
#include <farpoint/knn.hpp>
#include <farpoint/radius.cuh>

#include "../../support/catch.hpp"
#include "../../support/check_answer.hpp"

#include "../../support/device/stream_citizen.cuh"
#include "knn_on_device.cuh"

using namespace farpoint_tests;

namespace {

/// Packets are traversed together, or each lane traverses for its own query, or the spread of a packet decides.
struct always_together : small_tiles {
  static constexpr float max_spread = farpoint::detail::infinity<float>;
  static constexpr float max_spread_in_order = farpoint::detail::infinity<float>;
  static constexpr index_t per_lane_below = 0;
};
struct always_per_lane : small_tiles {
  static constexpr float max_spread = -1;
  static constexpr float max_spread_in_order = -1;
};
struct always_by_spread : small_tiles {
  static constexpr index_t per_lane_below = 0;
};
/// One query to a warp.
struct one_to_a_warp : small_tiles {
  static constexpr index_t warp_per_query_below = index_t{1} << 40;
};
/// A BVH of the queries, however few they are.
struct always_own_order : small_tiles {
  static constexpr index_t own_order_share = index_t{1} << 40;
};

/// Order of the queries in memory.
enum class query_order { random, sorted };

template <class Problem>
auto host_knn(Problem const& problem) {
  return collect_knn(problem, [&](auto const& output) {
    farpoint::host_exec const exec;
    auto const points = clouds_in_place(problem.points);
    auto const queries = clouds_in_place(problem.queries);
    farpoint::detail::host_workspace const workspace{
        farpoint::knn_workspace_bytes(exec, points, queries, problem.nearest())};
    return farpoint::knn(exec, points, queries, problem.nearest(), output, workspace.get());
  });
}

/// The answer by a built index, with a workspace or without.
template <class Selector, class Problem>
auto by_index(Problem const& problem, bool has_workspace) {
  knn_call<Problem, std::int32_t, Selector> call{problem};
  return run_call(call, [&](cudaStream_t stream) { return call.enqueue_with_index(stream, has_workspace); });
}

/// Checks one selector: points in the call, and a built index with a workspace and without.
template <class Selector, class Problem, class Answer>
void check_selector(Problem const& problem, Answer const& expected, char const* name) {
  INFO(name);
  auto const in_call = knn_on_device<Selector, std::int32_t>(problem);
  check_answer(in_call, expected, "points in the call");
  auto const with = by_index<Selector>(problem, true);
  check_answer(with, expected, "by an index, with a workspace");
  auto const without = by_index<Selector>(problem, false);
  check_answer(without, expected, "by an index, without a workspace");
}

template <class Problem>
void check_all(Problem const& problem) {
  auto const expected = host_knn(problem);
  check_selector<farpoint::knn_selector>(problem, expected, "default");
  check_selector<always_together>(problem, expected, "together");
  check_selector<always_per_lane>(problem, expected, "per lane");
  check_selector<always_by_spread>(problem, expected, "by spread");
  check_selector<always_own_order>(problem, expected, "own order");
  check_selector<one_to_a_warp>(problem, expected, "one to a warp");
}

/// Queries of a shape; some far away, and some at points.
xyz_cloud other_points(shape which, xyz_cloud const& points, std::size_t n, query_order order, std::uint64_t seed) {
  auto queries = make_cloud(which, n, seed);
  for (std::size_t i = 0; i < n; i += 7) {
    for (auto& c : queries[i]) c = c * 16 - 8;
  }
  for (std::size_t i = 3; i < n && !points.empty(); i += 11) queries[i] = points[i * 7919 % points.size()];
  // Non-finite numbers have no order: they go last.
  auto const is_before = [](xyz const& a, xyz const& b) {
    bool const finite_a = std::isfinite(a[0] + a[1] + a[2]);
    bool const finite_b = std::isfinite(b[0] + b[1] + b[2]);
    return finite_a && finite_b ? a < b : finite_a && !finite_b;
  };
  if (order == query_order::sorted) std::sort(queries.begin(), queries.end(), is_before);
  return queries;
}

template <class Coord>
void check_shapes(std::vector<index_t> const& neighbors, std::size_t points, std::size_t queries) {
  for (shape const which : all_shapes) {
    for (query_order const order : {query_order::random, query_order::sorted}) {
      auto const cloud = make_cloud(which, points, 3);
      for (index_t const k : neighbors) {
        knn_problem<Coord> problem{cloud, k};
        problem.ask(other_points(which, cloud, queries, order, 4));
        CAPTURE(static_cast<int>(which), static_cast<int>(order), k);
        check_all(problem);
      }
    }
  }
}

}  // namespace

TEST_CASE("external queries, device: every shape, float", "[knn][external][device]") {
  check_shapes<float>({1, 3, 8}, 5000, 3000);
}

TEST_CASE("external queries, device: long lists, float", "[knn][external][device]") {
  for (shape const which : {shape::cube, shape::rings, shape::lattice, shape::all_equal}) {
    auto const cloud = make_cloud(which, 5000, 3);
    for (index_t const k : {16, 32, 50, 64, 100}) {
      knn_problem<float> problem{cloud, k};
      problem.ask(other_points(which, cloud, 1500, query_order::random, 4));
      CAPTURE(static_cast<int>(which), k);
      check_all(problem);
    }
  }
}

TEST_CASE("external queries, device: every shape, double", "[knn][external][device]") {
  check_shapes<double>({1, 8, 20}, 3000, 1000);
}

TEST_CASE("external queries, device: many random and sorted queries, and few", "[knn][external][device][large]") {
  for (shape const which : {shape::cube, shape::rings, shape::far_clusters, shape::duplicates}) {
    for (query_order const order : {query_order::random, query_order::sorted}) {
      for (std::size_t const queries : {200001u, 20000u, 700u, 1u}) {
        auto const cloud = make_cloud(which, 200000, 5);
        knn_problem<float> problem{cloud, 8};
        problem.ask(other_points(which, cloud, queries, order, 6));
        CAPTURE(static_cast<int>(which), static_cast<int>(order), queries);
        check_all(problem);
      }
    }
  }
}

TEST_CASE("external queries, device: all far away, and a few points", "[knn][external][device][sanitize]") {
  for (std::size_t const points : {0u, 1u, 7u, 8u, 9u, 64u, 65u, 600u}) {
    knn_problem<float> problem{make_cloud(shape::cube, points, 7), 8};
    auto queries = make_cloud(shape::cube, 400, 8);
    for (auto& q : queries) {
      for (auto& c : q) c = 1e6 * c - 5e5;
    }
    problem.ask(queries);
    CAPTURE(points);
    check_all(problem);
  }
}

TEST_CASE("external queries, device: a radius and exclusions", "[knn][external][device][sanitize]") {
  for (shape const which : {shape::cube, shape::lattice, shape::duplicates, shape::non_finite}) {
    for (double const radius : {0.0, 0.05, 1.0, 1e9}) {
      for (bool const exclude : {false, true}) {
        auto const cloud = make_cloud(which, 2000, 9);
        knn_problem<float> problem{cloud, 5};
        problem.ask(other_points(which, cloud, 1000, query_order::random, 10));
        problem.limits.max_radius = radius;
        problem.limits.exclude_self = exclude;
        CAPTURE(static_cast<int>(which), radius, exclude);
        check_all(problem);
      }
    }
  }
}

TEST_CASE("external queries, device: half of the points and of the queries in one place", "[knn][external][device]") {
  auto cloud = make_cloud(shape::cube, 20000, 11);
  auto queries = make_cloud(shape::cube, 20000, 12);
  for (std::size_t i = 0; i < cloud.size(); i += 2) cloud[i] = queries[i] = {0.5, 0.5, 0.5};
  for (index_t const k : {1, 8, 32}) {
    knn_problem<float> problem{cloud, k};
    problem.ask(queries);
    CAPTURE(k);
    check_all(problem);
  }
}

TEST_CASE("external queries, device: batches of clouds, some of them empty", "[knn][external][device][sanitize]") {
  auto const cloud = make_cloud(shape::non_finite, 3000, 13);
  auto const queries = other_points(shape::non_finite, cloud, 2500, query_order::random, 14);
  for (index_t const k : {4, 40}) {
    knn_problem<float> problem{cloud, k};
    problem.ask(queries);
    problem.points.clouds = problem.queries.clouds = 5;
    CAPTURE(k);
    check_all(problem);
    problem.points.offsets = {0, 0, 3, 3, 40, 48, 57, 2000, 3000};
    problem.queries.offsets = {0, 4, 8, 11, 20, 31, 32, 60, 2490};
    check_all(problem);
    // Wrong offsets of the queries: all rows are empty.
    for (auto const& offsets :
         {std::vector<index_t>{0, 4, 8, 2, 20, 31, 32, 60, 2490}, {0, 0, 0, 0, 0, 0, 0, 0, 2501}}) {
      problem.queries.offsets = offsets;
      check_all(problem);
    }
    problem.points.offsets.clear();
  }
}

TEST_CASE("external queries, device: a captured call replays on other queries", "[knn][external][device][graph]") {
  std::vector<knn_problem<float>> problems;
  for (shape const which : {shape::cube, shape::rings, shape::all_equal, shape::non_finite}) {
    auto const cloud = make_cloud(which, 3000, 15);
    problems.emplace_back(cloud, 5);
    problems.back().ask(other_points(which, cloud, 4000, query_order::random, 16));
  }
  knn_call<knn_problem<float>, std::int32_t> call{problems[0]};
  check_list_replays(
      call, problems, [&](cudaStream_t stream) { return call.enqueue(stream); },
      [](auto const& problem) { return host_knn(problem); });
}

TEST_CASE("external queries, device: bytes of a workspace are bounded", "[knn][external][device]") {
  farpoint::cuda_exec const exec{cudaStream_t{}};
  auto const view = [](index_t n) { return farpoint::point_view<float>{reinterpret_cast<void const*>(256), n}; };
  auto const check_bound = [&](auto selector) {
    using selector_type = decltype(selector);
    for (index_t const clouds : {1, 7}) {
      for (index_t const points : {0, 70, 7000, 700000}) {
        for (index_t const queries : {0, 7, 7000, 70000, 7000000}) {
          CAPTURE(clouds, points, queries);
          auto const p = farpoint::batch<farpoint::point_view<float>>::regular(view(points), clouds);
          auto const q = farpoint::batch<farpoint::point_view<float>>::regular(view(queries), clouds);
          std::size_t bound = 0;
          REQUIRE(farpoint::knn_workspace_bound<farpoint::point_view<float>, selector_type>(
              exec, {points, clouds, queries}, bound));
          CHECK(farpoint::knn_workspace_bytes<selector_type>(exec, p, q, knn_params{8}) <= bound);
          std::size_t higher = 0;
          REQUIRE(farpoint::knn_workspace_bound<farpoint::point_view<float>, selector_type>(
              exec, {points + 1, clouds + 1, queries + 1000}, higher));
          CHECK(higher >= bound);
          REQUIRE(farpoint::radius_workspace_bound<farpoint::point_view<float>, selector_type>(
              exec, {points, clouds, queries}, bound));
          CHECK(farpoint::radius_workspace_bytes<selector_type>(exec, p, q) <= bound);
        }
      }
    }
  };
  check_bound(farpoint::knn_selector{});
  check_bound(always_own_order{});
}

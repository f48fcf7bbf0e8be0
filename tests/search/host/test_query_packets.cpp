// Queries that the host answers in packets, and queries that leave their packet and continue alone.
#include <farpoint/knn.hpp>
#include <farpoint/point_bvh.hpp>

#include "../../support/catch.hpp"
#include "../../support/check_answer.hpp"
#include "../../support/random.hpp"
#include "../knn_problem.hpp"

#include <algorithm>
#include <cmath>

using namespace farpoint_tests;
using farpoint::no_index;

namespace {

/// Returns random points of a cloud, slightly displaced, as queries of a registration are.
xyz_cloud moved(xyz_cloud cloud, std::size_t size, std::uint64_t seed) {
  random_source random{seed};
  xyz_cloud const all = cloud;
  cloud.clear();
  while (cloud.size() < size) cloud.push_back(all[random.next() % all.size()]);
  for (xyz& p : cloud) p = {p[0] * 1.01 + 0.001, p[1] * 0.99, p[2]};
  return cloud;
}

/// @param sorted  whether the call sorts all queries first, if they are not the points
template <class Problem>
auto knn_in_packets(Problem const& problem, bool sorted) {
  return collect_knn(problem, [&](auto const& output) {
    host_exec const exec{1};
    auto const points = clouds_in_place(problem.points);
    host_workspace const memory{point_bvh_bytes(exec, points)};
    farpoint::point_bvh<typename Problem::scalar> index;
    if (auto const built = build_point_bvh(exec, points, memory.get(), index); !built) return built;
    if (problem.self) return knn(exec, index, points, problem.nearest(), output);
    auto const queries = clouds_in_place(problem.queries);
    host_workspace const workspace{sorted ? knn_workspace_bytes(exec, index, queries) : 0};
    return knn(exec, index, queries, problem.nearest(), output, workspace.get());
  });
}

/// A cloud and its BVH.
template <class Scalar>
struct indexed_cloud {
  explicit indexed_cloud(xyz_cloud const& cloud) : points{cloud, 0} {
    auto const clouds = clouds_in_place(points);
    memory = host_workspace{point_bvh_bytes(host_exec{1}, clouds)};
    REQUIRE(build_point_bvh(host_exec{1}, clouds, memory.get(), index));
  }
  farpoint::vec<Scalar, 3> operator[](index_t i) const { return clouds_in_place(points)[0][i]; }

  fps_problem<Scalar> points;
  host_workspace memory{0};
  farpoint::point_bvh<Scalar> index;
};

/// A cloud's BVH, one block of queries, and the parameters of the search.
template <class Scalar>
struct block_problem {
  using key = farpoint::neighbor_key<Scalar>;
  using list = std::vector<std::pair<Scalar, std::uint32_t>>;

  explicit block_problem(xyz_cloud const& points, int k, std::uint64_t seed) : cloud{points}, request{k, 0, false} {
    auto const index = cloud.index[0];
    request.radius2 = std::numeric_limits<Scalar>::infinity();
    random_source random{seed};
    // Runs of adjacent queries, as in a window, with jumps between them.
    block.count = std::min(1024 / k, block.most);
    for (int i = 0; i < block.count; ++i) {
      auto const leaf = static_cast<std::uint32_t>(random.next() % index.leaf_count());
      std::uint32_t const of = i % 24 == 0 ? leaf : near;
      near = of;
      block.at[i] = index.leaf(of).at(0);
      block.at[i][0] += Scalar(1e-3f) * static_cast<Scalar>(random.next() % 64);
      block.start[i] = i % 3 == 0 ? of : no_index;
      block.index[i] = i;
    }
  }

  list answer(farpoint::detail::knn_function<Scalar, key> pass) const {
    std::vector<key> keys(static_cast<std::size_t>((block.count + 1) * request.k));
    auto queries = block;
    pass(cloud.index[0], queries, request, keys.data());
    list lists;
    for (auto const& k : keys) lists.emplace_back(k.distance2(), k.index());
    lists.resize(static_cast<std::size_t>(block.count * request.k));
    return lists;
  }

  indexed_cloud<Scalar> cloud;
  farpoint::detail::knn_request<Scalar> request;
  farpoint::detail::query_block<Scalar> block{};
  std::uint32_t near = 0;
};

/// Compares the code paths of all instruction sets that this processor supports and the compiler flags do not already
/// select.
template <class Scalar>
void compare_processors(xyz_cloud const& cloud, int k, std::uint64_t seed) {
  using namespace farpoint::detail;
  using list = farpoint::topk_sorted<farpoint::neighbor_key<Scalar>>;
  using pass = knn_pass<Scalar, list, packet_rows>;
  CAPTURE(k, seed, sizeof(Scalar));
  block_problem<Scalar> const problem{cloud, k, seed};
  auto const expected = problem.answer(run_portable<pass>);
#if defined(FARPOINT_DISPATCHES_TO_AVX2)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    CHECK(problem.answer(run_avx2<pass>) == expected);
  }
#endif
#if defined(FARPOINT_DISPATCHES_TO_AVX512)
  if (__builtin_cpu_supports("avx512vl")) CHECK(problem.answer(run_avx512<pass>) == expected);
#endif
  // Each query alone, without packets.
  CHECK(problem.answer(run_portable<knn_pass<Scalar, list>>) == expected);
}

/// Pairs of index and squared distance.
template <class Scalar>
using numbered = std::vector<std::pair<std::uint32_t, Scalar>>;

template <class Scalar>
numbered<Scalar> shown_within(indexed_cloud<Scalar> const& cloud, farpoint::vec<Scalar, 3> const& q, Scalar radius2) {
  numbered<Scalar> shown;
  cloud.index[0].within(q, radius2, [&](std::uint32_t i, Scalar d) { shown.emplace_back(i, d); });
  std::sort(shown.begin(), shown.end());
  return shown;
}

template <class Scalar>
numbered<Scalar> all_within(indexed_cloud<Scalar> const& cloud, farpoint::vec<Scalar, 3> const& q, Scalar radius2) {
  numbered<Scalar> all;
  for (index_t i = 0; i < cloud.points.points; ++i) {
    if (!farpoint::is_finite(cloud[i])) continue;
    Scalar d = 0;
    for (int axis = 0; axis < 3; ++axis) d = std::fma(cloud[i][axis] - q[axis], cloud[i][axis] - q[axis], d);
    if (d <= radius2) all.emplace_back(static_cast<std::uint32_t>(i), d);
  }
  return all;
}

template <class Scalar>
void check_within(xyz_cloud const& points, std::uint64_t seed) {
  CAPTURE(seed, sizeof(Scalar), points.size());
  indexed_cloud<Scalar> const cloud{points};
  random_source random{seed};
  auto const any = [&] { return cloud[random.below(cloud.points.points)]; };
  for (int turn = 0; turn < 12; ++turn) {
    CAPTURE(turn);
    auto const q = any();
    // The radius is inclusive.
    auto const radius2 = turn == 0 ? Scalar(0) : turn == 1 ? farpoint::detail::infinity<Scalar> : distance2(q, any());
    if (!farpoint::is_finite(q) || std::isnan(radius2)) continue;
    CHECK(shown_within(cloud, q, radius2) == all_within(cloud, q, radius2));
  }
}

/// Kinds of functions that within() accepts.
int shown_to_function = 0;
void count_shown(std::uint32_t, float) {
  ++shown_to_function;
}
struct shown_counter {
  int& count;
  void operator()(std::uint32_t, float) const { ++count; }
};

void check_packets(knn_problem<float> const& problem, knn_answer<float> const& expected) {
  for (bool const sorted : {false, true}) {
    auto const found = knn_in_packets(problem, sorted);
    CAPTURE(sorted);
    check_answer(found, expected);
  }
}
void check_packets(knn_problem<float> const& problem) {
  check_packets(problem, reference_knn(problem));
}

}  // namespace

TEST_CASE("packets of queries: the k nearest of every kind of cloud", "[knn][host]") {
  for (shape const which : all_shapes) {
    // Brute force takes its time.
    auto const cloud = make_cloud(which, for_memory ? 500 : 900, 5);
    CAPTURE(static_cast<int>(which));
    for (bool const self : {true, false}) {
      knn_problem<float> problem{cloud, 1};
      if (!self) problem.ask(moved(cloud, 2200, 7));  // more than a window
      problem.limits.exclude_self = which == shape::duplicates || which == shape::cube;
      problem.k = 33;
      auto const most = reference_knn(problem);
      for (index_t const k : {1, 10, 17, 33}) {
        problem.k = k;
        CAPTURE(self, k);
        check_packets(problem, first_neighbors(most, 33, k));
      }
    }
  }
}

TEST_CASE("packets of queries: within a radius that some have no neighbors in", "[knn][host]") {
  auto const cloud = make_cloud(shape::clusters, 2000, 3);
  knn_problem<float> problem{cloud, 12};
  problem.ask(moved(cloud, 700, 11));
  for (double const radius : {0.0, 0.02, 0.5}) {
    problem.limits.max_radius = radius;
    CAPTURE(radius);
    check_packets(problem);
  }
}

TEST_CASE("packets of queries: far away from all points, and non-finite ones between them", "[knn][host]") {
  auto const cloud = make_cloud(shape::cube, 1000, 3);
  xyz_cloud asked;
  random_source random{9};
  for (int i = 0; i < 3000; ++i) {
    double const far = std::pow(10.0, static_cast<double>(random.next() % 24));
    double const unit = static_cast<double>(random.next() % 1000) / 1000;
    asked.push_back({i % 7 == 0 ? std::nan("") : far * unit, i % 11 == 0 ? -far : unit, unit});
  }
  knn_problem<float> problem{cloud, 4};
  problem.ask(asked);
  check_packets(problem);
}

TEST_CASE("packets of queries: clouds of no points and of few", "[knn][host]") {
  for (std::size_t const n : {0, 1, 7, 8, 9, 64, 65}) {
    auto const cloud = make_cloud(shape::cube, n, 3);
    for (index_t const k : {1, 12, 32, 40, 100}) {
      knn_problem<float> problem{cloud, k};
      problem.ask(make_cloud(shape::cube, 100, 4));
      CAPTURE(n, k);
      check_packets(problem);
    }
  }
  knn_problem<float> nowhere{xyz_cloud(20, xyz{std::nan(""), 0, 0}), 3};
  nowhere.ask(make_cloud(shape::cube, 100, 4));
  check_packets(nowhere);
}

TEST_CASE("packets of queries: the same bits from code for every processor", "[knn][host]") {
  for (shape const which :
       {shape::cube, shape::lattice, shape::all_equal, shape::rings, shape::utm, shape::subnormal}) {
    auto const cloud = make_cloud(which, 4000, 13);
    CAPTURE(static_cast<int>(which));
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      for (int const k : {1, 10, 32}) {
        compare_processors<float>(cloud, k, seed);
        compare_processors<double>(cloud, k, seed);
      }
    }
  }
}

TEST_CASE("one query at a time: nearest() is what knn() says", "[knn][host]") {
  CHECK(farpoint::point_bvh_ref<float>{}.nearest<3>({{0, 0, 0}}).empty());
  for (shape const which : all_shapes) {
    auto const cloud = make_cloud(which, 1200, 21);
    CAPTURE(static_cast<int>(which));
    knn_problem<float> problem{cloud, 5};
    problem.ask(moved(cloud, 300, 23));
    auto const expected = reference_knn(problem);
    auto const points = clouds_in_place(problem.points);
    auto const queries = clouds_in_place(problem.queries);
    host_workspace const memory{point_bvh_bytes(host_exec{1}, points)};
    farpoint::point_bvh<float> index;
    REQUIRE(build_point_bvh(host_exec{1}, points, memory.get(), index));
    for (index_t i = 0; i < queries.points().size(); ++i) {
      auto const q = queries[0][i];
      if (!farpoint::is_finite(q)) continue;
      auto const list = index[0].nearest<5>(q);
      auto const first = index[0].nearest<1>(q);
      auto const row = static_cast<std::size_t>(5 * i);
      CHECK(first.size() == std::min(list.size(), 1));
      for (int j = 0; j < list.size(); ++j) {
        CHECK(static_cast<index_t>(list[j].index()) == expected.indices[row + static_cast<std::size_t>(j)]);
        CHECK(list[j].distance2() == expected.distances[row + static_cast<std::size_t>(j)]);
      }
      if (!first.empty()) CHECK(first[0].index() == list[0].index());
      CHECK(list.size() ==
            (expected.counts.empty() ? list.size() : static_cast<int>(expected.counts[static_cast<std::size_t>(i)])));
    }
  }
}

TEST_CASE("one query at a time: within() shows what brute force finds", "[radius][host]") {
  for (shape const which : all_shapes) {
    CAPTURE(static_cast<int>(which));
    for (std::size_t const size : {1u, 9u, 700u, 1531u}) {
      check_within<float>(make_cloud(which, size, 3), 17);
      check_within<double>(make_cloud(which, size, 3), 18);
    }
  }
}

TEST_CASE("one query at a time: within() takes functions, constant objects and temporaries", "[radius][host]") {
  indexed_cloud<float> const cloud{make_cloud(shape::cube, 1100, 3)};
  auto const index = cloud.index[0];
  farpoint::vec<float, 3> const q{{0.5f, 0.5f, 0.5f}};
  int count = 0;
  shown_counter const counter{count};
  index.within(q, 3, counter);
  CHECK(count == 1100);
  index.within(q, 3, shown_counter{count});
  CHECK(count == 2200);
  index.within(q, 3, count_shown);
  CHECK(shown_to_function == 1100);
  farpoint::point_bvh_ref<float>{}.within(q, 3, counter);
  CHECK(count == 2200);
}

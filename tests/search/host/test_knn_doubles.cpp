// knn() of doubles on the host, which compares the high bits of each distance first, against brute force of this file's
// own.
#include <farpoint/knn.hpp>
#include <farpoint/point_bvh.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include "../../support/catch.hpp"
#include "../../support/for_each_seed.hpp"
#include "../../support/host_array.hpp"
#include "../../support/random.hpp"
#include "../../support/team_tuning.hpp"
#include "../../support/test_scale.hpp"
#include "../search_tuned.hpp"

using namespace farpoint_tests;
using farpoint::batch;
using farpoint::index_t;
using farpoint::knn_params;

namespace {

using xyz = std::array<double, 3>;
using neighbor = std::pair<double, std::int32_t>;

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr int kinds = 14;

/// A number of [0, 1) with all bits of a double.
double unit(random_source& random) {
  return static_cast<double>(random.next() >> 11) * 0x1p-53;
}

/// One coordinate of a cloud of some kind.
double coordinate(int kind, int axis, random_source& random) {
  double const u = unit(random);
  double const sign = random.below(2) == 0 ? -1 : 1;
  switch (kind) {
    case 0: return u;
    case 1: return static_cast<double>(random.below(5));        // ties of all lengths
    case 2: return 0.1 * static_cast<double>(random.below(6));  // ties but for the last bits
    case 3: return 1.5;
    case 4: return (axis == 0 ? 4.5e5 : 5.4e6) + std::floor(u * 1e4) * 1e-3;              // UTM, millimeters
    case 5: return axis == 0 ? 1 + 0x1p-52 * static_cast<double>(random.below(64)) : 0;   // next doubles
    case 6: return axis == 0 ? 1 + 0x1p-30 * u : static_cast<double>(random.below(2));    // equal floats
    case 7: return sign * u * 1e200;                                                      // overflow
    case 8: return sign * u * std::sqrt(std::numeric_limits<double>::max());              // some overflow
    case 9: return sign * u * 1e-170;                                                     // underflow
    case 10: return sign * u * 1e-154;                                                    // subnormal squares
    case 11: return sign * u * 1e30;                                                      // above a float
    case 12: return sign * std::pow(10.0, static_cast<double>(random.below(600) - 300));  // all scales
    default: return random.below(8) == 0 ? std::nan("") : random.below(8) == 0 ? sign * infinite : u;  // not finite
  }
}

std::vector<xyz> make_cloud_of(int kind, index_t size, random_source& random) {
  std::vector<xyz> cloud(static_cast<std::size_t>(size));
  for (auto& p : cloud) {
    for (int axis = 0; axis < 3; ++axis) p[static_cast<std::size_t>(axis)] = coordinate(kind, axis, random);
  }
  bool const repeats = random.below(3) == 0;
  for (std::size_t i = 1; repeats && i < cloud.size(); i += 1 + random.next() % 3) cloud[i] = cloud[random.next() % i];
  return cloud;
}

bool is_finite_xyz(xyz const& p) {
  return std::isfinite(p[0]) && std::isfinite(p[1]) && std::isfinite(p[2]);
}

struct problem {
  std::vector<xyz> points;
  std::vector<xyz> queries;
  bool self;
  farpoint::neighborhood_params limits;
  index_t k;

  knn_params nearest() const { return limits.with_k(k); }
  std::vector<xyz> const& asked() const { return self ? points : queries; }
};

struct answer {
  std::vector<std::int32_t> indices;
  std::vector<double> distances;
  std::vector<std::int32_t> counts;

  explicit answer(problem const& p)
      : indices(p.asked().size() * static_cast<std::size_t>(p.k), -1),
        distances(indices.size(), infinite),
        counts(p.asked().size(), 0) {}
  farpoint::knn_output<double> output() { return {indices, distances, counts, nullptr}; }

  friend bool operator==(answer const& a, answer const& b) {
    return std::tie(a.indices, a.distances, a.counts) == std::tie(b.indices, b.distances, b.counts);
  }
};

/// Sorts all points for each query.
answer by_brute_force(problem const& p) {
  answer expected{p};
  double const radius2 = p.limits.max_radius * p.limits.max_radius;
  auto const k = static_cast<std::size_t>(p.k);
  for (std::size_t row = 0; row < p.asked().size(); ++row) {
    xyz const& q = p.asked()[row];
    std::vector<neighbor> all;
    for (std::size_t i = 0; i < p.points.size() && is_finite_xyz(q); ++i) {
      if (!is_finite_xyz(p.points[i]) || (p.limits.exclude_self && i == row)) continue;
      double d = 0;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        double const step = p.points[i][axis] - q[axis];
        d = std::fma(step, step, d);
      }
      if (d <= radius2) all.emplace_back(d, static_cast<std::int32_t>(i));
    }
    std::sort(all.begin(), all.end());
    all.resize(std::min(all.size(), k));
    expected.counts[row] = static_cast<std::int32_t>(all.size());
    for (std::size_t j = 0; j < all.size(); ++j) {
      std::tie(expected.distances[row * k + j], expected.indices[row * k + j]) = all[j];
    }
  }
  return expected;
}

farpoint::batch<farpoint::point_view<double>> clouds(std::vector<xyz> const& cloud) {
  return batch{farpoint::view_points(cloud)};
}

answer with_own_index(problem const& p, int threads, bool team) {
  answer found{p};
  host_exec const exec{threads};
  search_tuning const tuning = team ? team_tuning() : search_tuning{};
  auto const points = clouds(p.points);
  auto const queries = clouds(p.asked());
  host_workspace const memory{search_tuned_bytes(exec, points, queries, p.self, tuning)};
  REQUIRE(knn_tuned(exec, points, queries, p.self, p.nearest(), found.output(), memory.get(), tuning));
  return found;
}

/// Queries that are not the points are not put in order.
answer with_built_index(problem const& p) {
  answer found{p};
  host_exec const exec{1};
  auto const points = clouds(p.points);
  host_workspace const memory{point_bvh_bytes(exec, points)};
  farpoint::point_bvh<double> index;
  REQUIRE(build_point_bvh(exec, points, memory.get(), index));
  if (p.self) {
    REQUIRE(knn(exec, index, points, p.nearest(), found.output()));
  } else {
    REQUIRE(knn(exec, index, clouds(p.queries), p.nearest(), found.output()));
  }
  return found;
}

void check_all_ways(problem const& p) {
  CAPTURE(p.points.size(), p.queries.size(), p.self, p.k, p.limits.max_radius, p.limits.exclude_self);
  answer const expected = by_brute_force(p);
  CHECK(with_own_index(p, 1, false) == expected);
  CHECK(with_own_index(p, 3, true) == expected);
  CHECK(with_built_index(p) == expected);
}

problem random_problem(int kind, std::uint64_t seed) {
  random_source random{seed * 1000 + static_cast<std::uint64_t>(kind)};
  index_t const most = random.below(4) == 0 ? 600 : 70;
  problem p{make_cloud_of(kind, random.below(most), random), {}, random.below(2) == 0, {}, 1};
  if (!p.self) p.queries = make_cloud_of(random.below(4) == 0 ? 0 : kind, random.below(150), random);
  p.limits.exclude_self = random.below(3) == 0;
  // Lists in packets, in memory, and in a buffer.
  index_t const longest[] = {4, 20, 33, 66, 130};
  p.k = 1 + random.below(longest[random.below(5)]);
  if (random.below(3) == 0 && p.points.size() > 1) {
    double const step = p.points[0][0] - p.points[1][0];
    if (std::isfinite(step)) p.limits.max_radius = std::fabs(step);
  }
  return p;
}

}  // namespace

TEST_CASE("knn of doubles, host: brute force's bits for every kind of cloud", "[knn][host]") {
  for (int kind = 0; kind < kinds; ++kind) {
    CAPTURE(kind);
    for_each_seed(rounds(60), [kind](std::uint64_t seed) { check_all_ways(random_problem(kind, seed)); });
  }
}

TEST_CASE("knn of doubles, host: neighbors that differ in the last bits of their distances alone", "[knn][host]") {
  for_each_seed(rounds(20), [](std::uint64_t seed) {
    random_source random{seed};
    // A shell of points around each of a few queries, thinner than the part of a distance that is looked at first.
    problem p{{}, {}, false, {}, 1 + random.below(32)};
    for (int i = 0; i < 16; ++i) p.queries.push_back({0x1p-9 * i, 0, 0});
    for (int i = 0; i < 300; ++i) p.points.push_back({0, 0, 1 + 0x1p-52 * static_cast<double>(random.below(8))});
    check_all_ways(p);
  });
}

TEST_CASE("knn of doubles, host: a cloud of many leaves", "[knn][host]") {
  random_source random{5};
  for (int const kind : {0, 2, 4}) {
    CAPTURE(kind);
    problem p{make_cloud_of(kind, 20000, random), {}, false, {}, 20};
    p.queries = make_cloud_of(kind, 50, random);
    check_all_ways(p);
  }
}

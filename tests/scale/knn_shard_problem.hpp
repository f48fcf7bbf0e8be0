// A cloud for knn_shard(), spread over ranks, and the answer of knn() for the whole cloud.
#pragma once

#include <farpoint/reference/knn.hpp>
#include <farpoint/scale/knn_shard.hpp>

#include "../support/catch.hpp"
#include "../support/clouds.hpp"

#include <optional>

namespace farpoint_tests {

using farpoint::index_t;
using farpoint::knn_params;

template <class Coord>
using packed_points = std::vector<std::array<Coord, 3>>;

template <class Coord>
packed_points<Coord> packed(xyz_cloud const& cloud) {
  packed_points<Coord> points;
  for (auto const& p : cloud) {
    points.push_back({static_cast<Coord>(p[0]), static_cast<Coord>(p[1]), static_cast<Coord>(p[2])});
  }
  return points;
}

template <class Coord>
farpoint::point_view<Coord> view_of(packed_points<Coord> const& points) {
  return {reinterpret_cast<Coord const*>(points.data()), static_cast<index_t>(points.size()), 3 * sizeof(Coord)};
}

/// A cloud in parts, and the queries of each rank: its own points, or others.
template <class Coord>
struct knn_shard_problem {
  packed_points<Coord> cloud;
  std::vector<index_t> cuts;  ///< `[ranks + 1]`
  bool self = true;
  bool in_place = false;        ///< queries are the rank's points themselves, not a copy
  packed_points<Coord> others;  ///< queries if !self, split among the ranks in the same proportions
  index_t k = 1;
  farpoint::neighborhood_params limits;
  index_t first_index = 0;
  int threads = 1;

  bool planned = false;                                      ///< in two halves
  bool on_stream = false;                                    ///< along a curve: `max_narrow` holds
  bool along_curve = false;                                  ///< points move to owners
  std::optional<farpoint::along_curve> odd_curve;            ///< argument of the last rank
  index_t max_narrow = farpoint::detail::max_narrow_points;  ///< largest cloud with 32-bit positions, in points

  knn_params nearest() const { return limits.with_k(k); }
  std::size_t ranks() const { return cuts.size() - 1; }
  packed_points<Coord> part(std::size_t rank) const {
    return {cloud.begin() + cuts[rank], cloud.begin() + cuts[rank + 1]};
  }
  packed_points<Coord> queries(std::size_t rank) const {
    if (self) return part(rank);
    auto const size = static_cast<std::ptrdiff_t>(others.size());
    auto const count = static_cast<std::ptrdiff_t>(ranks());
    auto const r = static_cast<std::ptrdiff_t>(rank);
    return {others.begin() + size * r / count, others.begin() + size * (r + 1) / count};
  }
  /// Returns the curve argument of a rank: the smallest sufficient capacity for points, and, if queries travel
  /// separately, capacity for all queries.
  farpoint::along_curve curve(std::size_t rank) const {
    if (odd_curve && rank + 1 == ranks()) return *odd_curve;
    auto const points = static_cast<index_t>(cloud.size());
    auto const count = static_cast<index_t>(ranks());
    auto const asked = static_cast<index_t>(self ? cloud.size() : others.size());
    return {nearest(), (points + count - 1) / count, in_place ? 0 : asked};
  }
};

template <class Coord>
struct knn_shard_answer {
  farpoint::result outcome;
  std::vector<index_t> indices;
  std::vector<Coord> distances;
  farpoint::knn_report report;
  index_t exchanged = -1;
  index_t owned_queries = -1;
};

template <class Coord>
std::vector<index_t> room_for_all(knn_shard_problem<Coord> const& problem) {
  auto const all = problem.self ? problem.cloud.size() : problem.others.size();
  return std::vector<index_t>(problem.ranks(), static_cast<index_t>(all * problem.ranks()));
}

template <class Coord>
void check_knn_answers(knn_shard_problem<Coord> const& problem, std::vector<knn_shard_answer<Coord>> const& answers) {
  packed_points<Coord> const& queries = problem.self ? problem.cloud : problem.others;
  auto const size = queries.size() * static_cast<std::size_t>(problem.k);
  std::vector<index_t> indices(size);
  std::vector<Coord> distances(size);
  farpoint::knn_report report;
  REQUIRE(farpoint::reference::knn(farpoint::batch{view_of(problem.cloud)}, farpoint::batch{view_of(queries)},
                                   problem.nearest(), farpoint::knn_output<Coord>{indices, distances, {}, &report}));
  for (index_t& index : indices) index += index < 0 ? 0 : problem.first_index;

  std::vector<index_t> seen;
  std::vector<Coord> seen_distances;
  for (auto const& answer : answers) {
    INFO(answer.outcome.reason);
    REQUIRE(answer.outcome);
    CHECK(answer.report.non_finite_points == report.non_finite_points);
    CHECK(answer.report.non_finite_queries == report.non_finite_queries);
    seen.insert(seen.end(), answer.indices.begin(), answer.indices.end());
    seen_distances.insert(seen_distances.end(), answer.distances.begin(), answer.distances.end());
  }
  CHECK(seen == indices);
  // Distances are neither NaN nor -0, so operator== compares bits.
  CHECK(seen_distances == distances);
}

template <class Coord>
knn_shard_problem<Coord> random_knn_shard_problem(std::uint64_t seed) {
  random_source random{seed};
  auto const which = all_shapes[random.below(static_cast<std::int64_t>(std::size(all_shapes)))];
  auto cloud = make_cloud(which, static_cast<std::size_t>(random.below(400)), seed);
  // Compact parts, or parts scattered over the cloud.
  if (random.below(2) == 0) {
    std::stable_sort(cloud.begin(), cloud.end(), [](xyz const& a, xyz const& b) { return a[0] < b[0]; });
  }
  knn_shard_problem<Coord> problem;
  problem.cloud = packed<Coord>(cloud);
  auto const n = static_cast<index_t>(cloud.size());
  problem.cuts = {0, n};
  for (auto more = random.below(4); more > 0; --more) problem.cuts.push_back(random.below(n + 1));
  std::sort(problem.cuts.begin(), problem.cuts.end());
  problem.self = random.below(2) == 0;
  if (!problem.self) {
    problem.others = packed<Coord>(make_cloud(which, static_cast<std::size_t>(random.below(200)), seed + 1));
  }
  index_t const ks[] = {1, 2, 5, 16, 64, 100};
  problem.k = ks[random.below(6)];
  problem.limits.exclude_self = problem.self && random.below(2) == 0;
  if (random.below(3) == 0) problem.limits.max_radius = static_cast<double>(random.uniform()) * 0.3;
  index_t const firsts[] = {0, 9, (index_t{1} << 32) - 50};
  problem.first_index = firsts[random.below(3)];
  problem.threads = random.below(4) == 0 ? 2 : 1;
  problem.in_place = problem.self && random.below(2) == 0;
  return problem;
}

}  // namespace farpoint_tests

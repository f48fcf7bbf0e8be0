// A cloud for radius_shard(), spread over ranks, and what one call gives for it.
#pragma once

#include <farpoint/reference/radius.hpp>
#include <farpoint/scale/radius_shard.hpp>

#include "../support/answers.hpp"
#include "knn_shard_problem.hpp"

namespace farpoint_tests {

using farpoint::radius_order;
using farpoint::radius_params;
using farpoint::status;

/// The call of one rank, and what is wrong with it.
struct radius_rank_call {
  radius_params params;
  index_t capacity = 0;
  bool is_made = true;
  index_t first_more = 0;      ///< added to the index of the first point
  std::size_t lists_less = 0;  ///< elements that lists and counts are too short by
  std::size_t counts_less = 0;
  std::size_t workspace_less = 0;  ///< bytes
};

/// Parts, and queries as in knn_shard_problem; `k` is max_neighbors of radius().
template <class Coord>
struct radius_shard_problem : knn_shard_problem<Coord> {
  radius_params params;
  std::vector<std::size_t> parts;  ///< `[ranks]`: which of the parts a rank has

  radius_shard_problem() = default;
  radius_shard_problem(xyz_cloud const& points, std::vector<index_t> const& where) {
    this->cloud = packed<Coord>(points);
    this->cuts = where;
    in_order();
  }

  /// Rank r has part r.
  void in_order() {
    parts.resize(this->ranks());
    for (std::size_t r = 0; r < parts.size(); ++r) parts[r] = r;
  }
  radius_params within() const {
    radius_params lists = params;
    lists.max_neighbors = this->k;
    return lists;
  }
  index_t query_count() const { return static_cast<index_t>(this->self ? this->cloud.size() : this->others.size()); }
  /// Calls that all ranks may make.
  std::vector<radius_rank_call> calls() const {
    auto const room = query_count() * static_cast<index_t>(this->ranks());
    return std::vector<radius_rank_call>(this->ranks(), radius_rank_call{within(), room});
  }
};

template <class Coord>
struct radius_shard_answer {
  farpoint::result outcome;
  std::vector<index_t> indices;
  std::vector<Coord> distances;
  std::vector<index_t> counts;
  farpoint::radius_report report;
  index_t exchanged = -1;
  bool untouched = true;
};

/// One rank's call.
/// @tparam Array  host_array, or device_array where the call is for a GPU
/// @param wait    `wait()` returns when the call is done
template <template <class> class Array, class Exec, class Communicator, class Coord, class Wait>
radius_shard_answer<Coord> radius_of_rank(Exec exec, Communicator& communicator,
                                          radius_shard_problem<Coord> const& problem, radius_rank_call const& call,
                                          Wait const& wait) {
  using view = farpoint::point_view<Coord>;
  std::size_t const which = problem.parts[static_cast<std::size_t>(communicator.rank())];
  Array<std::array<Coord, 3>> const points{problem.part(which)};
  Array<std::array<Coord, 3>> const asked{problem.queries(which)};
  auto const view_of = [](auto const& array) {
    return view{reinterpret_cast<Coord const*>(array.data()), static_cast<index_t>(array.size()), 3 * sizeof(Coord)};
  };
  farpoint::shard<view> const part{view_of(points), problem.first_index + problem.cuts[which] + call.first_more};
  view const queries = problem.in_place ? part.points : view_of(asked);
  auto const size =
      asked.size() * static_cast<std::size_t>(std::max<index_t>(call.params.max_neighbors, 0)) - call.lists_less;
  Array<index_t> const indices{size};
  Array<Coord> const distances{size};
  Array<index_t> const counts{asked.size() - call.counts_less};
  Array<farpoint::radius_report> const report{1};

  radius_shard_answer<Coord> answer;
  farpoint::radius_shard_output<Coord> output;
  output.indices = {indices.data(), size};
  output.distances = {distances.data(), size};
  output.counts = {counts.data(), counts.size()};
  output.exchanged_capacity = call.capacity;
  output.exchanged = &answer.exchanged;
  output.report = report.data();
  int const ranks = communicator.ranks();
  std::size_t const needed = problem.planned
                                 ? radius_shard_plan_workspace_bytes(exec, ranks, part, queries, call.params, output)
                                 : radius_shard_workspace_bytes(exec, ranks, part, queries, call.params, output);
  std::size_t const given = needed - std::min(needed, call.workspace_less);
  Array<unsigned char> const workspace{given};
  farpoint::bytes const memory{workspace.data(), given};
  if (problem.planned) {
    auto search = radius_shard_plan(exec, communicator, part, queries, call.params, output, memory);
    if (search.outcome()) answer.exchanged = search.exchanged();
    Array<unsigned char> const room{search.workspace_bytes()};
    answer.outcome = search.run({room.data(), search.workspace_bytes()});
    wait();
    if (!room.intact()) answer.outcome = memory_was_written;
  } else {
    answer.outcome = radius_shard(exec, communicator, part, queries, call.params, output, memory);
    wait();
  }
  if (!workspace.intact() || !indices.intact() || !distances.intact() || !counts.intact() || !report.intact()) {
    answer.outcome = memory_was_written;
  }
  answer.untouched = indices.untouched() && distances.untouched() && counts.untouched() && report.untouched();
  answer.indices = indices.download();
  answer.distances = distances.download();
  answer.counts = counts.download();
  answer.report = report.download()[0];
  return answer;
}

template <class Coord>
void check_radius_answers(radius_shard_problem<Coord> const& problem,
                          std::vector<radius_shard_answer<Coord>> const& answers) {
  packed_points<Coord> const& queries = problem.self ? problem.cloud : problem.others;
  auto const size = queries.size() * static_cast<std::size_t>(problem.k);
  std::vector<index_t> indices(size);
  std::vector<Coord> distances(size);
  std::vector<index_t> counts(queries.size());
  farpoint::radius_report report;
  REQUIRE(farpoint::reference::radius(farpoint::batch{view_of(problem.cloud)}, farpoint::batch{view_of(queries)},
                                      problem.within(),
                                      farpoint::radius_output<Coord>{indices, distances, counts, &report}));
  for (index_t& index : indices) index += index < 0 ? 0 : problem.first_index;

  std::vector<index_t> seen;
  std::vector<Coord> seen_distances;
  std::vector<index_t> seen_counts;
  for (std::size_t which = 0; which < problem.ranks(); ++which) {
    auto const rank = std::find(problem.parts.begin(), problem.parts.end(), which) - problem.parts.begin();
    auto const& answer = answers[static_cast<std::size_t>(rank)];
    INFO(answer.outcome.reason);
    REQUIRE(answer.outcome);
    CHECK(answer.report.non_finite_points == report.non_finite_points);
    CHECK(answer.report.non_finite_queries == report.non_finite_queries);
    CHECK(answer.report.total == report.total);
    CHECK(answer.report.rows_left_out == 0);
    CHECK(answer.report.bad_offsets == 0);
    seen.insert(seen.end(), answer.indices.begin(), answer.indices.end());
    seen_distances.insert(seen_distances.end(), answer.distances.begin(), answer.distances.end());
    seen_counts.insert(seen_counts.end(), answer.counts.begin(), answer.counts.end());
  }
  INFO(difference_in("counts", seen_counts, counts)
       << difference_in("indices", seen, indices) << difference_in("distances", seen_distances, distances));
  CHECK(seen_counts == counts);
  CHECK(seen == indices);
  CHECK(same_bits(seen_distances, distances));
}

template <class Coord>
radius_shard_problem<Coord> random_radius_shard_problem(std::uint64_t seed) {
  random_source random{seed};
  radius_shard_problem<Coord> problem;
  static_cast<knn_shard_problem<Coord>&>(problem) = random_knn_shard_problem<Coord>(seed);
  problem.in_order();
  for (std::size_t r = problem.ranks(); r > 1; --r) {
    std::swap(problem.parts[r - 1], problem.parts[static_cast<std::size_t>(random.below(static_cast<index_t>(r)))]);
  }
  index_t const lengths[] = {0, 1, 2, 5, 16, 20, 40, 100};
  problem.k = lengths[random.below(8)];
  problem.params.order = random.below(2) == 0 ? radius_order::index : radius_order::nearest;
  problem.params.exclude_self = problem.self && random.below(2) == 0;
  problem.params.radius = 0;
  auto const n = static_cast<index_t>(problem.cloud.size());
  auto const kind = random.below(8);
  if (kind == 1) problem.params.radius = std::numeric_limits<double>::infinity();
  if (kind > 1 && n > 0) {
    // The radius is the distance between two points of the cloud, which other pairs often share, or a fraction of it.
    auto const& a = problem.cloud[static_cast<std::size_t>(random.below(n))];
    auto const& b = problem.cloud[static_cast<std::size_t>(random.below(n))];
    double const parts[] = {1, 1, 0.5, 0.1};
    double squared = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      double const apart = static_cast<double>(a[axis]) - static_cast<double>(b[axis]);
      squared += apart * apart;
    }
    // Points that are not finite have no distance.
    if (squared >= 0) problem.params.radius = std::sqrt(squared) * parts[random.below(4)];
  }
  auto const rounded = static_cast<Coord>(problem.params.radius);
  problem.params.exclusive = rounded * rounded > 0 && random.below(3) == 0;
  return problem;
}

}  // namespace farpoint_tests

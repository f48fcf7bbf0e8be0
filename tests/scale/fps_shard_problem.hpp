// A cloud for fps_shard(), spread over ranks, and the answer of fps() for the whole cloud.
#pragma once

#include <farpoint/fps.hpp>
#include <farpoint/reference/fps.hpp>
#include <farpoint/scale/fps_shard.hpp>

#include "../support/catch.hpp"
#include "../support/clouds.hpp"
#include "../support/for_each_seed.hpp"
#include "../support/host_array.hpp"

namespace farpoint_tests {

using farpoint::index_t;
using farpoint::detail::fps_shard_tuning;

/// A cloud in parts. Indices in this struct count from 0; indices of the ranks count from first_index.
template <class Coord, int Dim>
struct FARPOINT_HIDDEN fps_shard_problem {
  std::vector<std::array<Coord, Dim>> cloud;
  std::vector<index_t> cuts;      ///< `[ranks + 1]`
  std::vector<std::size_t> part;  ///< `[ranks]`: the part of each rank
  farpoint::fps_params params;    ///< without chosen points
  std::vector<index_t> chosen;
  index_t first_index = 0;
  int threads = 1;
  bool is_tuned = false;
  fps_shard_tuning tuning{1};  ///< used if is_tuned

  using view = farpoint::point_view<Coord, Dim>;
  std::size_t ranks() const { return part.size(); }
  view points(index_t begin, index_t end) const {
    return {reinterpret_cast<Coord const*>(cloud.data() + begin), end - begin, index_t{sizeof cloud[0]}};
  }
  index_t to_global(index_t index) const { return index == -1 ? -1 : index + first_index; }
  std::vector<index_t> chosen_of_all() const {
    std::vector<index_t> all;
    for (index_t const index : chosen) all.push_back(to_global(index));
    return all;
  }
};

template <class Coord>
struct fps_shard_answer {
  farpoint::result outcome;
  std::vector<index_t> indices;
  std::vector<Coord> distances;
  index_t count = -1;
  index_t exchanges = -1;
  farpoint::fps_report report;
  bool is_untouched = true;
};

/// Returns the answer of one call of fps() for the whole cloud.
template <class Coord, int Dim>
fps_shard_answer<Coord> one_call(fps_shard_problem<Coord, Dim> const& problem, bool fast = false) {
  fps_shard_answer<Coord> answer;
  auto const size = static_cast<std::size_t>(problem.params.samples);
  answer.indices.resize(size);
  answer.distances.resize(size);
  std::vector<index_t> count(1);
  farpoint::fps_params params = problem.params;
  params.chosen = farpoint::index_view{problem.chosen};
  farpoint::batch const cloud{problem.points(0, static_cast<index_t>(problem.cloud.size()))};
  farpoint::fps_output<Coord> const output{answer.indices, answer.distances, count, &answer.report};
  if (fast) {
    host_workspace const workspace{fps_workspace_bytes(host_exec{1}, cloud, params)};
    answer.outcome = farpoint::fps(host_exec{1}, cloud, params, output, workspace.get());
  } else {
    answer.outcome = farpoint::reference::fps(cloud, params, output);
  }
  for (index_t& index : answer.indices) index = problem.to_global(index);
  answer.count = count[0];
  return answer;
}

template <class Coord>
void check_fps_answers(std::vector<fps_shard_answer<Coord>> const& answers, fps_shard_answer<Coord> const& expected) {
  INFO(expected.outcome.reason);
  REQUIRE(expected.outcome);
  for (auto const& answer : answers) {
    INFO(answer.outcome.reason);
    REQUIRE(answer.outcome);
    CHECK(answer.count == expected.count);
    CHECK(answer.indices == expected.indices);
    CHECK(answer.distances == expected.distances);
    CHECK(answer.report.non_finite == expected.report.non_finite);
    CHECK(answer.report.chosen_out_of_range == expected.report.chosen_out_of_range);
    CHECK(answer.report.first_out_of_range == 0);
    CHECK(answer.exchanges == answers[0].exchanges);
  }
}

/// Splits a cloud into equal parts, in order of the ranks.
template <class Coord, int Dim = 3>
fps_shard_problem<Coord, Dim> shared_out(xyz_cloud const& cloud, index_t samples, index_t ranks) {
  fps_shard_problem<Coord, Dim> problem;
  for (auto const& p : cloud) {
    std::array<Coord, Dim> point{};
    for (std::size_t k = 0; k < std::size_t{Dim}; ++k) {
      point[k] = static_cast<Coord>(p[k % 3] * (k < 3 ? 1 : 0.5));
    }
    problem.cloud.push_back(point);
  }
  problem.params.samples = samples;
  for (index_t r = 0; r <= ranks; ++r) problem.cuts.push_back(static_cast<index_t>(cloud.size()) * r / ranks);
  for (index_t r = 0; r < ranks; ++r) problem.part.push_back(static_cast<std::size_t>(r));
  return problem;
}

template <class Coord, int Dim = 3>
fps_shard_problem<Coord, Dim> random_fps_shard_problem(std::uint64_t seed) {
  random_source random{seed};
  auto const which = all_shapes[random.below(static_cast<std::int64_t>(std::size(all_shapes)))];
  index_t const n = random.below(8) == 0 ? random.below(6) : random.below(500);
  auto cloud = make_cloud(which, static_cast<std::size_t>(n), seed);
  if (random.below(2) == 0) {
    std::stable_sort(cloud.begin(), cloud.end(), [](xyz const& a, xyz const& b) { return a[0] < b[0]; });
  }
  // All points, more samples than points, or some points.
  index_t const sizes[] = {n, n + 7, random.below(n + 1), random.below(20), 1 + n / 8};
  index_t const samples = sizes[random.below(5)];
  auto problem = shared_out<Coord, Dim>(cloud, samples, 1 + random.below(4));
  // Even cuts, or uneven cuts that leave ranks without points; parts are assigned to ranks at random.
  if (random.below(3) != 0) {
    for (index_t& cut : problem.cuts) cut = random.below(n + 1);
    problem.cuts.front() = 0;
    problem.cuts.back() = n;
    std::sort(problem.cuts.begin(), problem.cuts.end());
  }
  for (std::size_t r = problem.ranks(); r > 1; --r) {
    std::swap(problem.part[r - 1], problem.part[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(r)))]);
  }
  index_t const firsts[] = {0, 9, (index_t{1} << 32) - 50, index_t{1} << 40};
  problem.first_index = firsts[random.below(4)];
  if (n > 0 && random.below(2) == 0) problem.params.first = random.below(n);
  if (random.below(4) == 0) {
    problem.params.random_first = true;
    problem.params.seed = random.next();
  }
  if (random.below(3) == 0) {
    for (auto more = random.below(30); more > 0; --more) {
      index_t const hostile[] = {-1, -7, n, n + 3, 0};
      problem.chosen.push_back(random.below(4) == 0 ? hostile[random.below(5)] : random.below(n + 1));
    }
  }
  if (random.below(4) == 0) problem.params.stop_below = static_cast<double>(random.uniform()) * 0.3;
  if (random.below(8) == 0) problem.params.stop_below = 1e20;
  if (random.below(4) != 0) {
    // Groups of few points, and lists that are too short.
    problem.is_tuned = true;
    problem.tuning.groups = 1 + random.below(12);
    problem.tuning.listed = static_cast<std::uint32_t>(1 + random.below(4));
    double const ahead[] = {1, 1.1, 2, 16, 1e30};
    problem.tuning.ahead = ahead[random.below(5)];
    problem.tuning.min_fill = 1 + random.below(12);
  }
  return problem;
}

/// Makes a problem for streams, which have 32-bit indices.
template <int Dim = 3>
fps_shard_problem<float, Dim> random_stream_problem(std::uint64_t seed) {
  auto problem = random_fps_shard_problem<float, Dim>(seed);
  if (problem.first_index > index_t{1} << 31) problem.first_index = (index_t{1} << 32) - 2000;
  return problem;
}

/// Checks for `seeds` random problems that `solve(problem)` gives the answer of one call on all ranks.
template <int Dim = 3, class Solve>
void check_random_streams(std::uint64_t seeds, Solve const& solve) {
  for_each_seed(seeds, [&](std::uint64_t seed) {
    auto const problem = random_stream_problem<Dim>(seed);
    check_fps_answers(solve(problem), one_call(problem));
  });
}

}  // namespace farpoint_tests

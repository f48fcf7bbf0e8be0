// Normals, mean distances and interpolated features of a cloud on ranks, and the results of one call.
#pragma once

#include <farpoint/estimate_normals.hpp>
#include <farpoint/interpolate.hpp>
#include <farpoint/mean_knn_distance.hpp>
#include <farpoint/scale/neighborhood_shard.hpp>

#include "indexed_shard_problem.hpp"

namespace farpoint_tests {

/// Parameters of the calls of all ranks.
struct neighborhood_calls {
  farpoint::normals_params normals;
  index_t k = 3;
  index_t channels = 2;
  bool with_covariances = true;
};

/// Faults of a rank's calls.
struct odd_neighborhood {
  index_t k_more = 0;              ///< added in all calls
  std::size_t outputs_less = 0;    ///< elements
  std::size_t workspace_less = 0;  ///< bytes
  std::size_t room_less = 0;       ///< bytes of the second half
};

/// Answers of a rank, or of one call.
template <class Coord>
struct neighborhood_answer {
  farpoint::result normals_outcome;
  farpoint::result means_outcome;
  farpoint::result features_outcome;
  std::vector<Coord> normals;
  std::vector<Coord> curvatures;
  std::vector<Coord> covariances;
  std::vector<Coord> means;
  std::vector<float> features;
  farpoint::knn_report reports[3];
  std::vector<index_t> numbers;  ///< indices of the rank's points in the cloud
};

/// Features of a point of the cloud.
inline float feature_at(index_t number, index_t channel) {
  return static_cast<float>(number * 37 % 101) / 7 - static_cast<float>(channel);
}

template <class Coord>
std::vector<float> features_of_points(std::vector<index_t> const& numbers, index_t channels) {
  std::vector<float> features;
  for (index_t const number : numbers) {
    for (index_t channel = 0; channel < channels; ++channel) features.push_back(feature_at(number, channel));
  }
  return features;
}

/// Makes the calls of one rank for its part.
/// @param part  shard or indexed_shard
template <template <class> class Array, class Exec, class Communicator, class Coord, class Part, class Wait>
neighborhood_answer<Coord> neighborhoods_of_part(Exec exec, Communicator& communicator,
                                                 indexed_shard_problem<Coord> const& problem,
                                                 neighborhood_calls const& calls, odd_neighborhood const& odd,
                                                 rank_points<Coord> const& own, Part const& part, Wait const& wait) {
  int const ranks = communicator.ranks();
  auto const size = own.numbers.size();
  Array<std::array<Coord, 3>> const asked{problem.others};
  Array<float> const features{features_of_points<Coord>(own.numbers, calls.channels)};
  auto const smaller = [&odd](std::size_t count) { return count - std::min(count, odd.outputs_less); };
  Array<Coord> const normals{smaller(size * 3)};
  Array<Coord> const curvatures{smaller(size)};
  Array<Coord> const covariances{calls.with_covariances ? smaller(size * 6) : 0};
  Array<Coord> const means{smaller(size)};
  Array<float> const found{smaller(problem.others.size() * static_cast<std::size_t>(calls.channels))};
  Array<farpoint::knn_report> const reports{3};

  auto const run = [&](std::size_t needed, auto const& plan) {
    Array<unsigned char> const workspace{needed - std::min(needed, odd.workspace_less)};
    auto search = plan(farpoint::bytes{workspace.data(), workspace.size()});
    std::size_t const second = search.workspace_bytes();
    Array<unsigned char> const room{second - std::min(second, odd.room_less)};
    auto const outcome = search.run({room.data(), room.size()});
    wait();
    return workspace.intact() && room.intact() ? outcome : memory_was_written;
  };
  neighborhood_answer<Coord> answer;
  farpoint::normals_params params = calls.normals;
  params.k += odd.k_more;
  farpoint::normals_output<Coord> output;
  output.normals = {normals.data(), normals.size()};
  output.curvatures = {curvatures.data(), curvatures.size()};
  output.covariances = {covariances.data(), covariances.size()};
  output.report = reports.data();
  answer.normals_outcome = run(
      estimate_normals_shard_plan_workspace_bytes(exec, ranks, part, params, output), [&](farpoint::bytes workspace) {
        return estimate_normals_shard_plan(exec, communicator, part, params, output, workspace);
      });
  farpoint::span<Coord> const to{means.data(), means.size()};
  index_t const k = calls.k + odd.k_more;
  answer.means_outcome =
      run(mean_knn_distance_shard_plan_workspace_bytes(exec, ranks, part, {k}, {to}), [&](farpoint::bytes workspace) {
        return mean_knn_distance_shard_plan(exec, communicator, part, {k}, {to, reports.data() + 1}, workspace);
      });
  farpoint::span<float const> const values{features.data(), features.size()};
  auto const queries = view_of_array<Array, Coord>(asked);
  farpoint::interpolate_output const interpolated{{found.data(), found.size()}, reports.data() + 2};
  index_t const channels = calls.channels + (odd.k_more != 0 ? -1 : 0);
  answer.features_outcome =
      run(interpolate_shard_plan_workspace_bytes(exec, ranks, part, values, queries, channels, interpolated),
          [&](farpoint::bytes workspace) {
            return interpolate_shard_plan(exec, communicator, part, values, queries, channels, interpolated, workspace);
          });
  bool const intact = normals.intact() && curvatures.intact() && covariances.intact() && means.intact() &&
                      found.intact() && reports.intact();
  if (!intact) answer.normals_outcome = memory_was_written;
  answer.normals = normals.download();
  answer.curvatures = curvatures.download();
  answer.covariances = covariances.download();
  answer.means = means.download();
  answer.features = found.download();
  auto const all_reports = reports.download();
  std::copy(all_reports.begin(), all_reports.end(), answer.reports);
  answer.numbers = own.numbers;
  return answer;
}

/// Makes the calls of one rank.
/// @tparam Array  host_array, or device_array where the calls are for a GPU
/// @tparam Bvh    point_bvh or device_point_bvh
template <template <class> class Array, class Bvh, class Exec, class Communicator, class Coord, class Wait>
neighborhood_answer<Coord> neighborhoods_of_rank(Exec exec, Communicator& communicator,
                                                 indexed_shard_problem<Coord> const& problem,
                                                 neighborhood_calls const& calls, odd_neighborhood const& odd,
                                                 Wait const& wait) {
  auto const rank = static_cast<std::size_t>(communicator.rank());
  auto const find = [&](rank_points<Coord> const& own) {
    auto const by = [&](auto const& part) {
      return neighborhoods_of_part<Array>(exec, communicator, problem, calls, odd, own, part, wait);
    };
    if (!problem.is_named && problem.is_built[rank] == 0) return by(own.part);
    farpoint::indexed_shard<farpoint::point_view<Coord>, Bvh> indexed;
    indexed.part = own.part;
    indexed.owners = own.owners;
    if (problem.is_named) indexed.indices = own.names;
    farpoint::batch const cloud{own.part.points};
    Array<unsigned char> const memory{point_bvh_bytes(exec, cloud)};
    if (!build_point_bvh(exec, cloud, farpoint::bytes{memory.data(), memory.size()}, indexed.bvh)) {
      throw std::runtime_error{"the BVH"};
    }
    return by(indexed);
  };
  return with_rank_points<Array>(exec, communicator, problem, wait, find, [](farpoint::result const& failure) {
    neighborhood_answer<Coord> answer;
    answer.normals_outcome = answer.means_outcome = answer.features_outcome = failure;
    return answer;
  });
}

/// Answers of one call for the whole cloud.
template <class Coord>
neighborhood_answer<Coord> expected_neighborhoods(indexed_shard_problem<Coord> const& problem,
                                                  neighborhood_calls const& calls) {
  neighborhood_answer<Coord> expected;
  auto const size = problem.cloud.size();
  expected.normals.resize(size * 3);
  expected.curvatures.resize(size);
  expected.covariances.resize(calls.with_covariances ? size * 6 : 0);
  expected.means.resize(size);
  expected.features.resize(problem.others.size() * static_cast<std::size_t>(calls.channels));
  for (std::size_t i = 0; i < size; ++i) expected.numbers.push_back(static_cast<index_t>(i));
  auto const features = features_of_points<Coord>(expected.numbers, calls.channels);
  farpoint::batch const points{view_of(problem.cloud)};
  farpoint::batch const asked{view_of(problem.others)};
  farpoint::host_exec const exec{1};
  farpoint::normals_output<Coord> output;
  output.normals = expected.normals;
  output.curvatures = expected.curvatures;
  output.covariances = expected.covariances;
  output.report = &expected.reports[0];
  farpoint::host_scratch const normals_room{estimate_normals_workspace_bytes(exec, points, calls.normals)};
  REQUIRE(estimate_normals(exec, points, calls.normals, output, normals_room));
  farpoint::host_scratch const means_room{mean_knn_distance_workspace_bytes(exec, points, {calls.k})};
  REQUIRE(mean_knn_distance(exec, points, {calls.k}, {farpoint::span<Coord>{expected.means}, &expected.reports[1]},
                            means_room));
  farpoint::host_scratch const room{interpolate_workspace_bytes(exec, points, asked)};
  REQUIRE(interpolate(exec, points, features, asked, calls.channels, {expected.features, &expected.reports[2]}, room));
  return expected;
}

/// Rows of some points; none of an output that was not asked for.
template <class T>
std::vector<T> rows_of(std::vector<T> const& all, std::vector<index_t> const& numbers, std::size_t width) {
  std::vector<T> rows;
  if (all.empty()) return rows;
  for (index_t const number : numbers) {
    auto const first = all.begin() + static_cast<std::ptrdiff_t>(number) * static_cast<std::ptrdiff_t>(width);
    rows.insert(rows.end(), first, first + static_cast<std::ptrdiff_t>(width));
  }
  return rows;
}

template <class Coord>
void check_neighborhood_answers(indexed_shard_problem<Coord> const& problem, neighborhood_calls const& calls,
                                std::vector<neighborhood_answer<Coord>> const& answers) {
  auto const expected = expected_neighborhoods(problem, calls);
  for (std::size_t rank = 0; rank < problem.ranks; ++rank) {
    CAPTURE(rank, problem.is_named, problem.is_moved, calls.normals.k, calls.k, calls.channels);
    auto const& answer = answers[rank];
    INFO(answer.normals_outcome.reason << answer.means_outcome.reason << answer.features_outcome.reason);
    REQUIRE(answer.normals_outcome);
    REQUIRE(answer.means_outcome);
    REQUIRE(answer.features_outcome);
    CHECK(same_bits(answer.normals, rows_of(expected.normals, answer.numbers, 3)));
    CHECK(same_bits(answer.curvatures, rows_of(expected.curvatures, answer.numbers, 1)));
    CHECK(same_bits(answer.covariances, rows_of(expected.covariances, answer.numbers, 6)));
    CHECK(same_bits(answer.means, rows_of(expected.means, answer.numbers, 1)));
    CHECK(same_bits(answer.features, expected.features));
    for (int call = 0; call < 3; ++call) {
      // Non-finite points have no owner.
      auto const& one = expected.reports[call];
      std::uint64_t const asking = call == 2 ? problem.ranks : problem.is_moved ? 0 : 1;
      CHECK(answer.reports[call].non_finite_points == (problem.is_moved ? 0 : one.non_finite_points));
      CHECK(answer.reports[call].non_finite_queries == one.non_finite_queries * asking);
    }
  }
}

inline neighborhood_calls random_neighborhood_calls(std::uint64_t seed) {
  random_source random{seed + 52000};
  neighborhood_calls calls;
  index_t const ks[] = {3, 4, 8, 16, 40};
  calls.normals.k = ks[random.below(5)];
  if (random.below(3) == 0) calls.normals.max_radius = 0.3;
  calls.normals.viewpoint = {{1, 2, static_cast<double>(random.below(5))}};
  calls.k = index_t{1} + random.below(9);
  calls.channels = index_t{1} + random.below(5);
  calls.with_covariances = random.below(2) == 0;
  return calls;
}

}  // namespace farpoint_tests

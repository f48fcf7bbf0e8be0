// Clouds with weights, hostile ones too, and what fps_weighted() must say about them: one problem for every backend.
#pragma once

#include <farpoint/fps.hpp>

#include <cstring>
#include <limits>
#include <string>

#include "../search/index_problem.hpp"

namespace farpoint_tests {

struct weighted_problem {
  using view = index_problem::view;

  index_problem clouds;
  std::vector<float> weights;
  std::vector<std::int32_t> firsts, chosen, sample_counts;
  farpoint::fps_params params;

  farpoint::batch<view> batch_at(std::array<float, 3> const* points, index_t const* offsets) const {
    return index_problem::batch_of(points, clouds.points.size(), offsets, clouds.clouds());
  }
};

/// Samples, distances, counts and report, in one order of bytes.
struct weighted_answer {
  std::vector<std::int32_t> indices;
  std::vector<float> distances;
  std::vector<std::int32_t> counts;
  std::vector<farpoint::fps_report> report{1};

  weighted_answer(std::size_t clouds, index_t samples)
      : indices(clouds * static_cast<std::size_t>(samples), 77), distances(indices.size(), 77), counts(clouds, 77) {}

  friend bool operator==(weighted_answer const& a, weighted_answer const& b) {
    return a.indices == b.indices && a.distances == b.distances && a.counts == b.counts &&
           std::memcmp(a.report.data(), b.report.data(), sizeof(farpoint::fps_report)) == 0;
  }
};

/// Priorities that tie, span many orders, or are no weights at all.
inline float random_weight(random_source& random, std::int64_t kind) {
  constexpr float odd[] = {0.0f,
                           -0.0f,
                           -1.0f,
                           std::numeric_limits<float>::quiet_NaN(),
                           std::numeric_limits<float>::infinity(),
                           -std::numeric_limits<float>::infinity(),
                           std::numeric_limits<float>::denorm_min(),
                           std::numeric_limits<float>::max(),
                           1e-30f};
  if (kind == 0) return 1;
  if (kind == 3 && random.below(4) == 0) return odd[random.below(9)];
  return kind == 1 ? static_cast<float>(1 + random.below(4)) : 0.01f + random.uniform() * random.uniform();
}

inline weighted_problem random_weighted_problem(std::uint64_t seed, index_t point_limit = 600) {
  weighted_problem problem;
  problem.clouds = random_index_problem(seed, point_limit);
  random_source random{seed + 1000};
  auto const kind = static_cast<std::int64_t>(seed % 4);
  for (std::size_t i = 0; i < problem.clouds.points.size(); ++i) problem.weights.push_back(random_weight(random, kind));
  auto const clouds = problem.clouds.clouds();
  auto& params = problem.params;
  params.samples = random.below(point_limit / 2);
  if (random.below(3) == 0)
    params.stop_below = random.below(2) == 0 ? 0.2 * random.uniform() : static_cast<double>(random.below(3));
  if (random.below(20) == 0) params.stop_below = std::numeric_limits<double>::infinity();
  params.random_first = random.below(2) == 0;
  params.seed = seed;
  auto const all = problem.batch_at(problem.clouds.points.data(), problem.clouds.point_offsets.data());
  bool const has_chosen = random.below(3) == 0, has_firsts = random.below(3) == 0, has_counts = random.below(3) == 0;
  for (std::size_t b = 0; b < clouds; ++b) {
    index_t const n = all[static_cast<index_t>(b)].size();
    auto const any = [&] { return static_cast<std::int32_t>(random.below(n > 0 ? n + 3 : 3) - 2); };
    if (has_firsts) problem.firsts.push_back(any());
    if (has_counts) problem.sample_counts.push_back(static_cast<std::int32_t>(random.below(params.samples + 9) - 4));
    for (int k = 0; has_chosen && k < 3; ++k) problem.chosen.push_back(any());
  }
  return problem;
}

/// A batch whose offsets descend, and a number of samples.
inline weighted_problem weighted_problem_with_bad_offsets(index_t samples) {
  weighted_problem problem = random_weighted_problem(1);
  auto const n = static_cast<index_t>(problem.clouds.points.size());
  problem.clouds.point_offsets = {0, n, n - 1, n + 1};
  problem.firsts.clear();
  problem.chosen.clear();
  problem.sample_counts.clear();
  problem.params.samples = samples;
  return problem;
}

/// A serial loop that shares only its first points and the distance function with the library.
inline weighted_answer weighted_oracle(weighted_problem const& problem) {
  constexpr float far = std::numeric_limits<float>::infinity();
  auto const& params = problem.params;
  auto const m = static_cast<std::size_t>(params.samples);
  std::size_t const clouds = problem.clouds.clouds();
  weighted_answer answer{clouds, params.samples};
  auto& report = answer.report[0];
  std::fill(answer.indices.begin(), answer.indices.end(), -1);
  std::fill(answer.distances.begin(), answer.distances.end(), -1.0f);
  std::fill(answer.counts.begin(), answer.counts.end(), 0);
  auto const all = problem.batch_at(problem.clouds.points.data(), problem.clouds.point_offsets.data());
  report.bad_offsets = static_cast<unsigned long long>(farpoint::detail::count_bad_offsets(all));
  if (m == 0 || report.bad_offsets > 0) return answer;
  float const stop2 = static_cast<float>(params.stop_below) * static_cast<float>(params.stop_below);
  farpoint::fps_params given = params;
  given.firsts = problem.firsts;
  farpoint::detail::fps_args<weighted_problem::view> const starts{all, given, {}};
  for (std::size_t b = 0; b < clouds; ++b) {
    auto const cloud = all[static_cast<index_t>(b)];
    auto const n = static_cast<std::size_t>(cloud.size());
    float const* const weights = problem.weights.data() + problem.clouds.point_offsets[b];
    std::vector<float> nearest(n, far);
    std::vector<bool> candidate(n), finite(n);
    for (std::size_t i = 0; i < n; ++i) {
      finite[i] = farpoint::is_finite(cloud[static_cast<index_t>(i)]);
      candidate[i] = finite[i] && weights[i] > 0 && weights[i] < far;
      report.non_finite += !finite[i] || !(weights[i] >= 0 && weights[i] < far) ? 1 : 0;
    }
    auto const pick = [&](std::size_t picked) {
      candidate[picked] = false;
      for (std::size_t i = 0; i < n; ++i) {
        float const d = farpoint::distance2(cloud[static_cast<index_t>(i)], cloud[static_cast<index_t>(picked)]);
        if (d < nearest[i]) nearest[i] = d;
        if (nearest[i] < stop2) candidate[i] = false;
      }
    };
    bool started = false;
    for (std::size_t k = 0; k < problem.chosen.size() / clouds; ++k) {
      auto const index = problem.chosen[b * (problem.chosen.size() / clouds) + k];
      bool const is_point = index >= 0 && static_cast<std::size_t>(index) < n;
      if (!is_point && index != -1) ++report.chosen_out_of_range;
      if (!is_point || !finite[static_cast<std::size_t>(index)]) continue;
      pick(static_cast<std::size_t>(index));
      started = true;
    }
    index_t const first = starts.first_of(static_cast<index_t>(b));
    if (!started && n > 0 && (first < 0 || first >= cloud.size())) {
      ++report.first_out_of_range;
      continue;
    }
    auto wanted = m;
    if (!problem.sample_counts.empty()) {
      wanted = static_cast<std::size_t>(std::max(0, std::min(problem.sample_counts[b], static_cast<std::int32_t>(m))));
    }
    std::size_t count = 0;
    for (; count < wanted; ++count) {
      std::size_t best = n;
      float largest = -1;
      for (std::size_t i = 0; i < n; ++i) {
        float const score = weights[i] * nearest[i];
        if (candidate[i] && score > largest) {
          best = i;
          largest = score;
        }
      }
      if (count == 0 && !started && n > 0 && candidate[static_cast<std::size_t>(first)]) {
        best = static_cast<std::size_t>(first);
      }
      if (best == n) break;
      answer.indices[b * m + count] = static_cast<std::int32_t>(best);
      answer.distances[b * m + count] = nearest[best];
      pick(best);
    }
    answer.counts[b] = static_cast<std::int32_t>(count);
  }
  return answer;
}

}  // namespace farpoint_tests

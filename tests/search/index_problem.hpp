// A batch of points and queries for searches by an index that is built once.
#pragma once

#include <farpoint/core/batch.hpp>

#include <limits>
#include <vector>

#include "../support/garbage_offsets.hpp"

namespace farpoint_tests {

/// Points, queries, and features of the points. Offsets are in the order of the batch, or wrong.
struct index_problem {
  using view = farpoint::point_view<float>;

  std::vector<std::array<float, 3>> points;
  std::vector<std::array<float, 3>> queries;
  std::vector<index_t> point_offsets;
  std::vector<index_t> query_offsets;
  std::vector<float> features;
  index_t channels = 1;

  static farpoint::batch<view> batch_of(std::array<float, 3> const* points, std::size_t count, index_t const* offsets,
                                        std::size_t clouds) {
    return farpoint::batch<view>::ragged(farpoint::view_points(points, static_cast<index_t>(count)),
                                         farpoint::span<index_t const>{offsets, clouds + 1});
  }
  std::size_t clouds() const { return point_offsets.size() - 1; }
};

inline std::vector<std::array<float, 3>> random_points(random_source& random, index_t count, bool lattice) {
  std::vector<std::array<float, 3>> points(static_cast<std::size_t>(count));
  for (auto& p : points) {
    // Ties and duplicates on a lattice.
    for (auto& x : p) x = lattice ? static_cast<float>(random.below(9)) : random.uniform();
    if (random.below(50) == 0) p[1] = std::numeric_limits<float>::quiet_NaN();
    if (random.below(90) == 0) p[2] = std::numeric_limits<float>::infinity();
  }
  return points;
}

inline std::vector<index_t> random_offsets(random_source& random, index_t points, index_t clouds) {
  std::vector<index_t> offsets;
  for (index_t b = 0; b <= clouds; ++b) offsets.push_back(random.below(points + 1));
  std::sort(offsets.begin(), offsets.end());
  return offsets;
}

inline index_problem random_index_problem(std::uint64_t seed, index_t point_limit = 3000) {
  random_source random{seed};
  index_problem problem;
  bool const lattice = random.below(2) == 0;
  problem.points = random_points(random, random.below(point_limit), lattice);
  problem.queries = random_points(random, random.below(point_limit), lattice);
  index_t const clouds = 1 + random.below(5);
  auto const points = static_cast<index_t>(problem.points.size());
  auto const queries = static_cast<index_t>(problem.queries.size());
  bool const wrong = random.below(6) == 0;
  problem.point_offsets = wrong ? garbage_offsets(random, points, clouds) : random_offsets(random, points, clouds);
  bool const other_wrong = random.below(6) == 0;
  problem.query_offsets =
      other_wrong ? garbage_offsets(random, queries, clouds) : random_offsets(random, queries, clouds);
  problem.channels = 1 + random.below(5);
  for (index_t i = 0; i < points * problem.channels; ++i) problem.features.push_back(random.uniform());
  return problem;
}

}  // namespace farpoint_tests

// Many small clouds of every shape in one ragged batch, so that a device answers thousands of clouds in one call.
#pragma once

#include "fps_problem.hpp"

namespace farpoint_tests {

/// A batch, and how each cloud was made, for messages.
template <class Coord>
struct random_batch {
  fps_problem<Coord> problem;
  std::vector<std::string> recipes;

  explicit random_batch(std::uint64_t seed, std::size_t clouds) {
    random_source random{seed};
    auto const below = [&random](std::size_t bound) {
      return static_cast<std::size_t>(random.below(static_cast<std::int64_t>(bound)));
    };
    std::size_t const limits[] = {16, 64, 130, 300, 600};
    std::size_t const limit = limits[seed % std::size(limits)];
    auto const samples = static_cast<index_t>(1 + below(limit + limit / 8));
    bool const with_firsts = below(2) == 0;
    std::size_t const chosen_each = below(2) * below(6);

    xyz_cloud all;
    std::vector<index_t> offsets{0}, firsts, chosen;
    for (std::size_t b = 0; b < clouds; ++b) {
      // Small clouds are where the edges of warps and chunks are; some are empty.
      std::size_t const n = below(2) == 0 ? below(limit + 1) : below(limit / 8 + 2);
      shape const which = all_shapes[below(std::size(all_shapes))];
      std::uint64_t const cloud_seed = random.next() % 1000000;
      auto const cloud = make_cloud(which, n, cloud_seed);
      recipes.push_back("make_cloud(shape(" + std::to_string(static_cast<int>(which)) + "), " + std::to_string(n) +
                        ", " + std::to_string(cloud_seed) + ")");
      all.insert(all.end(), cloud.begin(), cloud.end());
      offsets.push_back(static_cast<index_t>(all.size()));
      firsts.push_back(static_cast<index_t>(n == 0 ? 0 : below(n)));
      for (std::size_t i = 0; i < chosen_each; ++i) chosen.push_back(static_cast<index_t>(below(n + 1)) - 1);
    }
    problem = fps_problem<Coord>{all, samples};
    problem.offsets = offsets;
    if (with_firsts) problem.firsts = firsts;
    problem.chosen = chosen;
    problem.wide = below(2) == 0;
    if (below(3) == 0) problem.stop_below = static_cast<double>(random.uniform());
    // Half of the batches say how small their clouds are; the others leave that to be found out.
    if (below(2) == 0) problem.largest = static_cast<index_t>(limit);
  }

  /// The first cloud whose answers differ, and how.
  template <class Scalar>
  std::string first_difference(fps_answer<Scalar> const& actual, fps_answer<Scalar> const& expected) const {
    auto const m = static_cast<std::size_t>(problem.samples);
    for (std::size_t b = 0; b < recipes.size(); ++b) {
      bool same = actual.counts[b] == expected.counts[b];
      for (std::size_t i = b * m; i < (b + 1) * m && same; ++i) {
        same = actual.indices[i] == expected.indices[i] &&
               std::memcmp(&actual.distances[i], &expected.distances[i], sizeof(Scalar)) == 0;
      }
      if (!same) return "cloud " + std::to_string(b) + ", " + recipes[b] + "; " + difference(actual, expected);
    }
    return difference(actual, expected);
  }
};

}  // namespace farpoint_tests

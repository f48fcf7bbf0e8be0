// Ragged batches whose clouds begin and end anywhere in the view.
#pragma once

#include "../fps/fps_problem.hpp"
#include "../support/catch.hpp"
#include "../support/garbage_offsets.hpp"

namespace farpoint_tests {

/// Points of the views of for_ragged_batches(), and queries that are not the points.
inline constexpr index_t ragged_points = 2200;
inline constexpr index_t ragged_queries = 700;

/// Offsets that decrease, or leave a view of 600 points.
inline std::vector<std::vector<index_t>> const wrong_offsets{{0, 400, 300, 600}, {-10, 500}, {0, 601}};

/// Calls `check(point_offsets, query_offsets)` for batches of five clouds. There are points before the first cloud and
/// behind the last, empty clouds at both ends, and other gaps among the queries. A unit of the index has 64 or 512
/// points: clouds begin before, at and behind the ends of some.
template <class Check>
void for_ragged_batches(Check const& check) {
  index_t number = 0;
  for (index_t const begin : {0, 1, 64, 511, 512, 513, 1100, 2048, 2199, 2200}) {
    for (index_t const end : {begin, (begin + ragged_points) / 2, ragged_points}) {
      index_t const first = number * 37 % ragged_queries;
      index_t const last = first + (ragged_queries - first) * (number % 3) / 2;
      ++number;
      CAPTURE(begin, end, first, last);
      check(std::vector<index_t>{begin, begin, (2 * begin + end) / 3, (begin + end) / 2, end, end},
            std::vector<index_t>{first, (first + last) / 2, (first + last) / 2, last, last, last});
    }
  }
}

/// Calls `check(point_offsets, query_offsets)` with lists of which one is wrong, or both are.
template <class Check>
void for_garbage_batches(std::uint64_t seeds, Check const& check) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    random_source random{seed};
    index_t const clouds = 1 + random.below(7);
    auto points = garbage_offsets(random, ragged_points, clouds);
    auto queries = garbage_offsets(random, ragged_queries, clouds);
    index_t b = 0;
    if (seed % 3 == 1) std::generate(points.begin(), points.end(), [&] { return ragged_points * b++ / clouds; });
    if (seed % 3 == 2) std::generate(queries.begin(), queries.end(), [&] { return ragged_queries * b++ / clouds; });
    CAPTURE(seed, points, queries);
    check(points, queries);
  }
}

/// Sets the offsets of a problem's points, and of its queries unless they are the points.
template <class Problem>
void set_offsets(Problem& problem, std::vector<index_t> const& points, std::vector<index_t> const& queries) {
  problem.points.offsets = points;
  if (!problem.self) problem.queries.offsets = queries;
}

}  // namespace farpoint_tests

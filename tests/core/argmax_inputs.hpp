// Scores for block_argmax with everything that makes an arg-max go wrong, and a serial oracle.
#pragma once

#include <farpoint/block/block_argmax.hpp>

#include <cmath>
#include <limits>
#include <vector>

#include "../support/catch.hpp"
#include "../support/random.hpp"

namespace farpoint_tests {

/// A score that only has operator>, larger than a word.
struct weighted {
  double weight;
  std::uint32_t tag;
#if defined(__CUDACC__)
  __host__ __device__
#endif
      friend constexpr bool
      operator>(weighted const& a, weighted const& b) {
    return a.weight > b.weight;
  }
};

template <class Score>
Score random_score(random_source& random, int round) {
  if constexpr (std::is_same_v<Score, weighted>) {
    return {static_cast<double>(random.below(5)), 7};
  } else if constexpr (std::is_floating_point_v<Score>) {
    constexpr Score infinity = std::numeric_limits<Score>::infinity();
    Score const special[] = {std::numeric_limits<Score>::quiet_NaN(), infinity, -infinity, Score(0), -Score(0)};
    if (round % 4 == 0) return special[0];
    if (round % 4 == 1) return special[random.below(5)];
    if (round % 4 == 2) return static_cast<Score>(random.below(4)) - 2;
    return static_cast<Score>(random.uniform()) - Score(0.5);
  } else {
    if (round % 2 == 0) return static_cast<Score>(random.next());
    return static_cast<Score>(random.below(3));
  }
}

/// `rounds` sets of one candidate per thread. Indices are unordered, with duplicates, and a tenth are no_winner.
template <class Score>
std::vector<farpoint::scored<Score>> argmax_inputs(int block_size, int rounds, std::uint64_t seed) {
  random_source random{seed};
  std::vector<farpoint::scored<Score>> inputs;
  for (int round = 0; round < rounds; ++round) {
    for (int thread = 0; thread < block_size; ++thread) {
      auto index = static_cast<std::int32_t>(random.below(3 * block_size)) - block_size;
      if (random.below(10) == 0) index = farpoint::no_winner;
      inputs.push_back({random_score<Score>(random, round), index});
    }
  }
  return inputs;
}

template <class Score>
bool score_is_nan(Score const& score) {
  if constexpr (std::is_floating_point_v<Score>) return std::isnan(score);
  return false;
}

/// The best of `count` candidates, one after another.
template <class Score>
farpoint::scored<Score> serial_argmax(farpoint::scored<Score> const* candidates, int count) {
  auto best = candidates[0];
  for (int i = 1; i < count; ++i) {
    auto const& next = candidates[i];
    bool const greater = next.score > best.score || (score_is_nan(best.score) && !score_is_nan(next.score));
    bool const less = best.score > next.score || (score_is_nan(next.score) && !score_is_nan(best.score));
    if (greater || (!less && next.index < best.index)) best = next;
  }
  return best;
}

template <class Score>
bool same_winner(farpoint::scored<Score> const& a, farpoint::scored<Score> const& b) {
  if (a.index != b.index) return false;
  return (score_is_nan(a.score) && score_is_nan(b.score)) || (!(a.score > b.score) && !(b.score > a.score));
}

/// Every thread of each round got the winner of its round.
template <class Score>
void check_winners(std::vector<farpoint::scored<Score>> const& inputs,
                   std::vector<farpoint::scored<Score>> const& results, int block_size, std::uint64_t seed) {
  REQUIRE(results.size() == inputs.size());
  auto const size = static_cast<std::size_t>(block_size);
  farpoint::scored<Score> expected{};
  for (std::size_t at = 0; at < results.size(); ++at) {
    if (at % size == 0) expected = serial_argmax(&inputs[at], block_size);
    if (same_winner(results[at], expected)) continue;
    CAPTURE(block_size, seed, at, results[at].index, expected.index);
    REQUIRE(false);
  }
}

}  // namespace farpoint_tests

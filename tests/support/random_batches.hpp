// Batches of random sizes. Their points are never read.
#pragma once

#include <farpoint/core/limits.hpp>

#include "random.hpp"

namespace farpoint_tests {

using farpoint::index_t;

/// Returns a number below 2^bits; all magnitudes are equally likely.
inline index_t random_magnitude(random_source& random, int bits) {
  index_t const number = random.below(index_t{1} << random.below(bits + 1));
  return random.below(8) == 0 ? number & ~index_t{1023} : number;
}

/// Makes a batch of `clouds` clouds, regular or ragged, with up to `most` points.
template <class Points>
farpoint::batch<Points> random_batch_of(index_t clouds, index_t most, random_source& random) {
  using batch = farpoint::batch<Points>;
  static float const nothing[16] = {};
  index_t const points = random.below(3) == 0 ? most : random.below(most + 1);
  if (random.below(2) == 0 && clouds > 0) return batch::regular(Points{nothing, points / clouds * clouds}, clouds);
  static index_t const offset = 0;
  index_t const largest = random.below(2) == 0 ? -1 : random.below(points + 1);
  return batch::ragged(Points{nothing, points}, {&offset, static_cast<std::size_t>(clouds) + 1}, largest);
}

template <class Points>
farpoint::batch<Points> random_batch_within(farpoint::batch_limits const& limits, random_source& random) {
  index_t const clouds = random.below(3) == 0 ? limits.clouds : random.below(limits.clouds + 1);
  return random_batch_of<Points>(clouds, limits.points, random);
}

}  // namespace farpoint_tests

// Random calls: what draws them, and what runs them.
#pragma once

#include <farpoint/core/host_exec.hpp>

#include <cstdint>
#include <string>

#include "../support/clouds.hpp"
#include "../support/garbage_offsets.hpp"
#include "../support/random.hpp"

namespace farpoint_tests {

/// Draws a call from the seed, makes it on the device and on the host, and describes the first difference of the
/// answers; empty if they are equal. Equal seeds make equal calls.
using random_call = std::string (*)(std::uint64_t seed);

/// Execution of the host's answer, which the device's answer must equal.
inline constexpr farpoint::host_exec one_thread{1};

std::string random_fps(std::uint64_t seed);
std::string random_voxelize(std::uint64_t seed);
std::string random_knn(std::uint64_t seed);
std::string random_radius(std::uint64_t seed);
std::string random_neighborhood(std::uint64_t seed);
std::string random_gather(std::uint64_t seed);
std::string random_screen(std::uint64_t seed);
std::string random_hash_map(std::uint64_t seed);

/// Says which of two answers is which.
template <class Answer>
std::string compare(Answer const& device, Answer const& host) {
  return same_answer(device, host) ? std::string{} : "device / host: " + difference(device, host);
}

/// One chance in `n`.
inline bool one_in(random_source& random, std::int64_t n) {
  return random.below(n) == 0;
}

/// A cloud of any shape, mostly small.
inline xyz_cloud random_cloud(random_source& random, std::int64_t most) {
  auto const which = all_shapes[random.below(static_cast<std::int64_t>(std::size(all_shapes)))];
  auto const n = one_in(random, 12) ? random.below(3) : random.below(one_in(random, 2) ? most : most / 8 + 1);
  return make_cloud(which, static_cast<std::size_t>(n), random.next());
}

/// Batches a problem's points: one cloud, regular, ragged anywhere in the view, or ragged by garbage.
/// @param clouds  wanted; a regular batch may have fewer where the points cannot be divided
template <class Problem>
void draw_batch(random_source& random, Problem& problem, index_t clouds) {
  index_t const n = problem.points;
  switch (random.below(4)) {
    case 0: problem.clouds = clouds > 0 && n % clouds == 0 ? clouds : 1; return;
    case 1: problem.offsets = garbage_offsets(random, n, clouds); return;
    default: break;
  }
  index_t const begin = one_in(random, 2) ? 0 : random.below(n + 1);
  for (index_t b = 0; b <= clouds; ++b) problem.offsets.push_back(begin + random.below(n + 1 - begin));
  std::sort(problem.offsets.begin(), problem.offsets.end());
  // A promise that may be broken.
  if (one_in(random, 4)) problem.largest = random.below(n + 2);
}

/// Clouds of a batch as drawn by draw_batch().
inline index_t draw_clouds(random_source& random) {
  return one_in(random, 3) ? 1 : 1 + random.below(one_in(random, 8) ? 300 : 9);
}

}  // namespace farpoint_tests

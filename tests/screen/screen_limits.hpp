// Workspaces of searches in screen space within limits. No call reads the points.
#pragma once

#include <farpoint/core/batch.hpp>
#include <farpoint/types/knn_screen.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "../support/catch.hpp"
#include "../support/random_batches.hpp"

namespace farpoint_tests {

using farpoint::screen_limits;

/// Returns a random number from `least` to `most`, often one of these two.
template <class Integer>
Integer number_within(Integer least, Integer most, random_source& random) {
  index_t const choice = random.below(6);
  if (choice < 2) return choice == 0 ? least : most;
  return static_cast<Integer>(least + random.below(index_t{most} - least + 1));
}

/// Returns limits of random magnitudes, or the largest possible ones.
inline screen_limits random_screen_limits(random_source& random) {
  auto const side = [&random] { return number_within<index_t>(1, index_t{1} << random.below(14), random); };
  screen_limits limits;
  limits.points = random_magnitude(random, 29);
  limits.width = side();
  limits.height = side();
  limits.k = number_within<index_t>(1, index_t{1} << random.below(11), random);
  limits.layers = number_within(1, 16, random);
  limits.rounds = random.below(2) == 0 ? farpoint::until_exact : number_within(1, 64, random);
  return limits;
}

inline screen_limits screen_limits_within(screen_limits const& most, random_source& random) {
  screen_limits less;
  less.points = number_within<index_t>(0, most.points, random);
  less.width = number_within<index_t>(1, most.width, random);
  less.height = number_within<index_t>(1, most.height, random);
  less.k = number_within<index_t>(1, most.k, random);
  less.layers = number_within(1, most.layers, random);
  less.rounds = number_within(0, most.rounds, random);
  return less;
}

/// Returns the workspace, in bytes, of the largest search within the limits.
template <class Points, class Camera, class Exec>
std::size_t screen_bytes(Exec exec, screen_limits const& of) {
  static constexpr typename Points::scalar nothing[3] = {};
  farpoint::screen_space<Camera> method;
  method.camera.width = static_cast<std::int32_t>(of.width);
  method.camera.height = static_cast<std::int32_t>(of.height);
  method.k = of.k;
  method.layers = of.layers;
  method.rounds = of.rounds;
  return knn_workspace_bytes(exec, farpoint::batch{Points{nothing, of.points}}, method);
}

template <class Points, class Exec>
std::size_t screen_bound(Exec exec, screen_limits const& limits) {
  std::size_t bound = 0;
  REQUIRE(farpoint::knn_screen_workspace_bound<Points>(exec, limits, bound));
  return bound;
}

/// Checks that the bound suffices for all searches within the limits, is tight, and grows with the limits.
template <class Points, class Exec>
void check_screen_bound(Exec exec, std::uint64_t seed) {
  using scalar = typename Points::scalar;
  random_source random{seed};
  screen_limits const limits = random_screen_limits(random);
  std::size_t const bound = screen_bound<Points>(exec, limits);
  CAPTURE(seed, limits.points, limits.width, limits.height, limits.k, limits.layers, limits.rounds);
  std::size_t most = 0;
  for (int i = 0; i < 100; ++i) {
    // A camera may refuse a size; such a search does not exist.
    screen_limits less = screen_limits_within(limits, random);
    CAPTURE(i, less.points, less.width, less.height, less.k, less.layers, less.rounds);
    CHECK(screen_bound<Points>(exec, less) <= bound);
    std::size_t const bytes = screen_bytes<Points, farpoint::pinhole_camera<scalar>>(exec, less);
    REQUIRE(bytes <= bound);
    REQUIRE(screen_bytes<Points, farpoint::spherical_camera<scalar>>(exec, less) == bytes);
    most = std::max(most, bytes);
    less.rounds = farpoint::until_exact;
    std::size_t const exact = screen_bytes<Points, farpoint::organized_camera<scalar>>(exec, less);
    REQUIRE(exact > 0);
    REQUIRE(exact <= bound);
  }
  screen_limits exact = limits;
  exact.rounds = farpoint::until_exact;
  most = std::max(most, screen_bytes<Points, farpoint::pinhole_camera<scalar>>(exec, exact));
  if (limits.rounds == farpoint::until_exact) CHECK(bound <= most + (std::size_t{1} << 17));
}

/// Checks that absurd limits are refused and that `bytes` is not set.
template <class Points, class Exec>
void check_absurd_screen_limits(Exec exec) {
  screen_limits const taken{10, 640, 480, 8, 2, 3};
  std::size_t bytes = 77;
  auto const refuses = [&](auto screen_limits::*member, auto value) {
    screen_limits limits = taken;
    limits.*member = value;
    CAPTURE(limits.points, limits.width, limits.height, limits.k, limits.layers, limits.rounds);
    auto const refused = farpoint::knn_screen_workspace_bound<Points>(exec, limits, bytes);
    CHECK(refused.code == farpoint::status::bad_argument);
    CHECK(std::string{refused.reason}.find(": ") != std::string::npos);
  };
  constexpr index_t most = std::numeric_limits<index_t>::max();
  for (index_t const points : {index_t{-1}, most}) refuses(&screen_limits::points, points);
  // The lower 32 bits of the last one are a valid side.
  for (index_t const side : {index_t{-1}, index_t{0}, index_t{8193}, most, (index_t{1} << 32) + 5}) {
    refuses(&screen_limits::width, side);
    refuses(&screen_limits::height, side);
  }
  for (index_t const k : {index_t{0}, index_t{1025}}) refuses(&screen_limits::k, k);
  for (int const layers : {0, 17}) refuses(&screen_limits::layers, layers);
  for (int const rounds : {-1, 65}) refuses(&screen_limits::rounds, rounds);
  CHECK(bytes == 77);
  REQUIRE(farpoint::knn_screen_workspace_bound<Points>(exec, taken, bytes));
  CHECK(bytes > 77);
}

}  // namespace farpoint_tests

// Random numbers that are the same on every platform and compiler.
#pragma once

#include <cstdint>

namespace farpoint_tests {

/// SplitMix64 (Steele, Lea and Flood 2014).
class random_source {
 public:
  explicit random_source(std::uint64_t seed) noexcept : state_{seed} {}

  std::uint64_t next() noexcept {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  /// Uniform in [0, 1), a multiple of 2^-24.
  float uniform() noexcept { return static_cast<float>(next() >> 40) * 0x1p-24f; }
  /// Uniform in [0, bound).
  std::int64_t below(std::int64_t bound) noexcept {
    return static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(bound));
  }

 private:
  std::uint64_t state_;
};

}  // namespace farpoint_tests

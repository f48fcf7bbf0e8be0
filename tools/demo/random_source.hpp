// Random numbers for synthetic clouds.
#pragma once

#include <cstdint>

namespace farpoint_tools {

/// SplitMix64 (Steele, Lea, Flood 2014). The standard's distributions differ from library to library.
class random_source {
 public:
  explicit random_source(std::uint64_t seed) : state_{seed} {}

  /// In [0, 1).
  double uniform() {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t z = state_;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9U;
    z = (z ^ z >> 27) * 0x94d049bb133111ebU;
    return static_cast<double>((z ^ z >> 31) >> 11) * 0x1p-53;
  }
  double between(double low, double high) { return low + (high - low) * uniform(); }
  bool chance(double probability) { return uniform() < probability; }

  /// Nearly normally distributed, standard deviation 1.
  double normal() {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += uniform();
    return sum;
  }

 private:
  std::uint64_t state_;
};

}  // namespace farpoint_tools

// Random and adversarial pairs of points for distance2, and an oracle that shares no code with it.
#pragma once

#include <farpoint/core/math.hpp>

#include <cstring>
#include <vector>

#include "../support/random.hpp"

namespace farpoint_tests {

template <class Scalar>
struct point_pair {
  farpoint::vec<Scalar, 3> a, b;
};

/// Any bit pattern, NaN and infinity among them.
inline float any_bits(random_source& random, float) {
  auto const word = static_cast<std::uint32_t>(random.next());
  float value;
  std::memcpy(&value, &word, sizeof value);
  return value;
}
inline double any_bits(random_source& random, double) {
  std::uint64_t const word = random.next();
  double value;
  std::memcpy(&value, &word, sizeof value);
  return value;
}

/// Pairs of several kinds: street-sized, UTM, nearly equal, of any exponent, subnormal, overflowing, any bits.
template <class Scalar>
std::vector<point_pair<Scalar>> make_pairs(std::size_t count, std::uint64_t seed) {
  random_source random{seed};
  std::vector<point_pair<Scalar>> pairs(count);
  for (std::size_t i = 0; i < count; ++i) {
    auto const kind = i % 7;
    for (int axis = 0; axis < 3; ++axis) {
      // Products in double are exact here: a compiler that fuses one with a sum makes the same pairs.
      auto const u = static_cast<double>(random.uniform());
      auto const v = static_cast<double>(random.uniform());
      auto a = static_cast<Scalar>(u);
      auto b = static_cast<Scalar>(v);
      auto const set = [&a, &b](double new_a, double new_b) {
        a = static_cast<Scalar>(new_a);
        b = static_cast<Scalar>(new_b);
      };
      auto const exponent = static_cast<int>(random.below(120)) - 60;
      switch (kind) {
        case 0: set(u * 200 - 100, v * 200 - 100); break;
        case 1: set(5400000 + u * 100, 5400000 + v * 100); break;
        case 2: b = std::nextafter(a, static_cast<Scalar>(2)); break;
        case 3: set(std::ldexp(u, exponent), std::ldexp(v, exponent - static_cast<int>(random.below(30)))); break;
        case 4: set(u * 1e-22, v * 1e-23); break;
        case 5: set((u - 0.5) * 4e19, (v - 0.5) * 4e19); break;
        default: a = any_bits(random, a), b = any_bits(random, b);
      }
      pairs[i].a[axis] = a;
      pairs[i].b[axis] = b;
    }
  }
  return pairs;
}

/// a * a + c rounded once, by way of double: exact product, exact error of the sum, rounded to odd, then to float.
inline float oracle_square_add(float a, float c) {
  double const product = static_cast<double>(a) * static_cast<double>(a);
  double const addend = static_cast<double>(c);
  double sum = product + addend;
  if (std::isfinite(sum)) {
    double const part = sum - product;
    double const error = (product - (sum - part)) + (addend - part);
    std::uint64_t word;
    std::memcpy(&word, &sum, sizeof word);
    if (error != 0 && (word & 1) == 0) {
      // The sum is positive: one step in the direction of the error makes it odd.
      word += error > 0 ? 1u : ~std::uint64_t{0};
      std::memcpy(&sum, &word, sizeof sum);
    }
  }
  return static_cast<float>(sum);
}

inline float oracle_distance2(point_pair<float> const& pair) {
  float sum = 0;
  for (int axis = 0; axis < 3; ++axis) {
    // A difference of floats rounded to double and then to float is rounded once: 53 >= 2 * 24 + 2.
    auto const difference = static_cast<float>(static_cast<double>(pair.a[axis]) - static_cast<double>(pair.b[axis]));
    sum = oracle_square_add(difference, sum);
  }
  return sum;
}

/// Equal bits, or both NaN (a NaN's payload is no part of the promise).
template <class Scalar>
bool same_bits(Scalar a, Scalar b) {
  return (a != a && b != b) || std::memcmp(&a, &b, sizeof a) == 0;
}

}  // namespace farpoint_tests

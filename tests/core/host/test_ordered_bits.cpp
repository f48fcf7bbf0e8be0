// Numbers as words of the same order, against the order of the numbers and std::nextafter.
#include <farpoint/core/ordered_bits.hpp>

#include <cmath>
#include <limits>
#include <vector>

#include "../../support/catch.hpp"
#include "../../support/random.hpp"

using farpoint::detail::lane_word;
using farpoint::detail::ordered_value;
using farpoint::detail::ordered_word;
using farpoint_tests::random_source;

namespace {

template <class Scalar>
Scalar from_bits(lane_word<Scalar> bits) {
  Scalar value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

template <class Scalar>
bool comes_back(Scalar value) {
  Scalar const back = ordered_value<Scalar>(ordered_word(value));
  return std::memcmp(&back, &value, sizeof value) == 0;
}

/// Ascending, with all that is special.
template <class Scalar>
std::vector<Scalar> special_values() {
  using limits = std::numeric_limits<Scalar>;
  std::vector<Scalar> values{-limits::infinity(),   -limits::max(), -1,          -limits::min(),
                             -limits::denorm_min(), Scalar(-0.0),   Scalar(0.0), limits::denorm_min(),
                             limits::min(),         Scalar(0.1),    1,           limits::max(),
                             limits::infinity()};
  return values;
}

template <class Scalar>
void check_special_values() {
  auto const values = special_values<Scalar>();
  for (std::size_t a = 0; a < values.size(); ++a) {
    CAPTURE(sizeof(Scalar), values[a]);
    CHECK(comes_back(values[a]));
    CHECK(ordered_word(values[a]) > 0);
    // -0 is below +0: a total order.
    for (std::size_t b = 0; b < values.size(); ++b) {
      CHECK((ordered_word(values[a]) < ordered_word(values[b])) == (a < b));
    }
  }
}

/// Words of numbers that follow one another do so too, except that there are two zeros.
template <class Scalar>
void check_neighbors() {
  constexpr Scalar top = std::numeric_limits<Scalar>::infinity();
  random_source random{sizeof(Scalar)};
  for (int i = 0; i < 20000; ++i) {
    auto const value = from_bits<Scalar>(static_cast<lane_word<Scalar>>(random.next()));
    if (!(std::fabs(value) < top) || value == 0) continue;
    CAPTURE(value);
    Scalar const above = std::nextafter(value, top);
    REQUIRE(comes_back(value));
    REQUIRE(ordered_word(above) - ordered_word(value) == 1);
    REQUIRE((above == 0) == (ordered_word(above) == ordered_word(Scalar(-0.0))));
  }
  CHECK(ordered_word(Scalar(0.0)) - ordered_word(Scalar(-0.0)) == 1);
}

template <class Scalar>
void check_random_pairs() {
  random_source random{17 + sizeof(Scalar)};
  for (int i = 0; i < 20000; ++i) {
    auto const a = from_bits<Scalar>(static_cast<lane_word<Scalar>>(random.next()));
    auto const b = from_bits<Scalar>(static_cast<lane_word<Scalar>>(random.next()));
    if (std::isnan(a) || std::isnan(b)) continue;
    CAPTURE(a, b);
    REQUIRE((ordered_word(a) < ordered_word(b)) == (a < b));
  }
}

}  // namespace

TEST_CASE("ordered_word: infinities, subnormal numbers and both zeros", "[ordered_bits]") {
  static_assert(sizeof(lane_word<float>) == 4 && sizeof(lane_word<double>) == 8);
  check_special_values<float>();
  check_special_values<double>();
}

TEST_CASE("ordered_word: the next number has the next word", "[ordered_bits]") {
  check_neighbors<float>();
  check_neighbors<double>();
}

TEST_CASE("ordered_word: random bits are ordered as the numbers are", "[ordered_bits]") {
  check_random_pairs<float>();
  check_random_pairs<double>();
}

// Bits of words, against std::bitset and loops over the bits.
#include <farpoint/core/bits.hpp>

#include <bitset>

#include "../../support/catch.hpp"
#include "../../support/random.hpp"

using namespace farpoint::detail;
using farpoint_tests::random_source;

namespace {

template <class Word>
constexpr int bits_of = static_cast<int>(8 * sizeof(Word));

template <class Word>
bool is_right(Word word) {
  std::bitset<64> const bits{word};
  bool right = count_bits(word) == bits.count() && is_power_of_two(word) == (bits.count() == 1);
  if (word == 0) return right;
  std::size_t lowest = 0;
  while (!bits[lowest]) ++lowest;
  return right && lowest_bit(word) == static_cast<int>(lowest);
}

template <class Word>
void check_words() {
  CAPTURE(bits_of<Word>);
  REQUIRE(is_right(Word{0}));
  REQUIRE(is_right(static_cast<Word>(~Word{0})));
  for (int a = 0; a < bits_of<Word>; ++a) {
    for (int b = 0; b < bits_of<Word>; ++b) REQUIRE(is_right(static_cast<Word>(Word{1} << a | Word{1} << b)));
    REQUIRE(is_right(static_cast<Word>(~Word{0} << a)));
    REQUIRE(is_right(static_cast<Word>((Word{1} << a) - 1)));
  }
  random_source random{bits_of<Word>};
  for (int i = 0; i < 20000; ++i) {
    // Random words, words with few ones, and words whose low bits are zero.
    auto const word = static_cast<Word>(random.next());
    REQUIRE(is_right(word));
    REQUIRE(is_right(static_cast<Word>(word & random.next() & random.next())));
    REQUIRE(is_right(static_cast<Word>(word << random.below(bits_of<Word>))));
  }
}

}  // namespace

TEST_CASE("bits: how many are set, and which is the lowest", "[bits]") {
  check_words<std::uint32_t>();
  check_words<std::uint64_t>();
}

TEST_CASE("bits: powers of two, of signed numbers too", "[bits]") {
  static_assert(!is_power_of_two(0) && is_power_of_two(1) && is_power_of_two(2) && !is_power_of_two(3));
  static_assert(!is_power_of_two(-1) && !is_power_of_two(-4) && !is_power_of_two(INT32_MIN));
  static_assert(is_power_of_two(std::int64_t{1} << 62) && !is_power_of_two((std::int64_t{1} << 62) + 1));
  SUCCEED();
}

/// @file
/// Radix sort of keys and values by one host thread.
#pragma once

#include <farpoint/core/math.hpp>
#include <farpoint/core/types.hpp>

#include <cstring>
#include <utility>

FARPOINT_BEGIN_NAMESPACE

/// Keys, and a value of each.
template <class Key, class Value>
struct key_value_arrays {
  Key* keys;
  Value* values;
};

/// Sorts pairs by the lowest bits of their keys, ascending; stable. Least digit first, and a digit that all keys share
/// costs no pass. For some hundred pairs and more; std::sort is faster below.
///
/// O(count * bits / DigitBits + 2^DigitBits * bits / DigitBits). Allocates nothing; the digits are counted on the
/// stack, 2^DigitBits words for each digit of a Key: 48 KiB for 64-bit keys and the default. One thread; arrays that do
/// not overlap may be sorted at the same time.
/// @param from   the pairs; overwritten
/// @param to     `[count]` pairs of scratch memory that do not overlap `from`
/// @param count  pairs, fewer than 2^32
/// @param bits   that the keys have, 0 to 8 * sizeof(Key); bits above are not looked at
/// @return `from` or `to`: where the sorted pairs are
/// @tparam Key    unsigned integer
/// @tparam Value  copied along with its key
template <int DigitBits = 11, class Key, class Value>
key_value_arrays<Key, Value> host_radix_sort(key_value_arrays<Key, Value> from, key_value_arrays<Key, Value> to,
                                             index_t count, int bits) noexcept {
  static_assert(std::is_unsigned_v<Key>, "farpoint: host_radix_sort takes unsigned keys");
  static_assert(DigitBits >= 1 && DigitBits <= 16, "farpoint: a digit has 1 to 16 bits");
  constexpr int digit_values = 1 << DigitBits;
  constexpr int max_digits = detail::divide_up(8 * int{sizeof(Key)}, DigitBits);
  if (count <= 0) return from;
  // The last digit may have fewer bits than the others.
  auto const used = bits < 8 * int{sizeof(Key)} ? static_cast<Key>((Key{1} << bits) - 1) : static_cast<Key>(~Key{0});
  auto const digit_of = [used](Key key, int d) {
    return static_cast<std::uint32_t>((key & used) >> (d * DigitBits)) & (digit_values - 1);
  };
  int const digits = detail::divide_up(bits, DigitBits);
  std::uint32_t counts[std::size_t{max_digits}][std::size_t{digit_values}];
  std::memset(counts, 0, static_cast<std::size_t>(digits) * sizeof counts[0]);
  for (index_t i = 0; i < count; ++i) {
    for (int d = 0; d < digits; ++d) ++counts[d][digit_of(from.keys[i], d)];
  }
  for (int d = 0; d < digits; ++d) {
    std::uint32_t* const place_of = counts[d];
    if (place_of[digit_of(from.keys[0], d)] == count) continue;
    std::uint32_t place = 0;
    for (int value = 0; value < digit_values; ++value) place += std::exchange(place_of[value], place);
    for (index_t i = 0; i < count; ++i) {
      std::uint32_t const at = place_of[digit_of(from.keys[i], d)]++;
      to.keys[at] = from.keys[i];
      to.values[at] = from.values[i];
    }
    std::swap(from, to);
  }
  return from;
}

FARPOINT_END_NAMESPACE

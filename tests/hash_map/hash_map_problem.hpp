// Keys and values for a hash map, and the map's expected contents, for tests on the host and on the device.
#pragma once

#include <farpoint/container/hash_map_ref.hpp>

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "../support/random.hpp"

namespace farpoint_tests {

using farpoint::index_t;

/// A pair to insert.
template <class Key, class Value>
struct hash_map_pair {
  Key key;
  Value value;
};

// The other choices of hash_map_tuning.
struct split_tuning : farpoint::hash_map_tuning {
  static constexpr int max_parts = 1;
  static constexpr farpoint::hash_map_layout layout = farpoint::hash_map_layout::split;
};
/// Processes the map's parts in several passes, however small the map is.
template <int Passes, farpoint::hash_map_layout Layout = farpoint::hash_map_layout::pairs>
struct passes_tuning : farpoint::hash_map_tuning {
  static constexpr int max_parts = 1;
  static constexpr farpoint::hash_map_layout layout = Layout;
  static constexpr int passes(farpoint::hash_map_case const&) noexcept { return Passes; }
};

/// Sorts keys by part of the map on a device, however small the map is.
template <int Parts, farpoint::hash_map_layout Layout = farpoint::hash_map_layout::pairs>
struct sorted_tuning : farpoint::hash_map_tuning {
  static constexpr farpoint::hash_map_layout layout = Layout;
  static constexpr int parts(farpoint::hash_map_case const&) noexcept { return Parts; }
};

template <class Key, class Value = std::uint32_t, class Hash = farpoint::default_hash>
using split_map = farpoint::hash_map_ref<Key, Value, Hash, split_tuning>;

template <class Key, int Passes, farpoint::hash_map_layout Layout = farpoint::hash_map_layout::pairs>
using passes_map = farpoint::hash_map_ref<Key, std::uint32_t, farpoint::default_hash, passes_tuning<Passes, Layout>>;

/// Distribution of keys. The hash must work with each.
enum class key_shape {
  random,
  sequential,  ///< 0, 1, 2, ...
  strided,     ///< multiples of 2^16, or of 2^32 for keys of 64 bits: the low bits are all equal
  grid         ///< cells of a small cube in a large grid
};
inline constexpr key_shape all_key_shapes[] = {key_shape::random, key_shape::sequential, key_shape::strided,
                                               key_shape::grid};

/// Returns key `i` of a set of distinct keys, none of which has all bits set.
template <class Key>
Key key_number(key_shape shape, std::uint64_t i, std::uint64_t seed) {
  using bits = std::make_unsigned_t<Key>;
  constexpr int half = 4 * int{sizeof(Key)};
  bits key = 0;
  switch (shape) {
    // mix_bits() is bijective, so keys are distinct.
    case key_shape::random:
      key = static_cast<bits>(farpoint::mix_bits(static_cast<bits>(i + seed * 0x9e3779b9u)));
      break;
    case key_shape::sequential: key = static_cast<bits>(i); break;
    case key_shape::strided:
      key = static_cast<bits>((static_cast<bits>(i) << half) | (static_cast<bits>(i) >> half));
      break;
    case key_shape::grid: key = static_cast<bits>(((i / 4096) * 4096 + (i / 64 % 64)) * 4096 + i % 64); break;
  }
  return static_cast<Key>(key == static_cast<bits>(-1) ? bits{0x5eed} : key);
}

/// Makes `count` pairs with keys drawn from `distinct` keys. Each key occurs at least once if count >= distinct.
template <class Key, class Value>
std::vector<hash_map_pair<Key, Value>> make_pairs_of(key_shape shape, std::size_t count, std::size_t distinct,
                                                     std::uint64_t seed) {
  random_source random{seed};
  std::vector<hash_map_pair<Key, Value>> pairs(count);
  for (std::size_t i = 0; i < count; ++i) {
    auto const which = i < distinct ? i : static_cast<std::size_t>(random.below(static_cast<std::int64_t>(distinct)));
    pairs[i] = {key_number<Key>(shape, which, seed), static_cast<Value>(random.next())};
  }
  for (std::size_t i = count; i > 1; --i) {
    std::swap(pairs[i - 1], pairs[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(i)))]);
  }
  return pairs;
}

/// Calls make_pairs_of() with the key and value types of `Map`.
template <class Map>
auto make_pairs_for(key_shape shape, std::size_t count, std::size_t distinct, std::uint64_t seed) {
  return make_pairs_of<typename Map::key_type, typename Map::value_type>(shape, count, distinct, seed);
}

/// Returns the smallest value of each key.
template <class Key, class Value>
std::unordered_map<Key, Value> smallest_values(std::vector<hash_map_pair<Key, Value>> const& pairs) {
  std::unordered_map<Key, Value> smallest;
  for (auto const& pair : pairs) {
    auto const at = smallest.emplace(pair.key, pair.value).first;
    at->second = std::min(at->second, pair.value);
  }
  return smallest;
}

/// Returns the number of occurrences of each key.
template <class Key, class Value>
std::unordered_map<Key, Value> multiplicities(std::vector<hash_map_pair<Key, Value>> const& pairs) {
  std::unordered_map<Key, Value> counts;
  for (auto const& pair : pairs) ++counts[pair.key];
  return counts;
}

/// Returns the sum of the values of each key.
template <class Key, class Value>
std::unordered_map<Key, Value> sums_of(std::vector<hash_map_pair<Key, Value>> const& pairs) {
  std::unordered_map<Key, Value> sums;
  for (auto const& pair : pairs) sums[pair.key] = static_cast<Value>(sums[pair.key] + pair.value);
  return sums;
}

/// Entry that for_each() visited.
template <class Key, class Value>
struct hash_map_entry {
  Key key;
  Value value;
  index_t slot;
};

/// Returns true if the entries are the expected pairs, each key once, in distinct slots.
template <class Key, class Value>
bool same_contents(std::vector<hash_map_entry<Key, Value>> const& entries,
                   std::unordered_map<Key, Value> const& expected) {
  std::unordered_map<Key, Value> left = expected;
  std::unordered_map<index_t, int> slots;
  for (auto const& entry : entries) {
    auto const at = left.find(entry.key);
    if (at == left.end() || at->second != entry.value || ++slots[entry.slot] > 1) return false;
    left.erase(at);
  }
  return left.empty();
}

}  // namespace farpoint_tests

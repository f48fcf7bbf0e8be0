// Keys for the lists of container/topk.hpp, the lists under one interface, and an oracle that sorts.
#pragma once

#include <farpoint/container/topk.hpp>

#include <algorithm>
#include <limits>
#include <vector>

#include "../support/random.hpp"

namespace farpoint_tests {

/// Keys with ties in the distance, and copies: `kind` 0 random, 1 few distances, 2 one distance, 3 descending,
/// 4 ascending.
template <class Key, class Scalar>
std::vector<Key> topk_keys(std::size_t count, int kind, std::uint64_t seed) {
  random_source random{seed};
  std::vector<Key> keys;
  for (std::size_t i = 0; i < count; ++i) {
    auto distance = static_cast<Scalar>(random.uniform());
    if (kind == 1) {
      Scalar const some[] = {0, std::numeric_limits<Scalar>::denorm_min(), 1, std::numeric_limits<Scalar>::max(),
                             std::numeric_limits<Scalar>::infinity()};
      distance = some[random.below(5)];
    }
    if (kind == 2) distance = 2;
    if (kind == 3) distance = static_cast<Scalar>(count - i);
    if (kind == 4) distance = static_cast<Scalar>(i);
    auto const index = static_cast<std::uint32_t>(kind < 2 ? random.below(static_cast<std::int64_t>(count))
                                                           : static_cast<std::int64_t>(i));
    keys.push_back(Key{distance, index});
  }
  return keys;
}

/// The k smallest that are below the limit, then the limit. Compares what the keys hold, not the keys.
template <class Key, class Less>
std::vector<Key> smallest_keys(std::vector<Key> keys, int k, Key const& limit, Less const& less) {
  keys.erase(std::remove_if(keys.begin(), keys.end(), [&](Key const& key) { return !less(key, limit); }), keys.end());
  std::sort(keys.begin(), keys.end(), less);
  keys.resize(static_cast<std::size_t>(k), limit);
  return keys;
}

/// The orders of neighbor_key and index_key, said again.
struct nearer {
  template <class Key>
  bool operator()(Key const& a, Key const& b) const {
    if (a.distance2() != b.distance2()) return a.distance2() < b.distance2();
    return a.index() < b.index();
  }
};
struct of_lower_index {
  template <class Key>
  bool operator()(Key const& a, Key const& b) const {
    return a.index() < b.index();
  }
};

// The lists that run on host and device: out[0, k) from `size` keys, memory `[k]`.
template <int Capacity>
struct in_registers {
  static constexpr int most = Capacity;
  template <class Key>
  FARPOINT_HD static void run(Key const* keys, int size, int k, Key const& limit, Key* out) {
    farpoint::topk_list<Key, Capacity> list{k, limit};
    for (int i = 0; i < size; ++i) list.push(keys[i]);
    list.write(out, k);
  }
};
struct in_heap {
  static constexpr int most = 1 << 20;
  template <class Key>
  FARPOINT_HD static void run(Key const* keys, int size, int k, Key const& limit, Key* out) {
    farpoint::topk_heap<Key> list{out, k, limit};
    for (int i = 0; i < size; ++i) list.push(keys[i]);
    list.sort();
  }
};

template <class Key>
bool same_keys(std::vector<Key> const& a, std::vector<Key> const& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](Key const& x, Key const& y) {
    return x.distance2() == y.distance2() && x.index() == y.index();
  });
}

}  // namespace farpoint_tests

/// @file
/// What the bulk operations on a hash map fill.
#pragma once

#include <farpoint/core/types.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Counters of a call: keys that it did not insert.
struct hash_map_report {
  std::uint64_t refused = 0;  ///< entries whose key is the map's empty key
  std::uint64_t no_room = 0;  ///< entries whose key is not in the map, because it is full
};

/// Where the pairs of a map go. All in the memory space of the execution.
template <class Key, class Value>
struct hash_map_pairs {
  /// The capacity: keys that find no place here are counted and left out.
  span<Key> keys;

  /// The same size, or empty: not wanted.
  span<Value> values = {};

  /// Number of keys in the map, which may be more than there is room for. Overwritten, not added to.
  std::uint64_t* count = nullptr;
};

FARPOINT_END_NAMESPACE

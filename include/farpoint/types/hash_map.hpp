/// @file
/// Names and outputs of the bulk operations on a hash map.
#pragma once

#include <farpoint/core/types.hpp>

FARPOINT_BEGIN_NAMESPACE

/// A bulk operation: hash_map_insert(), and so on.
enum class hash_map_call {
  insert,
  insert_or_assign,
  insert_or_add,
  insert_or_min,
  insert_keys,
  find_or_insert,
  erase,
  contains,
  find,
  find_slots
};

/// Counts the keys that a call did not insert or erase.
struct hash_map_report {
  std::uint64_t refused = 0;  ///< entries whose key the map reserves: the empty key, as a rule
  std::uint64_t no_room = 0;  ///< entries whose key found no room, as the map is full
  std::uint64_t absent = 0;   ///< entries that were to be erased, and whose key is not in the map
};

/// Outputs of hash_map_extract(), the pairs of a map, in the memory space of the execution.
template <class Key, class Value>
struct hash_map_pairs {
  /// The keys. The size of `keys` is the capacity: further keys are counted and left out.
  span<Key> keys;

  /// The value of each key: of the size of `keys`, or empty to leave the values out.
  span<Value> values = {};

  /// Optional: the number of keys in the map, which may exceed the capacity. Overwritten, not added to.
  std::uint64_t* count = nullptr;
};

FARPOINT_END_NAMESPACE

/// @file
/// Arguments of a bulk call on a hash map, as passed to the compiled library.
#pragma once

#include <farpoint/container/hash_map_ref.hpp>
#include <farpoint/core/index_span.hpp>
#include <farpoint/types/hash_map.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace library {

/// Bulk operations on a hash map.
enum class hash_map_operation {
  clear,
  insert,
  insert_or_assign,
  insert_or_add,
  insert_or_min,
  insert_keys,
  find_or_insert,
  contains,
  find,
  find_slots,
  rehash,
  extract
};

/// Operation with its arguments. Arguments that the operation does not use are empty.
template <class Key, class Value>
struct hash_map_call {
  hash_map_operation operation;
  hash_map_ref<Key, Value> map;
  span<Key const> keys = {};
  span<Value const> values = {};
  index_span slots = {};
  hash_map_report* report = nullptr;

  Value missing = {};                     ///< used by find
  span<Value> found = {};                 ///< used by find
  span<bool> contained = {};              ///< used by contains
  hash_map_ref<Key, Value> to = {};       ///< used by rehash
  hash_map_pairs<Key, Value> pairs = {};  ///< used by extract
  bytes workspace = {};
};

}  // namespace library
FARPOINT_END_NAMESPACE

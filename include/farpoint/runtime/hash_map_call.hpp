/// @file
/// A bulk call on a hash map as the compiled library takes it.
#pragma once

#include <farpoint/container/hash_map_ref.hpp>
#include <farpoint/core/index_span.hpp>
#include <farpoint/types/hash_map.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace library {

/// The bulk operations on a hash map.
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

/// An operation with its arguments. Arguments that the operation does not use are empty.
template <class Key, class Value>
struct hash_map_call {
  hash_map_operation operation;
  hash_map_ref<Key, Value> map;
  span<Key const> keys = {};
  span<Value const> values = {};
  index_span slots = {};
  hash_map_report* report = nullptr;

  Value missing = {};                     ///< of find
  span<Value> found = {};                 ///< of find
  span<bool> contained = {};              ///< of contains
  hash_map_ref<Key, Value> to = {};       ///< of rehash
  hash_map_pairs<Key, Value> pairs = {};  ///< of extract
  bytes workspace = {};
};

}  // namespace library
FARPOINT_END_NAMESPACE

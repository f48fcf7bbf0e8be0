#include <farpoint/hash_map.cuh>

#include "on_stream.cuh"

FARPOINT_BEGIN_NAMESPACE
namespace library {

namespace {

/// A distinct type gives the functions of hash_map.hpp instantiated here other symbols than their instances for
/// cuda_exec in a caller's file, which call the library: a linker keeps one definition per symbol.
struct kernels_exec : cuda_exec {
  kernels_exec(cuda_exec exec) noexcept : cuda_exec{exec} {}
};

template <class Key, class Value>
result operate(kernels_exec exec, hash_map_call<Key, Value> const& c) noexcept {
  switch (c.operation) {
    case hash_map_operation::clear: return hash_map_clear(exec, c.map);
    case hash_map_operation::insert: return hash_map_insert(exec, c.map, c.keys, c.values, c.report, c.workspace);
    case hash_map_operation::insert_or_assign:
      return hash_map_insert_or_assign(exec, c.map, c.keys, c.values, c.report, c.workspace);
    case hash_map_operation::insert_or_add:
      return hash_map_insert_or_add(exec, c.map, c.keys, c.values, c.report, c.workspace);
    case hash_map_operation::insert_or_min:
      return hash_map_insert_or_min(exec, c.map, c.keys, c.values, c.report, c.workspace);
    case hash_map_operation::insert_keys: return hash_map_insert_keys(exec, c.map, c.keys, c.report, c.workspace);
    case hash_map_operation::find_or_insert:
      return hash_map_find_or_insert(exec, c.map, c.keys, c.slots, c.report, c.workspace);
    case hash_map_operation::contains: return hash_map_contains(exec, c.map, c.keys, c.contained, c.workspace);
    case hash_map_operation::find: return hash_map_find(exec, c.map, c.keys, c.missing, c.found, c.workspace);
    case hash_map_operation::find_slots: return hash_map_find_slots(exec, c.map, c.keys, c.slots, c.workspace);
    case hash_map_operation::rehash: return hash_map_rehash(exec, c.map, c.to, c.report);
    case hash_map_operation::extract: return hash_map_extract(exec, c.map, c.pairs, c.workspace);
  }
  return {};
}

template <class Key, class Value>
std::size_t workspace_of(kernels_exec exec, hash_map_call<Key, Value> const& c) noexcept {
  auto const bytes_of = [&](farpoint::hash_map_call call) {
    return hash_map_workspace_bytes(exec, c.map, call, static_cast<index_t>(c.keys.size()));
  };
  switch (c.operation) {
    case hash_map_operation::clear:
    case hash_map_operation::rehash: return 0;
    case hash_map_operation::insert: return bytes_of(farpoint::hash_map_call::insert);
    case hash_map_operation::insert_or_assign: return bytes_of(farpoint::hash_map_call::insert_or_assign);
    case hash_map_operation::insert_or_add: return bytes_of(farpoint::hash_map_call::insert_or_add);
    case hash_map_operation::insert_or_min: return bytes_of(farpoint::hash_map_call::insert_or_min);
    case hash_map_operation::insert_keys: return bytes_of(farpoint::hash_map_call::insert_keys);
    case hash_map_operation::find_or_insert: return bytes_of(farpoint::hash_map_call::find_or_insert);
    case hash_map_operation::contains: return bytes_of(farpoint::hash_map_call::contains);
    case hash_map_operation::find: return bytes_of(farpoint::hash_map_call::find);
    case hash_map_operation::find_slots: return bytes_of(farpoint::hash_map_call::find_slots);
    case hash_map_operation::extract: return hash_map_extract_workspace_bytes(exec, c.map);
  }
  return 0;
}

}  // namespace

FARPOINT_RUN_ON_STREAM(hash_map, operate)
FARPOINT_SIZE_ON_STREAM(hash_map, workspace_of)

FARPOINT_FOR_EACH_MAP(FARPOINT_CALLS_OF_HASH_MAP, FARPOINT_COMPILE)

}  // namespace library
FARPOINT_END_NAMESPACE

/// @file
/// The bulk operations on a hash map, on a stream, from the compiled library: with it, the functions of
/// <farpoint/hash_map.hpp> take a cuda_exec or a stream in plain C++, for keys and values of 32 or 64 bits without a
/// sign, with the hash and the tuning that they have by default.
#pragma once

#include <farpoint/detail/hash_map/operations.hpp>
#include <farpoint/runtime/hash_map_call.hpp>
#include <farpoint/runtime/stream_call.hpp>

FARPOINT_BEGIN_NAMESPACE

namespace FARPOINT_HIDDEN detail {

/// For the maps that the library is compiled for.
template <class Key, class Value>
using if_compiled_map =
    std::enable_if_t<(std::is_same_v<Key, std::uint32_t> || std::is_same_v<Key, std::uint64_t>)&&(
                         std::is_same_v<Value, std::uint32_t> || std::is_same_v<Value, std::uint64_t>),
                     int>;

template <class Key, class Value, hash_map_call Call>
void describe(library::hash_map_call<Key, Value>& call, index_t size,
              hash_map_insert_operation<hash_map_ref<Key, Value>, Call> const& operation) noexcept {
  call.operation = Call == hash_map_call::insert_or_assign ? library::hash_map_operation::insert_or_assign
                   : Call == hash_map_call::insert_or_add  ? library::hash_map_operation::insert_or_add
                   : Call == hash_map_call::insert_or_min  ? library::hash_map_operation::insert_or_min
                                                           : library::hash_map_operation::insert;
  call.values = {operation.values, static_cast<std::size_t>(size)};
}

template <class Key, class Value, hash_map_call Call>
void describe(library::hash_map_call<Key, Value>& call, index_t,
              hash_map_slot_operation<hash_map_ref<Key, Value>, Call> const& operation) noexcept {
  call.operation = Call == hash_map_call::insert_keys      ? library::hash_map_operation::insert_keys
                   : Call == hash_map_call::find_or_insert ? library::hash_map_operation::find_or_insert
                                                           : library::hash_map_operation::find_slots;
  call.slots = operation.slots;
}

template <class Key, class Value>
void describe(library::hash_map_call<Key, Value>& call, index_t size,
              hash_map_find_operation<hash_map_ref<Key, Value>> const& operation) noexcept {
  call.operation = library::hash_map_operation::find;
  call.found = {operation.values, static_cast<std::size_t>(size)};
  call.missing = operation.missing;
}

template <class Key, class Value>
void describe(library::hash_map_call<Key, Value>& call, index_t size,
              hash_map_contains_operation<hash_map_ref<Key, Value>> const& operation) noexcept {
  call.operation = library::hash_map_operation::contains;
  call.contained = operation.array(size);
}

template <class Key, class Value, class Operation>
library::hash_map_call<Key, Value> described(hash_map_args<hash_map_ref<Key, Value>, Operation> const& args) noexcept {
  library::hash_map_call<Key, Value> call{library::hash_map_operation::insert, args.map};
  call.keys = {args.keys, static_cast<std::size_t>(args.size)};
  call.report = args.report;
  call.workspace = args.workspace;
  describe(call, args.size, args.operation);
  return call;
}

// Overloads for the maps that the library is compiled for. They are more specialized than the ones of hash_map.cuh, so
// that the functions of hash_map.hpp call them.

template <class Key, class Value, class Operation, if_compiled_map<Key, Value> = 0>
result hash_map_run(cuda_exec exec, hash_map_args<hash_map_ref<Key, Value>, Operation> const& args) noexcept {
  return library::run<library::function::hash_map>(exec, described(args));
}

template <class Key, class Value, class Operation, if_compiled_map<Key, Value> = 0>
std::size_t hash_map_workspace_size(cuda_exec exec,
                                    hash_map_args<hash_map_ref<Key, Value>, Operation> const& args) noexcept {
  return library::size_of<library::function::hash_map>(exec, described(args));
}

template <class Key, class Value, if_compiled_map<Key, Value> = 0>
result hash_map_run(cuda_exec exec, hash_map_clear_args<hash_map_ref<Key, Value>> const& args) noexcept {
  return library::run<library::function::hash_map>(
      exec, library::hash_map_call<Key, Value>{library::hash_map_operation::clear, args.map});
}

template <class Key, class Value, if_compiled_map<Key, Value> = 0>
result hash_map_run(cuda_exec exec,
                    hash_map_rehash_args<hash_map_ref<Key, Value>, hash_map_ref<Key, Value>> const& args) noexcept {
  library::hash_map_call<Key, Value> call{library::hash_map_operation::rehash, args.from};
  call.to = args.to;
  call.report = args.report;
  return library::run<library::function::hash_map>(exec, call);
}

template <class Key, class Value>
library::hash_map_call<Key, Value> extraction(hash_map_extract_args<hash_map_ref<Key, Value>> const& args) noexcept {
  library::hash_map_call<Key, Value> call{library::hash_map_operation::extract, args.map};
  call.pairs = args.output;
  call.workspace = args.workspace;
  return call;
}

template <class Key, class Value, if_compiled_map<Key, Value> = 0>
result hash_map_run(cuda_exec exec, hash_map_extract_args<hash_map_ref<Key, Value>> const& args) noexcept {
  return library::run<library::function::hash_map>(exec, extraction(args));
}

template <class Key, class Value, if_compiled_map<Key, Value> = 0>
std::size_t hash_map_workspace_size(cuda_exec exec,
                                    hash_map_extract_args<hash_map_ref<Key, Value>> const& args) noexcept {
  return library::size_of<library::function::hash_map>(exec, extraction(args));
}

}  // namespace detail

FARPOINT_END_NAMESPACE

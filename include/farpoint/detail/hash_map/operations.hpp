/// @file
/// Bulk operations on a hash map, key by key, for kernels and host threads, and their arguments.
#pragma once

#include <farpoint/container/hash_map_ref.hpp>
#include <farpoint/core/cache_hints.hpp>
#include <farpoint/core/check.hpp>
#include <farpoint/core/index_span.hpp>
#include <farpoint/core/status.hpp>
#include <farpoint/core/workspace.hpp>
#include <farpoint/types/hash_map.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

FARPOINT_HD inline void write_slot(index_span slots, index_t i, index_t slot) noexcept {
  if (slots.wide()) {
    store_once(static_cast<std::int64_t*>(slots.data()) + i, slot);
  } else {
    store_once(static_cast<std::int32_t*>(slots.data()) + i, static_cast<std::int32_t>(slot));
  }
}

/// Reason why a call did not process a key; `none` if it did.
enum class hash_map_miss { none, refused, no_room, absent };

FARPOINT_HD constexpr hash_map_miss miss_of(insert_result state) noexcept {
  return state == insert_result::refused ? hash_map_miss::refused
         : state == insert_result::full  ? hash_map_miss::no_room
                                         : hash_map_miss::none;
}

// An operation processes key `i` of a call by run(), which also writes the outcome, if the operation has one. run()
// returns `none`, `refused` or the operation's `miss`; always `none` if `miss` is `none`.
//
// - `payload`: type of the value that goes in, or of the outcome that comes out, with each key.
// - on(): the operation with its payloads in another array.
// - copy(): writes an outcome that on()'s operation stored.
// - array(): the caller's array with one element for each of `size` keys.

/// hash_map_insert(), hash_map_insert_or_assign(), hash_map_insert_or_add() and hash_map_insert_or_min().
template <class Map, hash_map_call Call>
struct hash_map_insert_operation {
  static constexpr char const* name = Call == hash_map_call::insert_or_assign ? "farpoint::hash_map_insert_or_assign"
                                      : Call == hash_map_call::insert_or_add  ? "farpoint::hash_map_insert_or_add"
                                      : Call == hash_map_call::insert_or_min  ? "farpoint::hash_map_insert_or_min"
                                                                              : "farpoint::hash_map_insert";
  static constexpr bool takes_values = true;
  static constexpr bool inserts = true;
  static constexpr bool has_outcomes = false;
  static constexpr hash_map_miss miss = hash_map_miss::no_room;
  using key_type = typename Map::key_type;
  using value_type = typename Map::value_type;
  using payload = value_type;

  value_type const* values;

  span<value_type const> array(index_t size) const noexcept { return {values, static_cast<std::size_t>(size)}; }
  hash_map_insert_operation on(payload* elsewhere, index_t) const noexcept { return {elsewhere}; }

  FARPOINT_HD hash_map_miss run(Map const& map, key_type key, index_t i) const noexcept {
    value_type const value = load_once(values + i);
    if constexpr (Call == hash_map_call::insert_or_assign) {
      return miss_of(map.insert_or_assign(key, value).state);
    } else if constexpr (Call == hash_map_call::insert_or_add) {
      return miss_of(map.insert_or_add(key, value).state);
    } else if constexpr (Call == hash_map_call::insert_or_min) {
      return miss_of(map.insert_or_min(key, value).state);
    } else {
      return miss_of(map.insert(key, value).state);
    }
  }
};

/// hash_map_insert_keys(), hash_map_find_or_insert() and hash_map_find_slots().
template <class Map, hash_map_call Call>
struct hash_map_slot_operation {
  static constexpr char const* name = Call == hash_map_call::insert_keys      ? "farpoint::hash_map_insert_keys"
                                      : Call == hash_map_call::find_or_insert ? "farpoint::hash_map_find_or_insert"
                                                                              : "farpoint::hash_map_find_slots";
  static constexpr bool takes_values = false;
  static constexpr bool inserts = Call != hash_map_call::find_slots;
  static constexpr bool has_outcomes = Call != hash_map_call::insert_keys;
  static constexpr hash_map_miss miss = inserts ? hash_map_miss::no_room : hash_map_miss::none;
  using key_type = typename Map::key_type;
  using payload = std::int32_t;

  index_span slots;

  index_span array(index_t) const noexcept { return slots; }
  hash_map_slot_operation on(payload* elsewhere, index_t size) const noexcept {
    return {span<payload>{elsewhere, static_cast<std::size_t>(size)}};
  }
  FARPOINT_HD void copy(index_t i, hash_map_slot_operation const& from, index_t at) const noexcept {
    write_slot(slots, i, from.slots.get(at));
  }

  FARPOINT_HD hash_map_miss run(Map const& map, key_type key, index_t i) const noexcept {
    if constexpr (!inserts) {
      write_slot(slots, i, map.find(key, unchanging));
      return hash_map_miss::none;
    } else {
      auto const did = map.insert(key);
      if constexpr (has_outcomes) write_slot(slots, i, did.slot);
      return miss_of(did.state);
    }
  }
};

/// hash_map_find().
template <class Map>
struct hash_map_find_operation {
  static constexpr char const* name = "farpoint::hash_map_find";
  static constexpr bool takes_values = true;
  static constexpr bool inserts = false;
  static constexpr bool has_outcomes = true;
  static constexpr hash_map_miss miss = hash_map_miss::none;
  using key_type = typename Map::key_type;
  using value_type = typename Map::value_type;
  using payload = value_type;

  value_type* values;
  value_type missing;

  span<value_type> array(index_t size) const noexcept { return {values, static_cast<std::size_t>(size)}; }
  hash_map_find_operation on(payload* elsewhere, index_t) const noexcept { return {elsewhere, missing}; }
  FARPOINT_HD void copy(index_t i, hash_map_find_operation const& from, index_t at) const noexcept {
    store_once(values + i, from.values[at]);
  }

  FARPOINT_HD hash_map_miss run(Map const& map, key_type key, index_t i) const noexcept {
    store_once(values + i, map.value_or(key, missing, unchanging));
    return hash_map_miss::none;
  }
};

/// hash_map_erase().
template <class Map>
struct hash_map_erase_operation {
  static constexpr char const* name = "farpoint::hash_map_erase";
  static constexpr bool takes_values = false;
  static constexpr bool inserts = true;  ///< tuned like an insertion: it compares and swaps
  static constexpr bool has_outcomes = false;
  static constexpr hash_map_miss miss = hash_map_miss::absent;
  using key_type = typename Map::key_type;
  using payload = char;

  span<payload const> array(index_t) const noexcept { return {}; }
  hash_map_erase_operation on(payload*, index_t) const noexcept { return {}; }

  FARPOINT_HD hash_map_miss run(Map const& map, key_type key, index_t) const noexcept {
    if (map.erase(key)) return hash_map_miss::none;
    return map.is_reserved(key) ? hash_map_miss::refused : hash_map_miss::absent;
  }
};

/// hash_map_contains().
template <class Map>
struct hash_map_contains_operation {
  static constexpr char const* name = "farpoint::hash_map_contains";
  static constexpr bool takes_values = false;
  static constexpr bool inserts = false;
  static constexpr bool has_outcomes = true;
  static constexpr hash_map_miss miss = hash_map_miss::none;
  using key_type = typename Map::key_type;
  using payload = bool;

  bool* found;

  span<bool> array(index_t size) const noexcept { return {found, static_cast<std::size_t>(size)}; }
  hash_map_contains_operation on(payload* elsewhere, index_t) const noexcept { return {elsewhere}; }
  FARPOINT_HD void copy(index_t i, hash_map_contains_operation const& from, index_t at) const noexcept {
    found[i] = from.found[at];
  }

  FARPOINT_HD hash_map_miss run(Map const& map, key_type key, index_t i) const noexcept {
    found[i] = map.contains(key, unchanging);
    return hash_map_miss::none;
  }
};

// Arguments of hash_map_run(). Each backend has an overload for each of these types. Lookup finds it by the namespace
// of the second argument, so the first argument may be any type that converts to an execution.

/// Arguments of an operation on each of `size` keys.
template <class Map, class Operation>
struct hash_map_args {
  Map map;
  typename Map::key_type const* keys;
  index_t size;
  Operation operation;
  hash_map_report* report;  ///< report of insertions; may be null
  bytes workspace = {};     ///< empty: no workspace
};

template <class Map, class Operation>
hash_map_args<Map, Operation> hash_map_args_of(Map const& map, span<typename Map::key_type const> keys,
                                               Operation const& operation, bytes workspace,
                                               hash_map_report* report = nullptr) noexcept {
  return {map, keys.data(), static_cast<index_t>(keys.size()), operation, report, workspace};
}

/// Arguments without arrays, for the size of a workspace.
template <class Map, class Operation>
hash_map_args<Map, Operation> hash_map_args_of(Map const& map, index_t keys, Operation const& operation) noexcept {
  return {map, nullptr, keys, operation, nullptr};
}

template <class Map>
struct hash_map_clear_args {
  Map map;
};

template <class From, class To>
struct hash_map_rehash_args {
  From from;
  To to;
  hash_map_report* report;  ///< may be null
};

/// Inserts the key of slot `i` with its value into the other map, unless the slot is empty or erased.
template <class From, class To>
FARPOINT_HD hash_map_miss rehash_slot(From const& from, To const& to, index_t i) noexcept {
  auto const entry = from.entry(i);
  return entry.key == from.empty() ? hash_map_miss::none : miss_of(to.insert(entry.key, entry.value).state);
}

template <class Map>
struct hash_map_extract_args {
  Map map;
  hash_map_pairs<typename Map::key_type, typename Map::value_type> output;
  bytes workspace;
};

/// Calls `visit` with the operation of a call, which has null arrays, and returns its result.
template <class Map, class Visit>
auto visit_hash_map_operation(hash_map_call call, Visit const& visit) noexcept {
  using of = hash_map_call;
  switch (call) {
    case of::insert: return visit(hash_map_insert_operation<Map, of::insert>{});
    case of::insert_or_assign: return visit(hash_map_insert_operation<Map, of::insert_or_assign>{});
    case of::insert_or_add: return visit(hash_map_insert_operation<Map, of::insert_or_add>{});
    case of::insert_or_min: return visit(hash_map_insert_operation<Map, of::insert_or_min>{});
    case of::insert_keys: return visit(hash_map_slot_operation<Map, of::insert_keys>{});
    case of::find_or_insert: return visit(hash_map_slot_operation<Map, of::find_or_insert>{});
    case of::find_slots: return visit(hash_map_slot_operation<Map, of::find_slots>{});
    case of::erase:
      if constexpr (Map::tuning::erases) return visit(hash_map_erase_operation<Map>{});
      break;
    case of::contains: return visit(hash_map_contains_operation<Map>{});
    case of::find: break;
  }
  return visit(hash_map_find_operation<Map>{});
}

/// Maximum number of slots of a map whose slots fit in 32-bit signed integers.
inline constexpr index_t max_narrow_slots = index_t{1} << 31;

template <class Map>
result check_hash_map(Map const& map) noexcept {
  auto const address = reinterpret_cast<std::uintptr_t>(map.buckets().data());
  if (map.capacity() > 0 && address == 0) return reject("hash_map: the buckets are a null pointer");
  if (address % alignof(hash_map_bucket) != 0) return reject("hash_map: the buckets are not aligned to 32 bytes");
  return {};
}

/// @param array   the array with one element for each key
/// @param beside  number of elements of `array`
template <class Map>
result check_hash_map_entries(Map const& map, span<typename Map::key_type const> keys, void const* array,
                              std::size_t beside) noexcept {
  if (result const checked = check_hash_map(map); !checked) return checked;
  if (!keys.empty() && keys.data() == nullptr) return reject("hash_map: the keys are a null pointer");
  if (beside < keys.size()) return reject("hash_map: fewer values or slots than keys");
  if (!keys.empty() && array == nullptr) return reject("hash_map: the values or slots are a null pointer");
  return {};
}

template <class Map>
result check_hash_map_slots(Map const& map, span<typename Map::key_type const> keys, index_span slots) noexcept {
  if (!slots.wide() && map.capacity() > max_narrow_slots) {
    return reject("hash_map: a map of more than 2^31 slots needs 64-bit slots");
  }
  return check_hash_map_entries(map, keys, slots.data(), static_cast<std::size_t>(slots.size()));
}

/// Inserts keys with their values. `Call` selects the kind of insertion.
template <hash_map_call Call, class Exec, class Map>
result hash_map_insert_entries(Exec const& exec, Map const& map, span<typename Map::key_type const> keys,
                               span<typename Map::value_type const> values, hash_map_report* report,
                               bytes workspace) noexcept {
  if (result const bad = check_hash_map_entries(map, keys, values.data(), values.size()); !bad) return bad;
  using operation = hash_map_insert_operation<Map, Call>;
  return hash_map_run(exec, hash_map_args_of(map, keys, operation{values.data()}, workspace, report));
}

template <class From, class To>
result check_hash_map_rehash(From const& from, To const& to) noexcept {
  if (result const checked = check_hash_map(from); !checked) return checked;
  if (result const checked = check_hash_map(to); !checked) return checked;
  auto const begin = [](auto const& map) { return reinterpret_cast<std::uintptr_t>(map.buckets().data()); };
  auto const size = [](auto const& map) { return map.buckets().size() * sizeof(hash_map_bucket); };
  bool const is_apart = begin(from) + size(from) <= begin(to) || begin(to) + size(to) <= begin(from);
  return is_apart ? result{} : reject("hash_map: the memory of the map and of the larger one overlap");
}

template <class Map>
result check_hash_map_pairs(Map const& map,
                            hash_map_pairs<typename Map::key_type, typename Map::value_type> const& output) noexcept {
  if (result const checked = check_hash_map(map); !checked) return checked;
  if (!output.keys.empty() && output.keys.data() == nullptr) {
    return reject("hash_map: output.keys is a null pointer");
  }
  if (!output.values.empty() && output.values.data() == nullptr) {
    return reject("hash_map: output.values is a null pointer");
  }
  if (!output.values.empty() && output.values.size() < output.keys.size()) {
    return reject("hash_map: output.values is smaller than output.keys");
  }
  if (map.capacity() > max_narrow_slots) {
    return reject("hash_map: a map of more than 2^31 slots cannot be extracted");
  }
  return {};
}

}  // namespace detail
FARPOINT_END_NAMESPACE

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

// An operation handles a key in three steps, so that a thread can take each step for several keys at once: begin()
// starts the loads, finish() reads or changes the map, write() stores the outcome if the operation has one.
//
// - `payload`: type of the value that goes in, or of the outcome that comes out, with each key.
// - on(): the operation with its payloads in another array.
// - copy(): writes an outcome that on()'s operation stored.
// - array(): the caller's array with one element for each of `size` keys.

/// hash_map_insert() and, with `Minimum`, hash_map_insert_or_min().
template <class Map, bool Minimum>
struct hash_map_insert_operation {
  static constexpr char const* name = Minimum ? "farpoint::hash_map_insert_or_min" : "farpoint::hash_map_insert";
  static constexpr bool takes_values = true;
  static constexpr bool inserts = true;
  static constexpr bool has_outcomes = false;
  using key_type = typename Map::key_type;
  using value_type = typename Map::value_type;
  struct begun {
    value_type value;
    typename Map::template first_look<Minimum, false> look;
  };
  using payload = value_type;

  value_type const* values;

  span<value_type const> array(index_t size) const noexcept { return {values, static_cast<std::size_t>(size)}; }
  hash_map_insert_operation on(payload* elsewhere, index_t) const noexcept { return {elsewhere}; }

  FARPOINT_HD begun begin(Map const& map, key_type key, index_t i) const noexcept {
    if constexpr (Minimum) {
      return {load_once(values + i), map.look_with_value(key)};
    } else {
      return {load_once(values + i), map.look(key)};
    }
  }
  FARPOINT_HD index_t finish(Map const& map, key_type key, begun const& entry) const noexcept {
    if constexpr (Minimum) {
      return map.insert_or_min(key, entry.value, entry.look).slot;
    } else {
      return map.insert(key, entry.value, entry.look).slot;
    }
  }
  FARPOINT_HD void write(index_t, index_t) const noexcept {}
};

/// Use of a key's slot.
enum class hash_map_slot_use { insert, find_or_insert, find };

/// hash_map_insert_keys(), hash_map_find_or_insert() and hash_map_find_slots().
template <class Map, hash_map_slot_use Use>
struct hash_map_slot_operation {
  static constexpr char const* name = Use == hash_map_slot_use::insert           ? "farpoint::hash_map_insert_keys"
                                      : Use == hash_map_slot_use::find_or_insert ? "farpoint::hash_map_find_or_insert"
                                                                                 : "farpoint::hash_map_find_slots";
  static constexpr bool takes_values = false;
  static constexpr bool inserts = Use != hash_map_slot_use::find;
  static constexpr bool has_outcomes = Use != hash_map_slot_use::insert;
  using key_type = typename Map::key_type;
  using begun = typename Map::template first_look<false, !inserts>;
  using payload = std::int32_t;

  index_span slots;

  index_span array(index_t) const noexcept { return slots; }
  hash_map_slot_operation on(payload* elsewhere, index_t size) const noexcept {
    return {span<payload>{elsewhere, static_cast<std::size_t>(size)}};
  }
  FARPOINT_HD void copy(index_t i, hash_map_slot_operation const& from, index_t place) const noexcept {
    write_slot(slots, i, from.slots.get(place));
  }

  FARPOINT_HD begun begin(Map const& map, key_type key, index_t) const noexcept {
    if constexpr (inserts) {
      return map.look(key);
    } else {
      return map.look(key, unchanging);
    }
  }
  FARPOINT_HD index_t finish(Map const& map, key_type key, begun const& entry) const noexcept {
    if constexpr (inserts) {
      return map.find_or_insert(key, entry);
    } else {
      return map.find(key, entry);
    }
  }
  FARPOINT_HD void write(index_t i, index_t slot) const noexcept {
    if constexpr (has_outcomes) write_slot(slots, i, slot);
  }
};

/// hash_map_find().
template <class Map>
struct hash_map_find_operation {
  static constexpr char const* name = "farpoint::hash_map_find";
  static constexpr bool takes_values = true;
  static constexpr bool inserts = false;
  static constexpr bool has_outcomes = true;
  using key_type = typename Map::key_type;
  using value_type = typename Map::value_type;
  using begun = typename Map::template first_look<true, true>;
  using payload = value_type;

  value_type* values;
  value_type missing;

  span<value_type> array(index_t size) const noexcept { return {values, static_cast<std::size_t>(size)}; }
  hash_map_find_operation on(payload* elsewhere, index_t) const noexcept { return {elsewhere, missing}; }
  FARPOINT_HD void copy(index_t i, hash_map_find_operation const& from, index_t place) const noexcept {
    write(i, from.values[place]);
  }

  FARPOINT_HD begun begin(Map const& map, key_type key, index_t) const noexcept {
    return map.look_with_value(key, unchanging);
  }
  FARPOINT_HD value_type finish(Map const& map, key_type key, begun const& entry) const noexcept {
    return map.value_or(key, missing, entry);
  }
  FARPOINT_HD void write(index_t i, value_type value) const noexcept { store_once(values + i, value); }
};

/// True if an insertion found no slot for its key.
/// @param outcome  result of Operation::finish(); any value is valid for look-ups, for which the function returns false
template <class Map, class Operation, class Outcome>
FARPOINT_HD constexpr bool found_no_slot([[maybe_unused]] Outcome outcome) noexcept {
  if constexpr (Operation::inserts) {
    return outcome == Map::npos;
  } else {
    return false;
  }
}

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

template <class Map>
struct hash_map_extract_args {
  Map map;
  hash_map_pairs<typename Map::key_type, typename Map::value_type> output;
  bytes workspace;
};

/// Calls `visit` with the operation of a call, which has null arrays, and returns its result.
template <class Map, class Visit>
auto visit_hash_map_operation(hash_map_call call, Visit const& visit) noexcept {
  using use = hash_map_slot_use;
  switch (call) {
    case hash_map_call::insert: return visit(hash_map_insert_operation<Map, false>{});
    case hash_map_call::insert_or_min: return visit(hash_map_insert_operation<Map, true>{});
    case hash_map_call::insert_keys: return visit(hash_map_slot_operation<Map, use::insert>{});
    case hash_map_call::find_or_insert: return visit(hash_map_slot_operation<Map, use::find_or_insert>{});
    case hash_map_call::find_slots: return visit(hash_map_slot_operation<Map, use::find>{});
    case hash_map_call::find: break;
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

/// hash_map_insert() and, with `Minimum`, hash_map_insert_or_min().
template <bool Minimum, class Exec, class Map>
result hash_map_insert_entries(Exec const& exec, Map const& map, span<typename Map::key_type const> keys,
                               span<typename Map::value_type const> values, hash_map_report* report,
                               bytes workspace) noexcept {
  if (result const bad = check_hash_map_entries(map, keys, values.data(), values.size()); !bad) return bad;
  using operation = hash_map_insert_operation<Map, Minimum>;
  return hash_map_run(exec, hash_map_args_of(map, keys, operation{values.data()}, workspace, report));
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

/// @file
/// What the bulk operations on a hash map do with one entry, one source for kernels and host threads, and the checks
/// that they share.
#pragma once

#include <farpoint/container/hash_map_ref.hpp>
#include <farpoint/core/cache_hints.hpp>
#include <farpoint/core/check.hpp>
#include <farpoint/core/index_span.hpp>
#include <farpoint/core/status.hpp>
#include <farpoint/core/workspace.hpp>
#include <farpoint/types/hash_map.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

FARPOINT_HD inline void write_slot(index_span slots, index_t i, index_t slot) noexcept {
  if (slots.wide()) {
    store_once(static_cast<std::int64_t*>(slots.data()) + i, slot);
  } else {
    store_once(static_cast<std::int32_t*>(slots.data()) + i, static_cast<std::int32_t>(slot));
  }
}

// What is done with an entry, in three steps, so that a thread can take each step for several entries: begin() loads,
// finish() works on the map, write() stores the outcome, if anyone wants one.

template <class Map>
struct hash_map_insert_entry {
  static constexpr bool takes_values = true;
  static constexpr bool inserts = true;
  static constexpr bool has_outcomes = false;
  using key_type = typename Map::key_type;
  using value_type = typename Map::value_type;
  struct begun {
    value_type value;
    typename Map::template first_look<false, false> look;
  };

  value_type const* values;

  FARPOINT_HD begun begin(Map const& map, key_type key, index_t i) const noexcept {
    return {load_once(values + i), map.look(key)};
  }
  FARPOINT_HD index_t finish(Map const& map, key_type key, begun const& entry) const noexcept {
    return map.insert(key, entry.value, entry.look).slot;
  }
  FARPOINT_HD void write(index_t, index_t) const noexcept {}
};

template <class Map>
struct hash_map_lower_entry {
  static constexpr bool takes_values = true;
  static constexpr bool inserts = true;
  static constexpr bool has_outcomes = false;
  using key_type = typename Map::key_type;
  using value_type = typename Map::value_type;
  struct begun {
    value_type value;
    typename Map::template first_look<true, false> look;
  };

  value_type const* values;

  FARPOINT_HD begun begin(Map const& map, key_type key, index_t i) const noexcept {
    return {load_once(values + i), map.look_with_value(key)};
  }
  FARPOINT_HD index_t finish(Map const& map, key_type key, begun const& entry) const noexcept {
    return map.insert_or_min(key, entry.value, entry.look).slot;
  }
  FARPOINT_HD void write(index_t, index_t) const noexcept {}
};

template <class Map>
struct hash_map_locate_entry {
  static constexpr bool takes_values = false;
  static constexpr bool inserts = true;
  static constexpr bool has_outcomes = true;
  using key_type = typename Map::key_type;
  using begun = typename Map::template first_look<false, false>;

  index_span slots;

  FARPOINT_HD begun begin(Map const& map, key_type key, index_t) const noexcept { return map.look(key); }
  FARPOINT_HD index_t finish(Map const& map, key_type key, begun const& entry) const noexcept {
    return map.find_or_insert(key, entry);
  }
  FARPOINT_HD void write(index_t i, index_t slot) const noexcept { write_slot(slots, i, slot); }
};

/// The same, of which nobody wants to know the slots.
template <class Map>
struct hash_map_key_entry : hash_map_locate_entry<Map> {
  static constexpr bool has_outcomes = false;

  FARPOINT_HD void write(index_t, index_t) const noexcept {}
};

template <class Map>
struct hash_map_find_slot_entry {
  static constexpr bool takes_values = false;
  static constexpr bool inserts = false;
  static constexpr bool has_outcomes = true;
  using key_type = typename Map::key_type;
  using begun = typename Map::template first_look<false, true>;

  index_span slots;

  FARPOINT_HD begun begin(Map const& map, key_type key, index_t) const noexcept { return map.look(key, unchanging); }
  FARPOINT_HD index_t finish(Map const& map, key_type key, begun const& entry) const noexcept {
    return map.find(key, entry);
  }
  FARPOINT_HD void write(index_t i, index_t slot) const noexcept { write_slot(slots, i, slot); }
};

template <class Map>
struct hash_map_find_entry {
  static constexpr bool takes_values = true;
  static constexpr bool inserts = false;
  static constexpr bool has_outcomes = true;
  using key_type = typename Map::key_type;
  using value_type = typename Map::value_type;
  using begun = typename Map::template first_look<true, true>;

  value_type* values;
  value_type missing;

  FARPOINT_HD begun begin(Map const& map, key_type key, index_t) const noexcept {
    return map.look_with_value(key, unchanging);
  }
  FARPOINT_HD value_type finish(Map const& map, key_type key, begun const& entry) const noexcept {
    return map.value_or(key, missing, entry);
  }
  FARPOINT_HD void write(index_t i, value_type value) const noexcept { store_once(values + i, value); }
};

/// `act` for each of `size` keys.
template <class Map, class Act>
struct hash_map_args {
  Map map;
  typename Map::key_type const* keys;
  index_t size;
  Act act;
  hash_map_report* report;  ///< of insertions; may be null
};

template <class Map, class Act>
hash_map_args<Map, Act> hash_map_task_of(Map const& map, span<typename Map::key_type const> keys, Act const& act,
                                         hash_map_report* report) noexcept {
  return {map, keys.data(), static_cast<index_t>(keys.size()), act, report};
}

/// 32-bit slots hold those of maps of up to so many.
inline constexpr index_t max_narrow_slots = index_t{1} << 31;

template <class Map>
result check_hash_map(Map const& map) noexcept {
  auto const address = reinterpret_cast<std::uintptr_t>(map.buckets().data());
  if (map.capacity() > 0 && address == 0) return reject("hash_map: the buckets are a null pointer");
  if (address % alignof(hash_map_bucket) != 0) return reject("hash_map: the buckets are not aligned");
  return {};
}

/// @param beside  elements of the array that has one for each key
template <class Map>
result check_hash_map_entries(Map const& map, span<typename Map::key_type const> keys, void const* array,
                              std::size_t beside) noexcept {
  if (result const checked = check_hash_map(map); !checked) return checked;
  if (!keys.empty() && keys.data() == nullptr) return reject("hash_map: the keys are a null pointer");
  if (beside < keys.size()) return reject("hash_map: there are fewer values or slots than keys");
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
    return reject("hash_map: maps of more than 2^31 slots are not extracted");
  }
  return {};
}

inline result check_hash_map_workspace(bytes workspace, std::size_t needed) noexcept {
  if (workspace.size() < needed) {
    return {status::workspace_too_small, 0,
            "hash_map: the workspace is smaller than hash_map_extract_workspace_bytes()"};
  }
  if (needed > 0 && !is_workspace_aligned(workspace)) {
    return reject("hash_map: the workspace is not aligned to 256 bytes");
  }
  return {};
}

}  // namespace detail
FARPOINT_END_NAMESPACE

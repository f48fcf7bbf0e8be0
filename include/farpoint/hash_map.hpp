/// @file
/// Whole arrays into and out of a hash map: host backend. hash_map.cuh adds the CUDA backend.
#pragma once

#include <farpoint/detail/hash_map/host.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Empties a map, whatever its memory holds. Not beside other calls on the same map. O(capacity).
/// @return ok | bad_argument (buckets that are null or not aligned to 32 bytes, a negative number of threads)
template <class Map>
result hash_map_clear(host_exec exec, Map const& map) noexcept {
  if (result const checked = detail::check_threads(exec); !checked) return checked;
  if (result const checked = detail::check_hash_map(map); !checked) return checked;
  detail::for_each_part(exec, map.clear_stores(), [&](index_t begin, index_t end) { map.clear_part(begin, end); });
  return {};
}

/// Inserts keys with their values, and leaves the values of keys that are in the map already.
///
/// Of several different values for one new key, any may be the one that stays: hash_map_insert_or_min() does not depend
/// on chance. An entry with the empty key is passed over and counted. When the map is full, which of the new keys found
/// room is chance too; the others are counted.
///
/// @param exec    threads to use; blocks until done
/// @param map     cleared before its first use
/// @param keys    `[n]`, host memory
/// @param values  `[n]` or more
/// @param report  optional; overwritten, not added to
/// @return ok | bad_argument (buckets null or not aligned to 32 bytes, too few values, null pointers). Nothing is
/// written
///         on failure.
/// Complexity: O(n) at load factors of 0.8 and below; O(n * capacity) at worst, in a full map.
/// Thread-safe: beside other calls that insert into or find in the same map, not beside hash_map_clear() and
/// extraction.
template <class Map>
result hash_map_insert(host_exec exec, Map const& map, span<typename Map::key_type const> keys,
                       span<typename Map::value_type const> values, hash_map_report* report = nullptr) noexcept {
  if (result const bad = detail::check_hash_map_entries(map, keys, values.data(), values.size()); !bad) return bad;
  return detail::hash_map_run(
      exec, detail::hash_map_task_of(map, keys, detail::hash_map_insert_entry<Map>{values.data()}, report));
}

/// Inserts keys with their values; of several values for one key, and the one it has, the smallest stays. One answer
/// for every order and number of threads. Otherwise like hash_map_insert().
template <class Map>
result hash_map_insert_or_min(host_exec exec, Map const& map, span<typename Map::key_type const> keys,
                              span<typename Map::value_type const> values, hash_map_report* report = nullptr) noexcept {
  if (result const bad = detail::check_hash_map_entries(map, keys, values.data(), values.size()); !bad) return bad;
  return detail::hash_map_run(
      exec, detail::hash_map_task_of(map, keys, detail::hash_map_lower_entry<Map>{values.data()}, report));
}

/// Inserts keys with the initial value, unless they are in the map: a set. `hash_map_layout::split` touches no values.
/// Otherwise like hash_map_insert().
template <class Map>
result hash_map_insert_keys(host_exec exec, Map const& map, span<typename Map::key_type const> keys,
                            hash_map_report* report = nullptr) noexcept {
  if (result const bad = detail::check_hash_map_entries(map, keys, keys.data(), keys.size()); !bad) return bad;
  return detail::hash_map_run(exec, detail::hash_map_task_of(map, keys, detail::hash_map_key_entry<Map>{}, report));
}

/// Slot of each key; keys that are not in the map are inserted with the initial value. -1: the empty key, or no room.
///
/// A slot's number is good for this filling of the map only, and differs from run to run.
/// `slots` has n entries or more, of 32 bits (maps of up to 2^31 slots) or 64. Otherwise like hash_map_insert().
template <class Map>
result hash_map_find_or_insert(host_exec exec, Map const& map, span<typename Map::key_type const> keys,
                               index_span slots, hash_map_report* report = nullptr) noexcept {
  if (result const bad = detail::check_hash_map_slots(map, keys, slots); !bad) return bad;
  return detail::hash_map_run(exec,
                              detail::hash_map_task_of(map, keys, detail::hash_map_locate_entry<Map>{slots}, report));
}

/// Value of each key, `missing` for one that is not in the map.
///
/// `values` has n entries or more.
/// @return ok | bad_argument, as hash_map_insert(). Not beside calls that change the map. O(n), as there.
template <class Map>
result hash_map_find(host_exec exec, Map const& map, span<typename Map::key_type const> keys,
                     typename Map::value_type missing, span<typename Map::value_type> values) noexcept {
  if (result const bad = detail::check_hash_map_entries(map, keys, values.data(), values.size()); !bad) return bad;
  return detail::hash_map_run(
      exec, detail::hash_map_task_of(map, keys, detail::hash_map_find_entry<Map>{values.data(), missing}, nullptr));
}

/// Slot of each key, -1 for one that is not in the map.
///
/// `slots` has n entries or more, of 64 bits where the map has more than 2^31 slots. Reads no values.
/// @return ok | bad_argument, as hash_map_insert(). Not beside calls that change the map. O(n), as there.
template <class Map>
result hash_map_find_slots(host_exec exec, Map const& map, span<typename Map::key_type const> keys,
                           index_span slots) noexcept {
  if (result const bad = detail::check_hash_map_slots(map, keys, slots); !bad) return bad;
  return detail::hash_map_run(
      exec, detail::hash_map_task_of(map, keys, detail::hash_map_find_slot_entry<Map>{slots}, nullptr));
}

/// Bytes of workspace of hash_map_extract() on the host; 256-byte aligned memory. At most 16 a slot.
template <class Map>
std::size_t hash_map_extract_workspace_bytes(host_exec, Map const& map) noexcept {
  return detail::hash_map_host_places<typename Map::key_type>(map.capacity());
}

/// Copies the pairs out, by ascending key: one answer, though the slots differ from run to run. If there is no room for
/// all, the smallest keys are written.
///
/// @param exec       where to work; blocks until done
/// @param map        not changed
/// @param output     see hash_map_pairs; host memory
/// @param workspace  at least hash_map_extract_workspace_bytes() bytes, 256-byte aligned
/// @return ok | bad_argument (null pointers, fewer values than keys, more than 2^31 slots, a misaligned workspace) |
///         workspace_too_small. Nothing is written on failure.
/// Complexity: O(capacity + n log n), on one thread. Not beside calls that change the map.
template <class Map>
result hash_map_extract(host_exec exec, Map const& map,
                        hash_map_pairs<typename Map::key_type, typename Map::value_type> const& output,
                        bytes workspace) noexcept {
  if (result const checked = detail::check_threads(exec); !checked) return checked;
  if (result const checked = detail::check_hash_map_pairs(map, output); !checked) return checked;
  std::size_t const needed = hash_map_extract_workspace_bytes(exec, map);
  if (result const checked = detail::check_hash_map_workspace(workspace, needed); !checked) return checked;
  return detail::hash_map_extract_host(map, output, workspace);
}

FARPOINT_END_NAMESPACE

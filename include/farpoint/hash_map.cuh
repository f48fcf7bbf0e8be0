/// @file
/// Whole arrays into and out of a hash map on a CUDA stream. See hash_map.hpp for the rules.
///
/// All of these only enqueue: no synchronisation, no allocation; they may be captured in a graph. The map's buckets and
/// everything else they are given is device memory that must stay valid until the stream has passed the call. Calls on
/// one stream follow one another; on several streams the rules of hash_map_ref apply.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/detail/hash_map/cuda.cuh>
#include <farpoint/hash_map.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Empties a map, whatever its memory holds. One launch, O(capacity).
/// @return ok | bad_argument (buckets that are null or not aligned to 32 bytes) | cuda_failure. Never clears or returns
///         an error of somebody else's; this holds for all functions of this header.
template <class Map>
result hash_map_clear(cuda_exec exec, Map const& map) noexcept {
  if (result const checked = detail::check_hash_map(map); !checked) return checked;
  index_t const threads = (map.clear_stores() + detail::hash_map_clear_stores - 1) / detail::hash_map_clear_stores;
  return detail::hash_map_result(
      detail::hash_map_launch(detail::hash_map_clear_kernel<Map>, threads, exec.stream, map));
}

/// Inserts keys with their values, and leaves the values of keys that are in the map already: the rules of the host
/// overload. One launch, and a memset when a report is asked for.
/// @return ok | bad_argument | cuda_failure
template <class Map>
result hash_map_insert(cuda_exec exec, Map const& map, span<typename Map::key_type const> keys,
                       span<typename Map::value_type const> values, hash_map_report* report = nullptr) noexcept {
  if (result const bad = detail::check_hash_map_entries(map, keys, values.data(), values.size()); !bad) return bad;
  return detail::hash_map_run(
      exec, detail::hash_map_task_of(map, keys, detail::hash_map_insert_entry<Map>{values.data()}, report));
}

/// Inserts keys with their values; of several values for one key, and the one it has, the smallest stays. One launch,
/// and a memset when a report is asked for.
/// @return ok | bad_argument | cuda_failure
template <class Map>
result hash_map_insert_or_min(cuda_exec exec, Map const& map, span<typename Map::key_type const> keys,
                              span<typename Map::value_type const> values, hash_map_report* report = nullptr) noexcept {
  if (result const bad = detail::check_hash_map_entries(map, keys, values.data(), values.size()); !bad) return bad;
  return detail::hash_map_run(
      exec, detail::hash_map_task_of(map, keys, detail::hash_map_lower_entry<Map>{values.data()}, report));
}

/// Inserts keys with the initial value, unless they are in the map: a set. `hash_map_layout::split` touches no values.
/// One launch, and a memset when a report is asked for.
/// @return ok | bad_argument | cuda_failure
template <class Map>
result hash_map_insert_keys(cuda_exec exec, Map const& map, span<typename Map::key_type const> keys,
                            hash_map_report* report = nullptr) noexcept {
  if (result const bad = detail::check_hash_map_entries(map, keys, keys.data(), keys.size()); !bad) return bad;
  return detail::hash_map_run(exec, detail::hash_map_task_of(map, keys, detail::hash_map_key_entry<Map>{}, report));
}

/// Slot of each key; keys that are not in the map are inserted with the initial value: the rules of the host overload.
/// One launch, and a memset when a report is asked for.
/// @return ok | bad_argument | cuda_failure
template <class Map>
result hash_map_find_or_insert(cuda_exec exec, Map const& map, span<typename Map::key_type const> keys,
                               index_span slots, hash_map_report* report = nullptr) noexcept {
  if (result const bad = detail::check_hash_map_slots(map, keys, slots); !bad) return bad;
  return detail::hash_map_run(exec,
                              detail::hash_map_task_of(map, keys, detail::hash_map_locate_entry<Map>{slots}, report));
}

/// Value of each key, `missing` for one that is not in the map. Not while others change the map, on other streams. One
/// launch.
/// @return ok | bad_argument | cuda_failure
template <class Map>
result hash_map_find(cuda_exec exec, Map const& map, span<typename Map::key_type const> keys,
                     typename Map::value_type missing, span<typename Map::value_type> values) noexcept {
  if (result const bad = detail::check_hash_map_entries(map, keys, values.data(), values.size()); !bad) return bad;
  return detail::hash_map_run(
      exec, detail::hash_map_task_of(map, keys, detail::hash_map_find_entry<Map>{values.data(), missing}, nullptr));
}

/// Slot of each key, -1 for one that is not in the map. Not while others change the map, on other streams. One launch.
/// @return ok | bad_argument | cuda_failure
template <class Map>
result hash_map_find_slots(cuda_exec exec, Map const& map, span<typename Map::key_type const> keys,
                           index_span slots) noexcept {
  if (result const bad = detail::check_hash_map_slots(map, keys, slots); !bad) return bad;
  return detail::hash_map_run(
      exec, detail::hash_map_task_of(map, keys, detail::hash_map_find_slot_entry<Map>{slots}, nullptr));
}

/// Bytes of device workspace of hash_map_extract(); 256-byte aligned memory. 16.25 a slot, and 1.4 KiB.
template <class Map>
std::size_t hash_map_extract_workspace_bytes(cuda_exec, Map const& map) noexcept {
  detail::workspace_cutter cutter;
  static_cast<void>(detail::hash_map_sort<Map>::of(map, cutter));
  return cutter.used();
}

/// Copies the pairs out, by ascending key: the rules and the answer of the host overload.
///
/// Sorts all slots, empty ones too: O(capacity). 15 launches and a memset for keys of 32 bits, 28 for 64; where the
/// order does not matter, hash_map_ref::for_each() in a kernel of one's own reads the map once.
/// @return ok | bad_argument | workspace_too_small | cuda_failure
template <class Map>
result hash_map_extract(cuda_exec exec, Map const& map,
                        hash_map_pairs<typename Map::key_type, typename Map::value_type> const& output,
                        bytes workspace) noexcept {
  if (result const checked = detail::check_hash_map_pairs(map, output); !checked) return checked;
  std::size_t const needed = hash_map_extract_workspace_bytes(exec, map);
  if (result const checked = detail::check_hash_map_workspace(workspace, needed); !checked) return checked;
  detail::workspace_cutter cutter{workspace.data()};
  auto sort = detail::hash_map_sort<Map>::of(map, cutter);
  sort.output = output;
  return detail::hash_map_result(detail::hash_map_enqueue_extract(sort, exec.stream));
}

FARPOINT_END_NAMESPACE

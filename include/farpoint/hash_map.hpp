/// @file
/// Bulk operations: whole arrays into and out of a hash map. This header serves host_exec; hash_map.cuh adds cuda_exec.
///
/// All calls take the execution first: a host_exec, or with hash_map.cuh a cuda_exec or any stream that converts to
/// one. The map's buckets and all arrays lie in its memory space. A call on host_exec blocks until done; see
/// hash_map.cuh for calls on a stream. Unless a call says otherwise:
///
/// - it returns ok | bad_argument (null pointers, buckets that are not aligned to 32 bytes, too few values or slots, a
///   negative number of threads, a workspace that is not aligned to 256 bytes) | workspace_too_small (neither empty nor
///   enough) | cuda_failure, and on failure has written nothing;
/// - it takes O(n) time for n keys at load factors of 0.8 and below, and O(n * capacity) at worst, in a full map;
/// - where a map does not fit into the GPU's L2 cache, a call that has a workspace of hash_map_workspace_bytes() sorts
///   its keys by the part of the map that they belong to, so that the map is read and written once and in order;
///   without one, an empty span, it does not. The answer is the same, and where chance decides, chance decides;
/// - calls that insert or erase may run concurrently on one map, and so may calls that only look up. A call that looks
///   up must not run together with one that inserts or erases; single look-ups of hash_map_ref may. hash_map_clear()
///   needs the map to itself.
#pragma once

#include <farpoint/detail/hash_map/host.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Empties a map, whatever its memory holds. O(capacity); on a stream one launch.
template <class Exec = host_exec, class Map>
result hash_map_clear(Exec const& exec, Map const& map) noexcept {
  if (result const checked = detail::check_hash_map(map); !checked) return checked;
  return hash_map_run(exec, detail::hash_map_clear_args<Map>{map});
}

/// Bytes of workspace with which a call on so many keys is as fast as it can be; 0 where it needs none, and always on
/// the host. Depends on the device, the map's memory and the tuning. On a device at most what
/// hash_map_workspace_bound() says. O(1).
///
/// @param exec  where to work
/// @param map   the map
/// @param call  which call
/// @param keys  how many
template <class Exec = host_exec, class Map>
std::size_t hash_map_workspace_bytes(Exec const& exec, Map const& map, hash_map_call call, index_t keys) noexcept {
  return detail::visit_hash_map_operation<Map>(call, [&](auto const& operation) {
    return hash_map_workspace_size(exec, detail::hash_map_args_of(map, keys, operation));
  });
}

/// Bytes of workspace that are enough for a call on so many keys or fewer, and any map, device and tuning:
/// hash_map_workspace_bytes() is no more. Never less for more keys. 0 on the host. O(1).
/// @tparam Map  the map
/// @return ok | bad_argument (a negative number of keys); then `bound` stays as it is
template <class Map, class Exec = host_exec>
result hash_map_workspace_bound(Exec const& exec, hash_map_call call, index_t keys, std::size_t& bound) noexcept {
  if (keys < 0) return detail::reject("hash_map: a negative number of keys");
  bound = detail::visit_hash_map_operation<Map>(call, [&](auto const& operation) {
    return hash_map_workspace_at_most(exec, detail::hash_map_args_of(Map{}, keys, operation));
  });
  return {};
}

/// Inserts keys with their values. A key that is in the map keeps its value.
///
/// If a new key comes with several values, any of them may stay; hash_map_insert_or_min() is deterministic.
/// Entries with the empty key are skipped and counted. If the map fills up, which of the new keys are
/// inserted is unspecified; the others are counted.
///
/// On a stream: one launch, or two and a memset where a workspace is used; and a memset if there is a report.
///
/// @param exec       where to work
/// @param map        cleared before its first use
/// @param keys       `[n]`
/// @param values     `[n]` or more
/// @param report     optional; overwritten, not added to
/// @param workspace  optional; hash_map_workspace_bytes() bytes or more, 256-byte aligned
template <class Exec = host_exec, class Map>
result hash_map_insert(Exec const& exec, Map const& map, span<typename Map::key_type const> keys,
                       span<typename Map::value_type const> values, hash_map_report* report = nullptr,
                       bytes workspace = {}) noexcept {
  return detail::hash_map_insert_entries<hash_map_call::insert>(exec, map, keys, values, report, workspace);
}

/// Inserts keys with their values. A key that is in the map gets the new value; if several are given for it, any of
/// them stays. Otherwise like hash_map_insert().
template <class Exec = host_exec, class Map>
result hash_map_insert_or_assign(Exec const& exec, Map const& map, span<typename Map::key_type const> keys,
                                 span<typename Map::value_type const> values, hash_map_report* report = nullptr,
                                 bytes workspace = {}) noexcept {
  return detail::hash_map_insert_entries<hash_map_call::insert_or_assign>(exec, map, keys, values, report, workspace);
}

/// Adds amounts to the values of keys, modulo 2^bits; a key that is not in the map is inserted with its amount. The
/// result does not depend on the order of the entries. Otherwise like hash_map_insert().
template <class Exec = host_exec, class Map>
result hash_map_insert_or_add(Exec const& exec, Map const& map, span<typename Map::key_type const> keys,
                              span<typename Map::value_type const> amounts, hash_map_report* report = nullptr,
                              bytes workspace = {}) noexcept {
  return detail::hash_map_insert_entries<hash_map_call::insert_or_add>(exec, map, keys, amounts, report, workspace);
}

/// Inserts keys with their values. Of all values given for a key, and the one it has, the smallest stays: the result
/// does not depend on the order of the entries. Otherwise like hash_map_insert().
template <class Exec = host_exec, class Map>
result hash_map_insert_or_min(Exec const& exec, Map const& map, span<typename Map::key_type const> keys,
                              span<typename Map::value_type const> values, hash_map_report* report = nullptr,
                              bytes workspace = {}) noexcept {
  return detail::hash_map_insert_entries<hash_map_call::insert_or_min>(exec, map, keys, values, report, workspace);
}

/// Inserts keys that are not in the map with the initial value: a set. With `hash_map_layout::split` it touches no
/// values. Otherwise like hash_map_insert().
template <class Exec = host_exec, class Map>
result hash_map_insert_keys(Exec const& exec, Map const& map, span<typename Map::key_type const> keys,
                            hash_map_report* report = nullptr, bytes workspace = {}) noexcept {
  if (result const bad = detail::check_hash_map_entries(map, keys, keys.data(), keys.size()); !bad) return bad;
  using operation = detail::hash_map_slot_operation<Map, hash_map_call::insert_keys>;
  return hash_map_run(exec, detail::hash_map_args_of(map, keys, operation{}, workspace, report));
}

/// Finds the slot of each key, and inserts keys that are not in the map with the initial value. The slot is -1 for the
/// empty key and for a key that finds no room. Otherwise like hash_map_insert().
///
/// A slot's number is valid until the map is cleared, and differs from run to run.
///
/// @param exec    host_exec, or a stream
/// @param map     the map
/// @param keys    `[n]`, in the memory of the execution
/// @param slots   `[n]` or more, of 32 bits (maps of up to 2^31 slots) or 64
/// @param report  counters; optional
/// @param workspace  as in hash_map_insert(); there are three launches where it is used
template <class Exec = host_exec, class Map>
result hash_map_find_or_insert(Exec const& exec, Map const& map, span<typename Map::key_type const> keys,
                               index_span slots, hash_map_report* report = nullptr, bytes workspace = {}) noexcept {
  if (result const bad = detail::check_hash_map_slots(map, keys, slots); !bad) return bad;
  using operation = detail::hash_map_slot_operation<Map, hash_map_call::find_or_insert>;
  return hash_map_run(exec, detail::hash_map_args_of(map, keys, operation{slots}, workspace, report));
}

/// Erases keys. A key that is not in the map is counted as `absent`, and so is a key's second and every further copy.
///
/// The slots of erased keys stay used until hash_map_clear(): hash_map_rehash() leaves them behind. On a stream one
/// launch, or two and a memset where a workspace is used; and a memset if there is a report.
///
/// @param exec       host_exec, or a stream
/// @param map        its hash_map_tuning::erases is true
/// @param keys       `[n]`, in the memory of the execution
/// @param report     optional; overwritten, not added to
/// @param workspace  as in hash_map_insert()
template <class Exec = host_exec, class Map>
result hash_map_erase(Exec const& exec, Map const& map, span<typename Map::key_type const> keys,
                      hash_map_report* report = nullptr, bytes workspace = {}) noexcept {
  static_assert(Map::tuning::erases, "farpoint: hash_map_erase() is for maps whose tuning says that it erases");
  if (result const bad = detail::check_hash_map_entries(map, keys, keys.data(), keys.size()); !bad) return bad;
  using operation = detail::hash_map_erase_operation<Map>;
  return hash_map_run(exec, detail::hash_map_args_of(map, keys, operation{}, workspace, report));
}

/// Inserts all keys of a map, with their values, into another one: a larger one, as a rule, or one without the slots of
/// erased keys. A key that the other map has keeps its value there.
///
/// Needs no workspace: where both maps have one hash, keys are inserted about in the order of memory. O(capacity of the
/// first map). On a stream one launch, and a memset if there is a report.
///
/// @param exec    host_exec, or a stream
/// @param from    not changed; no other call may change it
/// @param to      cleared before its first use; of the same key and value types, in other memory. Its layout, hash and
///                reserved keys may differ
/// @param report  optional; overwritten, not added to: keys that `to` reserves, and keys that find no room in it
template <class Exec = host_exec, class From, class To>
result hash_map_rehash(Exec const& exec, From const& from, To const& to, hash_map_report* report = nullptr) noexcept {
  static_assert(std::is_same_v<typename From::key_type, typename To::key_type> &&
                    std::is_same_v<typename From::value_type, typename To::value_type>,
                "farpoint: a map is rehashed into one with the same types of keys and values");
  if (result const checked = detail::check_hash_map_rehash(from, to); !checked) return checked;
  return hash_map_run(exec, detail::hash_map_rehash_args<From, To>{from, to, report});
}

/// Writes for each key whether the map has it. Reads no values. No other call may change the map. On a stream one
/// launch, or three and a memset where a workspace is used.
///
/// @param exec       host_exec, or a stream
/// @param map        the map
/// @param keys       `[n]`, in the memory of the execution
/// @param found      `[n]` or more
/// @param workspace  as in hash_map_insert()
template <class Exec = host_exec, class Map>
result hash_map_contains(Exec const& exec, Map const& map, span<typename Map::key_type const> keys, span<bool> found,
                         bytes workspace = {}) noexcept {
  if (result const bad = detail::check_hash_map_entries(map, keys, found.data(), found.size()); !bad) return bad;
  using operation = detail::hash_map_contains_operation<Map>;
  return hash_map_run(exec, detail::hash_map_args_of(map, keys, operation{found.data()}, workspace));
}

/// Finds the value of each key; `missing` for a key that is not in the map. No other call may change the map. On a
/// stream one launch, or three and a memset where a workspace is used.
///
/// @param exec       host_exec, or a stream
/// @param map        the map
/// @param keys       `[n]`, in the memory of the execution
/// @param missing    what a key that is not there gets
/// @param values     `[n]` or more
/// @param workspace  as in hash_map_insert()
template <class Exec = host_exec, class Map>
result hash_map_find(Exec const& exec, Map const& map, span<typename Map::key_type const> keys,
                     typename Map::value_type missing, span<typename Map::value_type> values,
                     bytes workspace = {}) noexcept {
  if (result const bad = detail::check_hash_map_entries(map, keys, values.data(), values.size()); !bad) return bad;
  using operation = detail::hash_map_find_operation<Map>;
  return hash_map_run(exec, detail::hash_map_args_of(map, keys, operation{values.data(), missing}, workspace));
}

/// Finds the slot of each key; -1 for a key that is not in the map. Reads no values. Nothing may change the map
/// meanwhile. On a stream one launch, or three and a memset where a workspace is used.
///
/// @param exec       host_exec, or a stream
/// @param map        the map
/// @param keys       `[n]`, in the memory of the execution
/// @param slots      `[n]` or more, of 32 bits (maps of up to 2^31 slots) or 64
/// @param workspace  as in hash_map_insert()
template <class Exec = host_exec, class Map>
result hash_map_find_slots(Exec const& exec, Map const& map, span<typename Map::key_type const> keys, index_span slots,
                           bytes workspace = {}) noexcept {
  if (result const bad = detail::check_hash_map_slots(map, keys, slots); !bad) return bad;
  using operation = detail::hash_map_slot_operation<Map, hash_map_call::find_slots>;
  return hash_map_run(exec, detail::hash_map_args_of(map, keys, operation{slots}, workspace));
}

/// Bytes of workspace that hash_map_extract() needs for this map: at most 16 a slot on the host; 16.3 a slot and 1 KiB
/// on a device.
template <class Exec = host_exec, class Map>
std::size_t hash_map_extract_workspace_bytes(Exec const& exec, Map const& map) noexcept {
  return hash_map_workspace_size(exec, detail::hash_map_extract_args<Map>{map, {}, {}});
}

/// Copies the pairs out by ascending key: one answer, though slots differ from run to run. If the output is too small,
/// it gets the smallest keys.
///
/// On the host O(capacity + n log n), by one thread. On a device O(capacity): radix_sort() sorts all slots, empty ones
/// too, once for keys of 32 bits and twice for 64; that and three or four more launches and a memset. Where the order
/// does not matter, hash_map_ref::for_each() in your own kernel reads the map once.
///
/// @param exec       where to work
/// @param map        not changed; of up to 2^31 slots
/// @param output     see hash_map_pairs
/// @param workspace  hash_map_extract_workspace_bytes() bytes or more, 256-byte aligned
/// @return also workspace_too_small
template <class Exec = host_exec, class Map>
result hash_map_extract(Exec const& exec, Map const& map,
                        hash_map_pairs<typename Map::key_type, typename Map::value_type> const& output,
                        bytes workspace) noexcept {
  if (result const checked = detail::check_hash_map_pairs(map, output); !checked) return checked;
  std::size_t const needed = hash_map_extract_workspace_bytes(exec, map);
  if (result const checked = detail::check_workspace(workspace, needed, FARPOINT_WORKSPACE_OF("hash_map_extract"));
      !checked)
    return checked;
  return hash_map_run(exec, detail::hash_map_extract_args<Map>{map, output, workspace});
}

FARPOINT_END_NAMESPACE

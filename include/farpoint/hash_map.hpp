/// @file
/// Bulk operations on a hash map: they process arrays of keys. This header serves host_exec; hash_map.cuh adds
/// cuda_exec.
///
/// All calls take the execution first: a host_exec, or with hash_map.cuh a cuda_exec or any stream that converts to
/// one. The map's buckets and all arrays lie in its memory space. A call on host_exec blocks until done; see
/// hash_map.cuh for calls on a stream. Unless a call says otherwise:
///
/// - it returns ok | bad_argument (null pointers, buckets not aligned to 32 bytes, too few values or slots, a negative
///   number of threads, a workspace not aligned to 256 bytes) | workspace_too_small (neither empty nor large enough) |
///   cuda_failure, and on failure has written nothing;
/// - it takes O(n) time for n keys at load factors up to 0.8, and O(n * capacity) in the worst case, a full map;
/// - if a map exceeds the GPU's L2 cache, a call with a workspace of hash_map_workspace_bytes() sorts its keys by the
///   part of the map that they belong to, so that it reads and writes the map once and in order; with an empty
///   workspace it does not sort. The result is the same, except where it is documented as unspecified;
/// - calls that insert or erase may run concurrently on one map, and so may calls that only look up, but not a mixture
///   of both: for concurrent single look-ups use hash_map_ref. hash_map_clear() needs exclusive access.
#pragma once

#include <farpoint/detail/hash_map/host.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Clears a map; its memory may be uninitialized. O(capacity); on a stream one launch.
template <class Exec = host_exec, class Map>
result hash_map_clear(Exec const& exec, Map const& map) noexcept {
  if (result const checked = detail::check_hash_map(map); !checked) return checked;
  return hash_map_run(exec, detail::hash_map_clear_args<Map>{map});
}

/// Returns the size in bytes of the workspace with which a call on `keys` keys is fastest; 0 if it needs none, and
/// always on the host. Depends on the device, the map's memory and the tuning. At most hash_map_workspace_bound().
/// O(1).
///
/// @param exec  execution of the call
/// @param map   the map
/// @param call  kind of call
/// @param keys  number of keys
template <class Exec = host_exec, class Map>
std::size_t hash_map_workspace_bytes(Exec const& exec, Map const& map, hash_map_call call, index_t keys) noexcept {
  return detail::visit_hash_map_operation<Map>(call, [&](auto const& operation) {
    return hash_map_workspace_size(exec, detail::hash_map_args_of(map, keys, operation));
  });
}

/// Computes a number of bytes of workspace that suffices for a call on at most `keys` keys, for any map, device and
/// tuning: an upper bound on hash_map_workspace_bytes(). Monotonic in `keys`. 0 on the host. O(1).
/// @tparam Map  type of the map
/// @return ok | bad_argument (a negative number of keys); on failure `bound` is unchanged
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
/// If a new key occurs with several values, it is unspecified which value stays; hash_map_insert_or_min() is
/// deterministic. Entries with the empty key are skipped and counted. If the map fills up, it is unspecified which of
/// the new keys are inserted; the report counts the rejected entries.
///
/// On a stream: one launch, or two and a memset with a workspace; one more memset with a report.
///
/// @param exec       execution of the call
/// @param map        cleared before its first use
/// @param keys       `[n]`
/// @param values     `[n]` or more
/// @param report     optional; overwritten, not added to
/// @param workspace  optional; at least hash_map_workspace_bytes() bytes, 256-byte aligned
template <class Exec = host_exec, class Map>
result hash_map_insert(Exec const& exec, Map const& map, span<typename Map::key_type const> keys,
                       span<typename Map::value_type const> values, hash_map_report* report = nullptr,
                       bytes workspace = {}) noexcept {
  return detail::hash_map_insert_entries<hash_map_call::insert>(exec, map, keys, values, report, workspace);
}

/// Inserts keys with their values. A key that is in the map gets the new value. If a key occurs with several values, it
/// is unspecified which value stays. Otherwise like hash_map_insert().
template <class Exec = host_exec, class Map>
result hash_map_insert_or_assign(Exec const& exec, Map const& map, span<typename Map::key_type const> keys,
                                 span<typename Map::value_type const> values, hash_map_report* report = nullptr,
                                 bytes workspace = {}) noexcept {
  return detail::hash_map_insert_entries<hash_map_call::insert_or_assign>(exec, map, keys, values, report, workspace);
}

/// Adds amounts to the values of keys, modulo 2^bits; an absent key is inserted with its amount. The result does not
/// depend on the order of the entries. Otherwise like hash_map_insert().
template <class Exec = host_exec, class Map>
result hash_map_insert_or_add(Exec const& exec, Map const& map, span<typename Map::key_type const> keys,
                              span<typename Map::value_type const> amounts, hash_map_report* report = nullptr,
                              bytes workspace = {}) noexcept {
  return detail::hash_map_insert_entries<hash_map_call::insert_or_add>(exec, map, keys, amounts, report, workspace);
}

/// Inserts keys with their values; each key ends up with the smallest of its given values and its old one. The result
/// does not depend on the order of the entries. Otherwise like hash_map_insert().
template <class Exec = host_exec, class Map>
result hash_map_insert_or_min(Exec const& exec, Map const& map, span<typename Map::key_type const> keys,
                              span<typename Map::value_type const> values, hash_map_report* report = nullptr,
                              bytes workspace = {}) noexcept {
  return detail::hash_map_insert_entries<hash_map_call::insert_or_min>(exec, map, keys, values, report, workspace);
}

/// Inserts absent keys with the initial value: a set. With `hash_map_layout::split` it accesses no values. Otherwise
/// like hash_map_insert().
template <class Exec = host_exec, class Map>
result hash_map_insert_keys(Exec const& exec, Map const& map, span<typename Map::key_type const> keys,
                            hash_map_report* report = nullptr, bytes workspace = {}) noexcept {
  if (result const bad = detail::check_hash_map_entries(map, keys, keys.data(), keys.size()); !bad) return bad;
  using operation = detail::hash_map_slot_operation<Map, hash_map_call::insert_keys>;
  return hash_map_run(exec, detail::hash_map_args_of(map, keys, operation{}, workspace, report));
}

/// Finds the slot of each key, and inserts absent keys with the initial value. The slot is -1 for the empty key and for
/// a key that a full map rejects. Otherwise like hash_map_insert().
///
/// A slot number is valid until the map is cleared, and differs from run to run.
///
/// @param exec    host_exec, or a stream
/// @param map     the map
/// @param keys    `[n]`, in the memory of the execution
/// @param slots   `[n]` or more, 32 bits (maps of up to 2^31 slots) or 64
/// @param report  counters; optional
/// @param workspace  as in hash_map_insert(); three launches if it is used
template <class Exec = host_exec, class Map>
result hash_map_find_or_insert(Exec const& exec, Map const& map, span<typename Map::key_type const> keys,
                               index_span slots, hash_map_report* report = nullptr, bytes workspace = {}) noexcept {
  if (result const bad = detail::check_hash_map_slots(map, keys, slots); !bad) return bad;
  using operation = detail::hash_map_slot_operation<Map, hash_map_call::find_or_insert>;
  return hash_map_run(exec, detail::hash_map_args_of(map, keys, operation{slots}, workspace, report));
}

/// Erases keys. The report counts an absent key as `absent`, and so each further copy of an erased key.
///
/// The slots of erased keys stay used until hash_map_clear(); hash_map_rehash() does not copy them. On a stream one
/// launch, or two and a memset with a workspace; one more memset with a report.
///
/// @param exec       host_exec, or a stream
/// @param map        a map whose hash_map_tuning::erases is true
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

/// Inserts all keys of a map, with their values, into another map, for example a larger one or one without erased
/// slots. A key that is in the other map keeps its value there.
///
/// Needs no workspace: if both maps have the same hash, keys are inserted approximately in the order of memory.
/// O(capacity of `from`). On a stream one launch; one memset with a report.
///
/// @param exec    host_exec, or a stream
/// @param from    not changed; no other call may change it concurrently
/// @param to      cleared before its first use; has the same key and value types and other memory. Its layout, hash and
///                reserved keys may differ
/// @param report  optional; overwritten, not added to. Counts the keys that `to` reserves or has no room for
template <class Exec = host_exec, class From, class To>
result hash_map_rehash(Exec const& exec, From const& from, To const& to, hash_map_report* report = nullptr) noexcept {
  static_assert(std::is_same_v<typename From::key_type, typename To::key_type> &&
                    std::is_same_v<typename From::value_type, typename To::value_type>,
                "farpoint: a map is rehashed into one with the same types of keys and values");
  if (result const checked = detail::check_hash_map_rehash(from, to); !checked) return checked;
  return hash_map_run(exec, detail::hash_map_rehash_args<From, To>{from, to, report});
}

/// Writes for each key whether the map contains it. Reads no values. No other thread may change the map during the
/// call. On a stream one launch, or three and a memset with a workspace.
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

/// Finds the value of each key; `missing` for an absent key. No other thread may change the map during the call. On a
/// stream one launch, or three and a memset with a workspace.
///
/// @param exec       host_exec, or a stream
/// @param map        the map
/// @param keys       `[n]`, in the memory of the execution
/// @param missing    value for an absent key
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

/// Finds the slot of each key; -1 for an absent key. Reads no values. No other thread may change the map during the
/// call. On a stream one launch, or three and a memset with a workspace.
///
/// @param exec       host_exec, or a stream
/// @param map        the map
/// @param keys       `[n]`, in the memory of the execution
/// @param slots      `[n]` or more, 32 bits (maps of up to 2^31 slots) or 64
/// @param workspace  as in hash_map_insert()
template <class Exec = host_exec, class Map>
result hash_map_find_slots(Exec const& exec, Map const& map, span<typename Map::key_type const> keys, index_span slots,
                           bytes workspace = {}) noexcept {
  if (result const bad = detail::check_hash_map_slots(map, keys, slots); !bad) return bad;
  using operation = detail::hash_map_slot_operation<Map, hash_map_call::find_slots>;
  return hash_map_run(exec, detail::hash_map_args_of(map, keys, operation{slots}, workspace));
}

/// Returns the size in bytes of the workspace of hash_map_extract() for this map: at most 16 bytes per slot on the
/// host; 16.3 bytes per slot and 1 KiB on a device.
template <class Exec = host_exec, class Map>
std::size_t hash_map_extract_workspace_bytes(Exec const& exec, Map const& map) noexcept {
  return hash_map_workspace_size(exec, detail::hash_map_extract_args<Map>{map, {}, {}});
}

/// Copies the pairs by ascending key: the result is deterministic although slots differ from run to run. If the output
/// is too small, it receives the smallest keys.
///
/// On the host O(capacity + n log n), by one thread. On a device O(capacity): radix_sort() sorts all slots, empty ones
/// included, once for 32-bit keys and twice for 64-bit keys, plus three or four launches and a memset. If the order
/// does not matter, hash_map_ref::for_each() in a kernel of your own reads the map once.
///
/// @param exec       execution of the call
/// @param map        not changed; at most 2^31 slots
/// @param output     see hash_map_pairs
/// @param workspace  at least hash_map_extract_workspace_bytes() bytes, 256-byte aligned
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

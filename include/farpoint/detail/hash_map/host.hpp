/// @file
/// The bulk operations on a hash map for host_exec.
#pragma once

#include <farpoint/core/host_exec.hpp>
#include <farpoint/core/math.hpp>
#include <farpoint/detail/hash_map/operations.hpp>
#include <farpoint/host/thread_team.hpp>
#include <farpoint/tuning/hash_map.hpp>

#include <algorithm>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Calls part(begin, end) for parts of `size` entries, each on a thread.
template <class Part>
void for_each_part(host_exec exec, index_t size, Part const& part) noexcept {
  index_t const worth = 1 + size / hash_map_entries_per_thread;
  index_t const wanted = resolve_threads(exec.threads);
  run_team(exec.pool, static_cast<int>(wanted < worth ? wanted : worth), [&](int rank, int members) {
    index_t const each = divide_up(size, index_t{members});
    index_t const begin = std::min(size, rank * each);
    part(begin, std::min(size, begin + each));
  });
}

template <class Map>
result hash_map_run(host_exec exec, hash_map_clear_args<Map> const& args) noexcept {
  if (result const checked = check_threads(exec); !checked) return checked;
  for_each_part(exec, args.map.clear_stores(), [&](index_t begin, index_t end) { args.map.clear_part(begin, end); });
  return {};
}

template <class Map, class Operation>
std::size_t hash_map_workspace_size(host_exec, hash_map_args<Map, Operation> const&) noexcept {
  return 0;
}
template <class Map, class Operation>
std::size_t hash_map_workspace_at_most(host_exec, hash_map_args<Map, Operation> const&) noexcept {
  return 0;
}

/// Calls run(i) for all i below `size`, and counts the misses that it returns.
template <class Run>
result run_and_count(host_exec exec, index_t size, hash_map_report* report, Run const& run) noexcept {
  if (result const checked = check_threads(exec); !checked) return checked;
  hash_map_report total;
  for_each_part(exec, size, [&](index_t begin, index_t end) {
    for (index_t i = begin; i < end; ++i) {
      switch (run(i)) {
        case hash_map_miss::none: break;
        case hash_map_miss::refused: atomic_add(&total.refused, std::uint64_t{1}); break;
        case hash_map_miss::no_room: atomic_add(&total.no_room, std::uint64_t{1}); break;
        case hash_map_miss::absent: atomic_add(&total.absent, std::uint64_t{1}); break;
      }
    }
  });
  if (report != nullptr) *report = total;
  return {};
}

template <class Map, class Operation>
result hash_map_run(host_exec exec, hash_map_args<Map, Operation> const& args) noexcept {
  return run_and_count(exec, args.size, args.report,
                       [&](index_t i) { return args.operation.run(args.map, args.keys[i], i); });
}

template <class From, class To>
result hash_map_run(host_exec exec, hash_map_rehash_args<From, To> const& args) noexcept {
  return run_and_count(exec, args.from.capacity(), args.report,
                       [&](index_t i) { return rehash_slot(args.from, args.to, i); });
}

/// A key's slot, in the order of keys.
template <class Key>
struct hash_map_place {
  Key key;
  index_t slot;
};

template <class Map>
std::size_t hash_map_workspace_size(host_exec, hash_map_extract_args<Map> const& args) noexcept {
  return static_cast<std::size_t>(args.map.capacity()) * sizeof(hash_map_place<typename Map::key_type>);
}

template <class Map>
result hash_map_run(host_exec exec, hash_map_extract_args<Map> const& args) noexcept {
  using place = hash_map_place<typename Map::key_type>;
  if (result const checked = check_threads(exec); !checked) return checked;
  auto* const places = reinterpret_cast<place*>(args.workspace.data());
  auto const& output = args.output;
  index_t count = 0;
  args.map.for_each([&](auto key, auto, index_t slot) { places[count++] = {key, slot}; });
  std::sort(places, places + count, [](place const& a, place const& b) { return a.key < b.key; });
  auto const kept = std::min(static_cast<std::size_t>(count), output.keys.size());
  for (std::size_t i = 0; i < kept; ++i) {
    output.keys[i] = places[i].key;
    if (!output.values.empty()) output.values[i] = args.map.value(places[i].slot).load();
  }
  if (output.count != nullptr) *output.count = static_cast<std::uint64_t>(count);
  return {};
}

}  // namespace detail
FARPOINT_END_NAMESPACE

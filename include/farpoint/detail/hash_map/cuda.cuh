/// @file
/// Bulk operations on a hash map for cuda_exec: enqueue their kernels.
#pragma once

#include <farpoint/core/check_pointers.cuh>
#include <farpoint/core/cuda_exec.cuh>
#include <farpoint/core/profile_range.cuh>
#include <farpoint/detail/hash_map/bulk_kernels.cuh>
#include <farpoint/detail/hash_map/compact_kernels.cuh>
#include <farpoint/detail/hash_map/part_kernels.cuh>
#include <farpoint/grid/device_properties.cuh>
#include <farpoint/grid/kernel_launcher.cuh>
#include <farpoint/grid/radix_sort.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

inline result hash_map_result(kernel_launcher const& launcher) noexcept {
  return cuda_failure(launcher.error(), "hash_map: a kernel or a memset could not be enqueued");
}

template <class Map>
FARPOINT_HIDDEN result hash_map_run(cuda_exec exec, hash_map_clear_args<Map> const& args) noexcept {
  profile_range const range{"farpoint::hash_map_clear"};
  if (result const checked = check_pointers(exec, args.map.buckets()); !checked) return checked;
  kernel_launcher launcher{exec.stream};
  launcher.launch_for(divide_up(args.map.clear_stores(), hash_map_clear_stores), hash_map_block_size,
                      hash_map_clear_kernel<Map>, args.map);
  return hash_map_result(launcher);
}

/// Enqueues the kernel that reads the keys `Passes` times.
template <int Passes, class Map, class Operation>
FARPOINT_HIDDEN void hash_map_launch_passes(kernel_launcher& launcher,
                                            hash_map_args<Map, Operation> const& args) noexcept {
  constexpr index_t tile = index_t{hash_map_block_size} * hash_map_pass_keys<Passes>;
  launcher.launch_for(divide_up(args.size, tile) * Passes * hash_map_block_size, hash_map_block_size,
                      hash_map_pass_kernel<Map, Operation, Passes>, args);
}

/// Returns the case that the map's tuning decides by.
template <class Map, class Operation>
hash_map_case hash_map_case_of(hash_map_args<Map, Operation> const& args) noexcept {
  hash_map_case c{};
  c.keys = args.size;
  c.slots = args.map.capacity();
  c.is_split = Map::tuning::layout == hash_map_layout::split;
  c.takes_values = Operation::takes_values;
  c.inserts = Operation::inserts;
  c.has_outcomes = Operation::has_outcomes;
  c.bytes = c.is_split && !c.takes_values ? c.slots * index_t{sizeof(typename Map::key_type)}
                                          : static_cast<index_t>(args.map.buckets().size() * sizeof(hash_map_bucket));
  c.cache_bytes = device_properties::cache_bytes();
  return c;
}

template <class Map>
inline constexpr index_t hash_map_parts_at_most = smaller(Map::tuning::max_parts, hash_map_max_parts);

/// Cuts the workspace. With one part, no workspace is used.
template <class Map, class Operation>
hash_map_parted_args<Map, Operation> hash_map_parted_args_of(hash_map_args<Map, Operation> const& call,
                                                             workspace_cutter& cutter) noexcept {
  hash_map_parted_args<Map, Operation> args{call, call.operation, 1, 0, nullptr, nullptr, nullptr, nullptr};
  index_t const parts = smaller<index_t>(Map::tuning::parts(hash_map_case_of(call)), hash_map_parts_at_most<Map>);
  // Slots and positions of sorted keys are stored in 32 bits.
  index_t const most = max_narrow_slots;
  if (parts <= 1 || call.size >= most || call.map.capacity() > most) return args;
  index_t const room = hash_map_part_room(call.size, parts);
  args.parts = static_cast<std::uint32_t>(parts);
  args.room = static_cast<std::uint32_t>(room);
  args.given = cutter.take<std::uint32_t>(parts);
  args.keys = cutter.take<typename Map::key_type>(parts * room);
  if (Operation::takes_values || Operation::has_outcomes) {
    args.payloads = cutter.take<typename Operation::payload>(parts * room);
  }
  if (Operation::has_outcomes) args.places = cutter.take<std::uint32_t>(call.size);
  args.in_parts = call.operation.on(args.payloads, parts * room);
  return args;
}

template <class Map, class Operation>
std::size_t hash_map_workspace_size(cuda_exec, hash_map_args<Map, Operation> const& args) noexcept {
  workspace_cutter cutter;
  static_cast<void>(hash_map_parted_args_of(args, cutter));
  return cutter.used();
}

/// Workspace bytes for any map and at most args.size keys.
template <class Map, class Operation>
std::size_t hash_map_workspace_at_most(cuda_exec, hash_map_args<Map, Operation> const& args) noexcept {
  if (hash_map_parts_at_most<Map> <= 1) return 0;
  index_t const keys = smaller(args.size, max_narrow_slots);
  index_t const sorted = hash_map_max_room(keys);
  workspace_cutter cutter;
  static_cast<void>(cutter.take<std::uint32_t>(hash_map_max_parts));
  static_cast<void>(cutter.take<typename Map::key_type>(sorted));
  if (Operation::takes_values || Operation::has_outcomes) {
    static_cast<void>(cutter.take<typename Operation::payload>(sorted));
  }
  if (Operation::has_outcomes) static_cast<void>(cutter.take<std::uint32_t>(keys));
  return cutter.used();
}

/// Enqueues the kernels that sort the keys by part and work on one part after another.
template <class Map, class Operation>
FARPOINT_HIDDEN void hash_map_launch_parts(kernel_launcher& launcher,
                                           hash_map_parted_args<Map, Operation> const& args) noexcept {
  using sorter = hash_map_part_sorter<Map, Operation>;
  launcher.clear(args.given, args.parts * sizeof(std::uint32_t));
  auto config = launch_config(blocks_for(divide_up(args.call.size, index_t{sorter::items}), sorter::threads),
                              sorter::threads, launcher.stream());
  config.dynamicSmemBytes = sizeof(typename sorter::storage);
  launcher.launch(hash_map_sort_kernel<Map, Operation>, config, args);
  // The capacity of a part is a multiple of the block size, so a block works on one part only.
  launcher.launch_for(index_t{args.parts} * args.room, hash_map_block_size, hash_map_parts_kernel<Map, Operation>,
                      args);
  if constexpr (Operation::has_outcomes) {
    launcher.launch_for(divide_up(args.call.size, index_t{hash_map_unsort_keys}), hash_map_block_size,
                        hash_map_unsort_kernel<Map, Operation>, args);
  }
}

template <class Map, class Operation>
FARPOINT_HIDDEN void hash_map_launch(kernel_launcher& launcher, hash_map_args<Map, Operation> const& args) noexcept {
  if constexpr ((hash_map_parts_at_most<Map>) > 1) {
    if (!args.workspace.empty()) {
      workspace_cutter cutter{args.workspace.data()};
      auto const parted = hash_map_parted_args_of(args, cutter);
      if (parted.parts > 1) return hash_map_launch_parts(launcher, parted);
    }
  }
  int const passes = Map::tuning::passes(hash_map_case_of(args));
  if constexpr (!Operation::has_outcomes) {
    if (passes >= 8) return hash_map_launch_passes<8>(launcher, args);
  }
  if (passes >= 4) return hash_map_launch_passes<4>(launcher, args);
  if (passes >= 2) return hash_map_launch_passes<2>(launcher, args);
  launcher.launch_for(args.size, hash_map_block_size, hash_map_bulk_kernel<Map, Operation>, args);
}

template <class Map, class Operation>
FARPOINT_HIDDEN result hash_map_run(cuda_exec exec, hash_map_args<Map, Operation> const& args) noexcept {
  profile_range const range{Operation::name};
  if (result const checked =
          check_pointers(exec, args.workspace, args.map.buckets(),
                         span<typename Map::key_type const>{args.keys, static_cast<std::size_t>(args.size)},
                         args.operation.array(args.size), args.report);
      !checked)
    return checked;
  if (!args.workspace.empty()) {
    result const checked =
        check_workspace(args.workspace, hash_map_workspace_size(exec, args), FARPOINT_WORKSPACE_OF("hash_map"));
    if (!checked) return checked;
  }
  if (args.size > hash_map_max_keys) return reject("hash_map: cuda_exec takes at most 2^38 keys; split the call");
  kernel_launcher launcher{exec.stream};
  if (args.report != nullptr) launcher.clear(args.report, sizeof(hash_map_report));
  hash_map_launch(launcher, args);
  return hash_map_result(launcher);
}

template <class From, class To>
FARPOINT_HIDDEN result hash_map_run(cuda_exec exec, hash_map_rehash_args<From, To> const& args) noexcept {
  profile_range const range{"farpoint::hash_map_rehash"};
  if (result const checked = check_pointers(exec, args.from.buckets(), args.to.buckets(), args.report); !checked) {
    return checked;
  }
  kernel_launcher launcher{exec.stream};
  if (args.report != nullptr) launcher.clear(args.report, sizeof(hash_map_report));
  launcher.launch_for(args.from.capacity(), hash_map_block_size, hash_map_rehash_kernel<From, To>, args);
  return hash_map_result(launcher);
}

/// Cuts the workspace of hash_map_extract().
template <class Map>
hash_map_compact_args<Map> hash_map_compact_args_of(hash_map_extract_args<Map> const& args,
                                                    workspace_cutter& cutter) noexcept {
  index_t const capacity = args.map.capacity();
  hash_map_compact_args<Map> compact{args.map, args.output, {}, {}, nullptr, nullptr};
  for (auto& half : compact.halves) half = cutter.take<std::uint32_t>(capacity);
  for (auto& slot : compact.slots) slot = cutter.take<std::uint32_t>(capacity);
  compact.sort_workspace =
      cutter.take<std::uint32_t>(static_cast<index_t>(radix_sort_workspace_words(static_cast<std::size_t>(capacity))));
  compact.found = cutter.take<std::uint64_t>(1);
  return compact;
}

template <class Map>
std::size_t hash_map_workspace_size(cuda_exec, hash_map_extract_args<Map> const& args) noexcept {
  workspace_cutter cutter;
  static_cast<void>(hash_map_compact_args_of(args, cutter));
  return cutter.used();
}

template <class Map>
FARPOINT_HIDDEN void hash_map_launch_compact(kernel_launcher& launcher,
                                             hash_map_compact_args<Map> const& args) noexcept {
  index_t const capacity = args.map.capacity();
  // Sorts by a 32-bit half of the keys; the sort is stable, and the result is in the first of the two buffers.
  static_assert(radix_sort_result(32) == 0);
  auto const sort = [&] {
    return radix_sort({{args.halves[0], args.halves[1]},
                       {args.slots[0], args.slots[1]},
                       args.sort_workspace,
                       static_cast<std::uint32_t>(capacity)},
                      launcher.stream());
  };
  launcher.clear(args.found, sizeof(std::uint64_t));
  launcher.launch_for(args.buckets(), hash_map_block_size, hash_map_list_kernel<Map>, args);
  launcher.launch_for(capacity, hash_map_block_size, hash_map_pad_kernel<Map>, args);
  launcher.then(sort);
  if constexpr (sizeof(typename Map::key_type) == 8) {
    launcher.launch_for(capacity, hash_map_block_size, hash_map_high_kernel<Map>, args);
    launcher.then(sort);
  }
  launcher.launch_for(capacity, hash_map_block_size, hash_map_copy_kernel<Map>, args);
}

template <class Map>
FARPOINT_HIDDEN result hash_map_run(cuda_exec exec, hash_map_extract_args<Map> const& args) noexcept {
  profile_range const range{"farpoint::hash_map_extract"};
  if (result const checked = check_pointers(exec, args.workspace, args.map.buckets(), args.output.keys,
                                            args.output.values, args.output.count);
      !checked)
    return checked;
  kernel_launcher launcher{exec.stream};
  if (args.map.capacity() > 0) {
    workspace_cutter cutter{args.workspace.data()};
    hash_map_launch_compact(launcher, hash_map_compact_args_of(args, cutter));
  } else if (args.output.count != nullptr) {
    launcher.clear(args.output.count, sizeof(std::uint64_t));
  }
  return hash_map_result(launcher);
}

}  // namespace detail
FARPOINT_END_NAMESPACE

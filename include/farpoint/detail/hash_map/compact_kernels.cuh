/// @file
/// Kernels that copy the pairs of a hash map out by ascending key.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/core/ordered_bits.hpp>
#include <farpoint/detail/hash_map/bulk_kernels.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Slots of a map that are sorted by key, half a key at a time. An entry is such a half and a slot.
template <class Map>
struct hash_map_compact_args {
  Map map;
  hash_map_pairs<typename Map::key_type, typename Map::value_type> output;
  std::uint32_t* halves[2];  ///< `[capacity]` each
  std::uint32_t* slots[2];   ///< `[capacity]` each
  std::uint32_t* sort_workspace;
  std::uint64_t* found;  ///< keys in the map; 0 at the start

  static constexpr std::uint32_t no_slot = ~std::uint32_t{0};

  /// Number of buckets of Map::bucket_slots slots. The units of the map's memory may have another size.
  FARPOINT_HD index_t buckets() const noexcept { return map.capacity() / Map::bucket_slots; }
};

/// Lists the slots that hold a key, in no order, with the low half of each key. A thread per bucket.
template <class Map>
__global__ void __launch_bounds__(hash_map_block_size) hash_map_list_kernel(hash_map_compact_args<Map> const args) {
  __shared__ std::uint32_t block_keys;
  __shared__ std::uint64_t block_start;
  if (threadIdx.x == 0) block_keys = 0;
  __syncthreads();
  index_t const bucket = hash_map_thread();
  std::uint32_t keys = 0;
  if (bucket < args.buckets()) args.map.for_each_in_bucket([&keys](auto, auto, index_t) { ++keys; }, bucket);
  std::uint32_t const mine = keys == 0 ? 0 : atomicAdd(&block_keys, keys);
  __syncthreads();
  if (threadIdx.x == 0 && block_keys != 0) block_start = atomic_add(args.found, std::uint64_t{block_keys});
  __syncthreads();
  if (keys == 0) return;
  std::uint64_t at = block_start + mine;
  args.map.for_each_in_bucket(
      [&](auto key, auto, index_t slot) {
        args.halves[0][at] = static_cast<std::uint32_t>(ordered_word(key));
        args.slots[0][at] = static_cast<std::uint32_t>(slot);
        ++at;
      },
      bucket);
}

/// Fills the entries behind the keys with the largest value: no key is above it, so a stable sort leaves the fill
/// behind the keys.
template <class Map>
__global__ void __launch_bounds__(hash_map_block_size) hash_map_pad_kernel(hash_map_compact_args<Map> const args) {
  index_t const i = hash_map_thread();
  if (i >= args.map.capacity() || i < static_cast<index_t>(*args.found)) return;
  args.halves[0][i] = ~std::uint32_t{0};
  args.slots[0][i] = args.no_slot;
}

/// Replaces the low halves of the keys by the high ones.
template <class Map>
__global__ void __launch_bounds__(hash_map_block_size) hash_map_high_kernel(hash_map_compact_args<Map> const args) {
  index_t const i = hash_map_thread();
  if (i >= args.map.capacity()) return;
  std::uint32_t const slot = args.slots[0][i];
  std::uint64_t const all = slot == args.no_slot ? ~std::uint64_t{0} : std::uint64_t{ordered_word(args.map.key(slot))};
  args.halves[0][i] = static_cast<std::uint32_t>(all >> 32);
}

/// Copies the pairs to the output, up to its capacity, and writes their number.
template <class Map>
__global__ void __launch_bounds__(hash_map_block_size) hash_map_copy_kernel(hash_map_compact_args<Map> const args) {
  index_t const i = hash_map_thread();
  auto const count = static_cast<index_t>(*args.found);
  if (i == 0 && args.output.count != nullptr) *args.output.count = *args.found;
  if (i >= count || i >= static_cast<index_t>(args.output.keys.size())) return;
  auto const slot = static_cast<index_t>(args.slots[0][i]);
  args.output.keys[static_cast<std::size_t>(i)] = args.map.key(slot);
  if (!args.output.values.empty()) args.output.values[static_cast<std::size_t>(i)] = args.map.value(slot).load();
}

}  // namespace detail
FARPOINT_END_NAMESPACE

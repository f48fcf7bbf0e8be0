/// @file
/// Kernels that sort keys by the part of a hash map in which their search begins, and work on one part after another.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/block/dynamic_shared.cuh>
#include <farpoint/detail/hash_map/bulk_kernels.cuh>

#include <cub/block/block_scan.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Arguments of a call, and the memory that its keys are sorted into.
///
/// A part has room for slightly more keys than its average share. The sorting kernel applies the operation to
/// overflowing keys at once, so every distribution of keys works and no counting pass is needed.
template <class Map, class Operation>
struct hash_map_parted_args {
  hash_map_args<Map, Operation> call;
  Operation in_parts;                     ///< the operation on the sorted entries
  std::uint32_t parts;                    ///< at most hash_map_max_parts
  std::uint32_t room;                     ///< capacity of a part, in keys; parts * room is below 2^32 - 1
  std::uint32_t* given;                   ///< `[parts]`: keys of each part so far, including overflow; zero-initialized
  typename Map::key_type* keys;           ///< `[parts, room]`
  typename Operation::payload* payloads;  ///< `[parts, room]`; null if the operation has none
  std::uint32_t* places;  ///< `[size]`: index of each key in `keys`; null if the operation has no outcomes

  static constexpr std::uint32_t nowhere = ~std::uint32_t{0};
};

/// Sorts one tile of keys; one block's part of the sort.
template <class Map, class Operation>
class hash_map_part_sorter {
 public:
  using args_type = hash_map_parted_args<Map, Operation>;
  using key_type = typename Map::key_type;
  using value_type = typename Operation::payload;

  static constexpr int threads = hash_map_block_size;
  static constexpr bool has_values = Operation::takes_values && Operation::inserts;
  // Number of keys of a thread: limited by registers, and by 32 KiB of shared memory for a tile of keys and values.
  static constexpr int items = sizeof(key_type) == 4 && (!has_values || sizeof(value_type) == 4) ? 16 : 8;
  static constexpr int tile = threads * items;
  static constexpr int parts_a_thread = hash_map_max_parts / threads;

  struct storage {
    union {
      typename CUB_NS_QUALIFIER::BlockScan<std::uint32_t, threads>::TempStorage scan;
      key_type keys[std::size_t{tile}];
    };
    value_type values[std::size_t{has_values ? tile : 1}];
    std::uint32_t begins[hash_map_max_parts];  ///< count of each part, later its first position in the tile
    /// Rank of a tile's first key of a part among the part's keys, minus its position in the tile.
    std::uint32_t shifts[hash_map_max_parts];
  };

  __device__ hash_map_part_sorter(args_type const& args, storage& shared) noexcept : args_{args}, shared_{shared} {}

  /// Sorts the tile. All threads of the block call it.
  __device__ void run() const noexcept {
    index_t const first = index_t{blockIdx.x} * tile;
    auto const left = static_cast<std::uint32_t>(smaller<index_t>(tile, args_.call.size - first));
    auto const thread = threadIdx.x;
    auto const at = [thread](int i) { return static_cast<std::uint32_t>(i) * threads + thread; };
    auto const& map = args_.call.map;

    FARPOINT_UNROLL
    for (int i = 0; i < parts_a_thread; ++i) shared_.begins[parts_a_thread * thread + i] = 0;
    key_type keys[items];
    FARPOINT_UNROLL
    for (int i = 0; i < items; ++i) {
      keys[i] = at(i) < left ? load_once(args_.call.keys + first + at(i)) : map.empty();
    }
    __syncthreads();
    // ranks[i]: part of key i in the high half, number of the tile's keys of this part counted before it in the low
    // half.
    std::uint32_t ranks[items];
    FARPOINT_UNROLL
    for (int i = 0; i < items; ++i) {
      if (at(i) >= left) continue;
      std::uint32_t const part = map.part_of(keys[i], args_.parts);
      ranks[i] = part << 16 | atomicAdd(&shared_.begins[part], 1u);
    }
    [[maybe_unused]] value_type values[items];
    if constexpr (has_values) {
      FARPOINT_UNROLL
      for (int i = 0; i < items; ++i) {
        if (at(i) < left) values[i] = load_once(args_.call.operation.values + first + at(i));
      }
    }
    __syncthreads();
    reserve();
    std::uint32_t beyond = 0;
    FARPOINT_UNROLL
    for (int i = 0; i < items; ++i) {
      if (at(i) >= left) continue;
      std::uint32_t const part = ranks[i] >> 16;
      std::uint32_t const to = shared_.begins[part] + (ranks[i] & 0xffff);
      std::uint32_t const number = shared_.shifts[part] + to;
      bool const fits = number < args_.room;
      if (!fits) beyond |= 1u << i;
      shared_.keys[to] = keys[i];
      if constexpr (has_values) shared_.values[to] = values[i];
      if constexpr (Operation::has_outcomes) {
        store_once(args_.places + first + at(i), fits ? part * args_.room + number : args_type::nowhere);
      }
    }
    __syncthreads();
    FARPOINT_UNROLL
    for (int i = 0; i < items; ++i) {
      if (at(i) >= left) continue;
      key_type const key = shared_.keys[at(i)];
      std::uint32_t const part = map.part_of(key, args_.parts);
      std::uint32_t const number = shared_.shifts[part] + at(i);
      if (number >= args_.room) continue;
      std::uint32_t const to = part * args_.room + number;
      args_.keys[to] = key;
      if constexpr (has_values) args_.payloads[to] = shared_.values[at(i)];
    }
    while (cuda_warp::ballot(beyond != 0) != 0) {
      // The key is loaded again: overflow is rare, and an array in registers cannot be indexed by a variable.
      hash_map_miss miss = hash_map_miss::none;
      if (beyond != 0) {
        index_t const i = first + at(__ffs(static_cast<int>(beyond)) - 1);
        miss = args_.call.operation.run(map, args_.call.keys[i], i);
        beyond &= beyond - 1;
      }
      count_misses<Operation::miss>(args_.call.report, miss);
    }
  }

 private:
  /// Reserves room in each part for the tile's keys.
  __device__ void reserve() const noexcept {
    std::uint32_t counts[parts_a_thread];
    std::uint32_t numbers[parts_a_thread];
    std::uint32_t begins[parts_a_thread];
    FARPOINT_UNROLL
    for (int i = 0; i < parts_a_thread; ++i) {
      std::uint32_t const part = parts_a_thread * threadIdx.x + static_cast<std::uint32_t>(i);
      counts[i] = shared_.begins[part];
      numbers[i] = counts[i] > 0 ? atomicAdd(args_.given + part, counts[i]) : 0;
    }
    CUB_NS_QUALIFIER::BlockScan<std::uint32_t, threads>{shared_.scan}.ExclusiveSum(counts, begins);
    FARPOINT_UNROLL
    for (int i = 0; i < parts_a_thread; ++i) {
      std::uint32_t const part = parts_a_thread * threadIdx.x + static_cast<std::uint32_t>(i);
      shared_.begins[part] = begins[i];
      shared_.shifts[part] = numbers[i] - begins[i];
    }
    __syncthreads();
  }

  args_type const& args_;
  storage& shared_;
};

template <class Map, class Operation>
__global__ void __launch_bounds__(hash_map_part_sorter<Map, Operation>::threads, 4)
    hash_map_sort_kernel(hash_map_parted_args<Map, Operation> const args) {
  using sorter = hash_map_part_sorter<Map, Operation>;
  sorter{args, *static_cast<typename sorter::storage*>(dynamic_shared())}.run();
}

/// Applies the operation to the sorted keys. Blocks are numbered by part; the device starts them in about this order,
/// so few parts are worked on at a time and stay in the cache.
template <class Map, class Operation>
__global__ void __launch_bounds__(hash_map_block_size)
    hash_map_parts_kernel(hash_map_parted_args<Map, Operation> const args) {
  std::uint32_t const blocks_a_part = divide_up(args.room, static_cast<std::uint32_t>(hash_map_block_size));
  std::uint32_t const part = blockIdx.x / blocks_a_part;
  std::uint32_t const number = blockIdx.x % blocks_a_part * hash_map_block_size + threadIdx.x;
  hash_map_miss miss = hash_map_miss::none;
  if (number < smaller(args.given[part], args.room)) {
    index_t const at = index_t{part} * args.room + number;
    miss = args.in_parts.run(args.call.map, load_once(args.keys + at), at);
  }
  count_misses<Operation::miss>(args.call.report, miss);
}

/// Copies outcomes back into the order of the call.
template <class Map, class Operation>
__global__ void __launch_bounds__(hash_map_block_size)
    hash_map_unsort_kernel(hash_map_parted_args<Map, Operation> const args) {
  constexpr int each = hash_map_unsort_keys;
  index_t const first = index_t{blockIdx.x} * (each * hash_map_block_size) + threadIdx.x;
  FARPOINT_UNROLL
  for (int i = 0; i < each; ++i) {
    index_t const at = first + i * hash_map_block_size;
    if (at >= args.call.size) break;
    std::uint32_t const place = load_once(args.places + at);
    if (place != args.nowhere) args.call.operation.copy(at, args.in_parts, place);
  }
}

}  // namespace detail
FARPOINT_END_NAMESPACE

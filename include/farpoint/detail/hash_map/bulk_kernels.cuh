/// @file
/// Kernels that clear a hash map or apply one operation to each key of an array.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/detail/hash_map/operations.hpp>
#include <farpoint/grid/blocks_that_fit.hpp>
#include <farpoint/tuning/hash_map.hpp>
#include <farpoint/warp/cuda_warp.cuh>
#include <farpoint/warp/warp_compact.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

__device__ inline index_t hash_map_thread() noexcept {
  return index_t{blockIdx.x} * hash_map_block_size + threadIdx.x;
}

template <class Map>
__global__ void __launch_bounds__(hash_map_block_size) hash_map_clear_kernel(Map const map) {
  map.clear(hash_map_thread(), index_t{gridDim.x} * hash_map_block_size);
}

/// Adds the misses of a warp's keys to the report, if there is one. All lanes call it.
/// @tparam Miss  the only miss other than `refused` that the operation returns; none: nothing is counted
template <hash_map_miss Miss>
__device__ void count_misses(hash_map_report* report, [[maybe_unused]] hash_map_miss miss) noexcept {
  if constexpr (Miss != hash_map_miss::none) {
    if (report == nullptr) return;
    auto const count = [](std::uint64_t* counter, bool counted) {
      int const keys = __popc(cuda_warp::ballot(counted));
      if (keys != 0 && cuda_warp::lane() == 0) atomic_add(counter, static_cast<std::uint64_t>(keys));
    };
    count(&report->refused, miss == hash_map_miss::refused);
    count(Miss == hash_map_miss::absent ? &report->absent : &report->no_room, miss == Miss);
  }
}

/// Number of blocks that a multiprocessor should hold. With 32-bit keys it is the largest that fits, since threads wait
/// for memory most of the time.
template <class Map>
constexpr int hash_map_blocks = sizeof(typename Map::key_type) <= 4 ? blocks_that_fit(hash_map_block_size) : 1;

/// Applies the operation to each key. One thread per key.
template <class Map, class Operation>
__global__ void __launch_bounds__(hash_map_block_size, hash_map_blocks<Map>)
    hash_map_bulk_kernel(hash_map_args<Map, Operation> const args) {
  index_t const i = hash_map_thread();
  hash_map_miss miss = hash_map_miss::none;
  if (i < args.size) miss = args.operation.run(args.map, load_once(args.keys + i), i);
  count_misses<Operation::miss>(args.report, miss);
}

/// Inserts the keys of a map into another map. One thread per slot.
template <class From, class To>
__global__ void __launch_bounds__(hash_map_block_size)
    hash_map_rehash_kernel(hash_map_rehash_args<From, To> const args) {
  index_t const i = hash_map_thread();
  hash_map_miss miss = hash_map_miss::none;
  if (i < args.from.capacity()) miss = rehash_slot(args.from, args.to, i);
  count_misses<hash_map_miss::no_room>(args.report, miss);
}

/// Reads all keys once per part of the map and applies the operation to the keys whose search begins in that part.
///
/// Blocks are numbered by part, then by tile. The device starts them in about this order, so the part that is worked on
/// stays in the cache. Each warp compacts its part's keys by shuffles. Lists in shared memory would shrink the L1
/// cache, which the outstanding loads need: inserting 10 M keys ran at 23.9 G/s with lists, 25.5 G/s with shuffles.
template <class Map, class Operation, int Passes>
__global__ void __launch_bounds__(hash_map_block_size, Passes <= 4 ? hash_map_blocks<Map> : 1)
    hash_map_pass_kernel(hash_map_args<Map, Operation> const args) {
  constexpr int each = hash_map_pass_keys<Passes>;
  using key_type = typename Map::key_type;
  unsigned const tiles = gridDim.x / Passes;
  std::uint32_t const part = blockIdx.x / tiles;
  int const lane = cuda_warp::lane();
  index_t const warp = index_t{blockIdx.x % tiles} * (hash_map_block_size / cuda_warp::lanes) +
                       static_cast<int>(threadIdx.x) / cuda_warp::lanes;
  index_t const begin = warp * (cuda_warp::lanes * each);
  auto const index = [begin](int row, int at) { return begin + row * cuda_warp::lanes + at; };

  key_type keys[each];
  FARPOINT_UNROLL
  for (int row = 0; row < each; ++row) {
    keys[row] = index(row, lane) < args.size ? load_once(args.keys + index(row, lane)) : key_type{};
  }
  warp_compact<each> const picks{
      [&](int row) { return index(row, lane) < args.size && args.map.part_of(keys[row], Passes) == part; }};
  for (int done = 0; done < picks.count(); done += cuda_warp::lanes) {
    auto const at = picks[done + lane];
    key_type key{};
    FARPOINT_UNROLL
    for (int row = 0; row < each; ++row) {
      key_type const theirs = cuda_warp::shuffle(keys[row], at.lane);
      if (row == at.row) key = theirs;
    }
    hash_map_miss miss = hash_map_miss::none;
    if (done + lane < picks.count()) miss = args.operation.run(args.map, key, index(at.row, at.lane));
    count_misses<Operation::miss>(args.report, miss);
  }
}

}  // namespace detail
FARPOINT_END_NAMESPACE

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

/// Number of keys of a block.
template <class Map>
inline constexpr index_t hash_map_tile = index_t{hash_map_block_size} * Map::tuning::keys_per_thread;

/// Adds a warp's keys that were not inserted to the report. All lanes call it.
__device__ inline void count_not_inserted(hash_map_report& report, bool failed, bool is_empty_key) noexcept {
  auto const count = [](std::uint64_t* counter, bool counted) {
    int const keys = __popc(cuda_warp::ballot(counted));
    if (keys != 0 && cuda_warp::lane() == 0) atomic_add(counter, static_cast<std::uint64_t>(keys));
  };
  count(&report.refused, failed && is_empty_key);
  count(&report.no_room, failed && !is_empty_key);
}

/// Number of blocks that a multiprocessor should hold. With 32-bit keys it is the largest that fits, since threads wait
/// for memory most of the time.
template <class Map>
constexpr int hash_map_blocks = sizeof(typename Map::key_type) <= 4 ? blocks_that_fit(hash_map_block_size) : 1;

/// Applies the operation to each key. A thread's keys are a block size from each other, so neighbouring threads load
/// neighbouring keys.
template <class Map, class Operation>
__global__ void __launch_bounds__(hash_map_block_size, hash_map_blocks<Map>)
    hash_map_bulk_kernel(hash_map_args<Map, Operation> const args) {
  constexpr int each = Map::tuning::keys_per_thread;
  static_assert(each > 0, "farpoint: a thread has at least one key");
  using key_type = typename Map::key_type;
  index_t const first = blockIdx.x * hash_map_tile<Map> + threadIdx.x;
  auto const index = [first](int j) { return first + j * hash_map_block_size; };

  key_type keys[each];
  FARPOINT_UNROLL
  for (int j = 0; j < each; ++j) keys[j] = index(j) < args.size ? load_once(args.keys + index(j)) : args.map.empty();

  // finish() returns for the empty key before it reads `begun`, which is uninitialized behind the last key.
  typename Operation::begun begun[each];
  FARPOINT_UNROLL
  for (int j = 0; j < each; ++j) {
    if (index(j) < args.size) begun[j] = args.operation.begin(args.map, keys[j], index(j));
  }
  decltype(args.operation.finish(args.map, keys[0], begun[0])) outcomes[each];
  FARPOINT_UNROLL
  for (int j = 0; j < each; ++j) outcomes[j] = args.operation.finish(args.map, keys[j], begun[j]);
  FARPOINT_UNROLL
  for (int j = 0; j < each; ++j) {
    if (index(j) < args.size) args.operation.write(index(j), outcomes[j]);
  }

  if (args.report == nullptr) return;
  FARPOINT_UNROLL
  for (int j = 0; j < each; ++j) {
    bool const failed = index(j) < args.size && found_no_slot<Map, Operation>(outcomes[j]);
    count_not_inserted(*args.report, failed, keys[j] == args.map.empty());
  }
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
    bool failed = false;
    if (done + lane < picks.count()) {
      index_t const i = index(at.row, at.lane);
      auto const outcome = args.operation.finish(args.map, key, args.operation.begin(args.map, key, i));
      args.operation.write(i, outcome);
      failed = found_no_slot<Map, Operation>(outcome);
    }
    if (args.report == nullptr) continue;
    count_not_inserted(*args.report, failed, key == args.map.empty());
  }
}

}  // namespace detail
FARPOINT_END_NAMESPACE

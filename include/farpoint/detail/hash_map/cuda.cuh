/// @file
/// The bulk operations on a hash map for cuda_exec.
#pragma once

#include <farpoint/core/cuda_exec.cuh>
#include <farpoint/detail/hash_map/operations.hpp>
#include <farpoint/grid/device_properties.cuh>
#include <farpoint/grid/kernel_launcher.cuh>
#include <farpoint/grid/radix_sort.cuh>
#include <farpoint/warp/cuda_warp.cuh>
#include <farpoint/warp/warp_compact.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

inline constexpr int hash_map_block_size = 256;

/// One thread for each of `threads` units of work.
template <class Argument>
FARPOINT_HIDDEN cudaError_t hash_map_launch(void (*kernel)(Argument), index_t threads, cudaStream_t stream,
                                            std::remove_const_t<Argument> const& argument) noexcept {
  if (threads == 0) return cudaSuccess;
  cudaLaunchConfig_t launch{};
  launch.gridDim = dim3(static_cast<unsigned>((threads + hash_map_block_size - 1) / hash_map_block_size));
  launch.blockDim = dim3(hash_map_block_size);
  launch.stream = stream;
  return launch_kernel(kernel, launch, argument);
}

inline result hash_map_result(cudaError_t error) noexcept {
  return cuda_failure(error, "hash_map: a kernel or a memset could not be enqueued");
}

__device__ inline index_t hash_map_thread() noexcept {
  return index_t{blockIdx.x} * hash_map_block_size + threadIdx.x;
}

/// 16-byte stores of a thread that clears.
inline constexpr index_t hash_map_clear_stores = 4;

template <class Map>
__global__ void __launch_bounds__(hash_map_block_size) hash_map_clear_kernel(Map const map) {
  map.clear(hash_map_thread(), index_t{gridDim.x} * hash_map_block_size);
}

/// Keys of a block.
template <class Map>
inline constexpr index_t hash_map_tile = index_t{hash_map_block_size} * Map::tuning::keys_per_thread;

/// Counts a warp's keys that are `counted`; all lanes call it.
__device__ inline void hash_map_count(std::uint64_t* counter, bool counted) noexcept {
  int const keys = __popc(cuda_warp::ballot(counted));
  if (keys != 0 && cuda_warp::lane() == 0) atomic_add(counter, static_cast<std::uint64_t>(keys));
}

/// A thread's keys are a block size apart, so that neighbours read neighbours' keys.
template <class Map, class Act>
__global__ void __launch_bounds__(hash_map_block_size) hash_map_task_kernel(hash_map_args<Map, Act> const task) {
  constexpr int each = Map::tuning::keys_per_thread;
  static_assert(each > 0, "farpoint: a thread has at least one key");
  using key_type = typename Map::key_type;
  index_t const first = blockIdx.x * hash_map_tile<Map> + threadIdx.x;
  auto const index = [first](int j) { return first + j * hash_map_block_size; };

  key_type keys[each];
  FARPOINT_UNROLL
  for (int j = 0; j < each; ++j) keys[j] = index(j) < task.size ? load_once(task.keys + index(j)) : task.map.empty();

  // The empty key's search is over before it begins, so what it is given is not looked at.
  typename Act::begun begun[each];
  FARPOINT_UNROLL
  for (int j = 0; j < each; ++j) {
    if (index(j) < task.size) begun[j] = task.act.begin(task.map, keys[j], index(j));
  }
  decltype(task.act.finish(task.map, keys[0], begun[0])) outcomes[each];
  FARPOINT_UNROLL
  for (int j = 0; j < each; ++j) outcomes[j] = task.act.finish(task.map, keys[j], begun[j]);
  FARPOINT_UNROLL
  for (int j = 0; j < each; ++j) {
    if (index(j) < task.size) task.act.write(index(j), outcomes[j]);
  }

  if (task.report == nullptr) return;
  FARPOINT_UNROLL
  for (int j = 0; j < each; ++j) {
    bool const failed = index(j) < task.size && static_cast<index_t>(outcomes[j]) == Map::npos;
    bool const is_empty = keys[j] == task.map.empty();
    hash_map_count(&task.report->refused, failed && is_empty);
    hash_map_count(&task.report->no_room, failed && !is_empty);
  }
}

/// Keys that a lane looks at where there are so many passes: of a warp's, 24 are in a part, or 32 with two passes, so
/// that hardly more are than there are lanes.
template <int Passes>
inline constexpr int hash_map_pass_keys = (3 * Passes + 3) / 4;

/// Goes over all keys once for each part of the map, and takes those whose search begins there. Blocks are numbered by
/// part, then by tile; the device starts them in about this order, and so works on one part at a time.
///
/// A warp brings its part's keys together by shuffles: shared memory would be taken from the L1 cache, which the loads
/// that are under way need. 10 M keys in: 25.5 G/s, with lists in shared memory 23.9.
template <class Map, class Act, int Passes>
__global__ void __launch_bounds__(hash_map_block_size) hash_map_pass_kernel(hash_map_args<Map, Act> const task) {
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
    keys[row] = index(row, lane) < task.size ? load_once(task.keys + index(row, lane)) : key_type{};
  }
  warp_compact<each> const picks{
      [&](int row) { return index(row, lane) < task.size && task.map.part_of(keys[row], Passes) == part; }};
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
      auto const outcome = task.act.finish(task.map, key, task.act.begin(task.map, key, i));
      task.act.write(i, outcome);
      failed = static_cast<index_t>(outcome) == Map::npos;
    }
    if (task.report == nullptr) continue;
    bool const is_empty = key == task.map.empty();
    hash_map_count(&task.report->refused, failed && is_empty);
    hash_map_count(&task.report->no_room, failed && !is_empty);
  }
}

/// Enqueues the kernel that goes over the keys `Passes` times.
template <int Passes, class Map, class Act>
FARPOINT_HIDDEN cudaError_t hash_map_launch_passes(cuda_exec exec, hash_map_args<Map, Act> const& task) noexcept {
  constexpr index_t tile = index_t{hash_map_block_size} * hash_map_pass_keys<Passes>;
  index_t const tiles = (task.size + tile - 1) / tile;
  return hash_map_launch(hash_map_pass_kernel<Map, Act, Passes>, tiles * Passes * hash_map_block_size, exec.stream,
                         task);
}

/// Enqueues as many passes over the keys as the map's tuning wants.
template <class Map, class Act>
FARPOINT_HIDDEN cudaError_t hash_map_launch_args(cuda_exec exec, hash_map_args<Map, Act> const& task) noexcept {
  hash_map_case c{};
  c.keys = task.size;
  c.slots = task.map.capacity();
  c.is_split = Map::tuning::layout == hash_map_layout::split;
  c.takes_values = Act::takes_values;
  c.inserts = Act::inserts;
  c.has_outcomes = Act::has_outcomes;
  c.bytes = c.is_split && !c.takes_values ? c.slots * index_t{sizeof(typename Map::key_type)}
                                          : static_cast<index_t>(task.map.buckets().size() * sizeof(hash_map_bucket));
  c.cache_bytes = device_properties::cache_bytes();
  int const passes = Map::tuning::passes(c);
  if constexpr (!Act::has_outcomes) {
    if (passes >= 8) return hash_map_launch_passes<8>(exec, task);
  }
  if (passes >= 4) return hash_map_launch_passes<4>(exec, task);
  if (passes >= 2) return hash_map_launch_passes<2>(exec, task);
  index_t const blocks = (task.size + hash_map_tile<Map> - 1) / hash_map_tile<Map>;
  return hash_map_launch(hash_map_task_kernel<Map, Act>, blocks * hash_map_block_size, exec.stream, task);
}

template <class Map, class Act>
FARPOINT_HIDDEN result hash_map_run(cuda_exec exec, hash_map_args<Map, Act> const& task) noexcept {
  if (task.size > hash_map_tile<Map> * index_t{0x7fffffff}) return reject("hash_map: too many keys");
  cudaError_t error = cudaSuccess;
  if (task.report != nullptr) error = cudaMemsetAsync(task.report, 0, sizeof(hash_map_report), exec.stream);
  if (error == cudaSuccess) error = hash_map_launch_args(exec, task);
  return hash_map_result(error);
}

/// Sorts the slots of a map by key. Entries are pairs of half a key and a slot.
template <class Map>
struct hash_map_sort {
  using key_type = typename Map::key_type;
  using ordered_key = std::make_unsigned_t<key_type>;

  Map map;
  hash_map_pairs<key_type, typename Map::value_type> output;
  std::uint32_t* halves[2];  ///< `[capacity]` each
  std::uint32_t* slots[2];   ///< `[capacity]` each
  std::uint32_t* workspace;  ///< of the radix sort
  std::uint64_t* found;      ///< keys in the map; 0 at the start

  static constexpr std::uint32_t no_slot = ~std::uint32_t{0};

  static hash_map_sort of(Map const& map, workspace_cutter& cutter) noexcept {
    index_t const capacity = map.capacity();
    hash_map_sort sort{map, {}, {}, {}, nullptr, nullptr};
    for (auto& half : sort.halves) half = cutter.take<std::uint32_t>(capacity);
    for (auto& slot : sort.slots) slot = cutter.take<std::uint32_t>(capacity);
    sort.workspace = cutter.take<std::uint32_t>(
        static_cast<index_t>(radix_sort_workspace_words(static_cast<std::size_t>(capacity))));
    sort.found = cutter.take<std::uint64_t>(1);
    return sort;
  }

  /// Not the units of its memory: a layout may have buckets of another size.
  FARPOINT_HD static index_t buckets_of(Map const& map) noexcept { return map.capacity() / Map::bucket_slots; }

  /// Unsigned integers of the same order as the keys.
  FARPOINT_HD static ordered_key ordered(key_type key) noexcept {
    constexpr ordered_key sign = std::is_signed_v<key_type> ? ordered_key{1} << (8 * sizeof(key_type) - 1) : 0;
    return static_cast<ordered_key>(key) ^ sign;
  }
};

/// Lists the slots that hold a key, in no order, with the low half of each key. A thread a bucket.
template <class Map>
__global__ void __launch_bounds__(hash_map_block_size) hash_map_list_kernel(hash_map_sort<Map> const sort) {
  __shared__ std::uint32_t block_keys;
  __shared__ std::uint64_t block_start;
  if (threadIdx.x == 0) block_keys = 0;
  __syncthreads();
  index_t const bucket = hash_map_thread();
  index_t const past_the_end = hash_map_sort<Map>::buckets_of(sort.map);
  std::uint32_t keys = 0;
  sort.map.for_each([&keys](auto, auto, index_t) { ++keys; }, bucket, past_the_end);
  std::uint32_t const mine = keys == 0 ? 0 : atomicAdd(&block_keys, keys);
  __syncthreads();
  if (threadIdx.x == 0 && block_keys != 0) block_start = atomic_add(sort.found, std::uint64_t{block_keys});
  __syncthreads();
  if (keys == 0) return;
  std::uint64_t at = block_start + mine;
  sort.map.for_each(
      [&](auto key, auto, index_t slot) {
        sort.halves[0][at] = static_cast<std::uint32_t>(hash_map_sort<Map>::ordered(key));
        sort.slots[0][at] = static_cast<std::uint32_t>(slot);
        ++at;
      },
      bucket, past_the_end);
}

/// Entries behind those of keys: not below any, and stable sorts leave them behind.
template <class Map>
__global__ void __launch_bounds__(hash_map_block_size) hash_map_pad_kernel(hash_map_sort<Map> const sort) {
  index_t const i = hash_map_thread();
  if (i >= sort.map.capacity() || i < static_cast<index_t>(*sort.found)) return;
  sort.halves[0][i] = ~std::uint32_t{0};
  sort.slots[0][i] = hash_map_sort<Map>::no_slot;
}

/// High halves for low ones.
template <class Map>
__global__ void __launch_bounds__(hash_map_block_size) hash_map_high_kernel(hash_map_sort<Map> const sort) {
  index_t const i = hash_map_thread();
  if (i >= sort.map.capacity()) return;
  std::uint32_t const slot = sort.slots[0][i];
  std::uint64_t const all = slot == sort.no_slot ? ~std::uint64_t{0} : std::uint64_t{sort.ordered(sort.map.key(slot))};
  sort.halves[0][i] = static_cast<std::uint32_t>(all >> 32);
}

template <class Map>
__global__ void __launch_bounds__(hash_map_block_size) hash_map_copy_kernel(hash_map_sort<Map> const sort) {
  index_t const i = hash_map_thread();
  auto const count = static_cast<index_t>(*sort.found);
  if (i == 0 && sort.output.count != nullptr) *sort.output.count = *sort.found;
  if (i >= count || i >= static_cast<index_t>(sort.output.keys.size())) return;
  auto const slot = static_cast<index_t>(sort.slots[0][i]);
  sort.output.keys[static_cast<std::size_t>(i)] = sort.map.key(slot);
  if (!sort.output.values.empty()) sort.output.values[static_cast<std::size_t>(i)] = sort.map.value(slot).load();
}

/// Enqueues a stable sort of all entries by their halves; the result is where they were.
template <class Map>
cudaError_t hash_map_sort_halves(hash_map_sort<Map> const& sort, cudaStream_t stream) noexcept {
  static_assert(radix_sort_result(32) == 0);
  return radix_sort({{sort.halves[0], sort.halves[1]},
                     {sort.slots[0], sort.slots[1]},
                     sort.workspace,
                     static_cast<std::uint32_t>(sort.map.capacity())},
                    stream);
}

template <class Map>
FARPOINT_HIDDEN cudaError_t hash_map_enqueue_extract(hash_map_sort<Map> const& sort, cudaStream_t stream) noexcept {
  index_t const capacity = sort.map.capacity();
  if (capacity == 0) {
    if (sort.output.count == nullptr) return cudaSuccess;
    return cudaMemsetAsync(sort.output.count, 0, sizeof(std::uint64_t), stream);
  }
  cudaError_t error = cudaMemsetAsync(sort.found, 0, sizeof(std::uint64_t), stream);
  auto const enqueue = [&](void (*kernel)(hash_map_sort<Map>), index_t threads) {
    if (error == cudaSuccess) error = hash_map_launch(kernel, threads, stream, sort);
  };
  enqueue(hash_map_list_kernel<Map>, sort.buckets_of(sort.map));
  enqueue(hash_map_pad_kernel<Map>, capacity);
  if (error == cudaSuccess) error = hash_map_sort_halves(sort, stream);
  if constexpr (sizeof(typename Map::key_type) == 8) {
    enqueue(hash_map_high_kernel<Map>, capacity);
    if (error == cudaSuccess) error = hash_map_sort_halves(sort, stream);
  }
  enqueue(hash_map_copy_kernel<Map>, capacity);
  return error;
}

}  // namespace detail
FARPOINT_END_NAMESPACE

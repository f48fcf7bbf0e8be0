/// @file
/// Partition of points by small keys, on a CUDA stream. See partition.hpp.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/core/cuda_exec.cuh>
#include <farpoint/grid/kernel_launcher.cuh>
#include <farpoint/scale/stream/partition.hpp>
#include <farpoint/scale/voxel_map.cuh>
#include <farpoint/warp/cuda_warp.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

using cuda_partition = partition_ref<cuda_exec>;
inline constexpr int partition_max_keys = partition_keys<cuda_exec>::most;

inline constexpr int partition_block_size = 256;
inline constexpr int partition_items = static_cast<int>(partition_tile) / partition_block_size;

/// A tile of points, as one block handles it. A warp has a run of the tile, and each of its lanes every 32nd point.
class partition_block {
 public:
  static constexpr int warps = partition_block_size / cuda_warp::lanes;

  struct storage {
    std::uint32_t counts[warps][partition_max_keys];  ///< `[warp, key]`: number of points; later the next position
    std::uint32_t sums[warps];
    std::uint32_t before;
  };

  __device__ partition_block(cuda_partition const& points, storage& shared) noexcept
      : points_{points},
        shared_{shared},
        counts_{shared.counts[threadIdx.x / cuda_warp::lanes]},
        bits_{bits_of(points.kinds)},
        first_{blockIdx.x * partition_tile +
               threadIdx.x / cuda_warp::lanes * static_cast<unsigned>(partition_items * cuda_warp::lanes) +
               static_cast<std::uint32_t>(cuda_warp::lane())} {
    for (int key = cuda_warp::lane(); key < partition_max_keys; key += cuda_warp::lanes) counts_[key] = 0;
    cuda_warp::sync();
  }

  __device__ std::uint32_t point(int k) const noexcept {
    return first_ + static_cast<std::uint32_t>(k * cuda_warp::lanes);
  }
  __device__ bool exists(int k) const noexcept { return point(k) < points_.size; }

  /// Number of earlier points of the warp with the same key; counts this point. Called for one group of 32 points after
  /// another. An index beyond the points has the key `kinds`.
  __device__ std::uint32_t count(std::uint32_t key) const noexcept {
    unsigned peers = ~0u;
    for (int bit = 0; bit < bits_; ++bit) {
      unsigned const set = cuda_warp::ballot((key >> bit & 1u) != 0);
      peers &= (key >> bit & 1u) != 0 ? set : ~set;
    }
    std::uint32_t const earlier = counts_[key];
    cuda_warp::sync();
    unsigned const lower = peers & ((1u << cuda_warp::lane()) - 1);
    if (lower == 0) counts_[key] = earlier + static_cast<std::uint32_t>(__popc(peers));
    cuda_warp::sync();
    return earlier + static_cast<std::uint32_t>(__popc(lower));
  }

  /// Finds the keys and positions of the thread's points. All threads of the block call it.
  __device__ void find_places(std::uint32_t (&keys)[partition_items],
                              std::uint32_t (&places)[partition_items]) const noexcept {
    auto const none = static_cast<std::uint32_t>(points_.kinds);
#pragma unroll
    for (int k = 0; k < partition_items; ++k) keys[k] = exists(k) ? points_.keys[point(k)] : none;
#pragma unroll
    for (int k = 0; k < partition_items; ++k) places[k] = count(keys[k]);
    __syncthreads();
    for (int key = static_cast<int>(threadIdx.x); key < points_.kinds; key += partition_block_size) {
      std::uint32_t next = points_.place(key, blockIdx.x);
      for (auto& counts : shared_.counts) {
        std::uint32_t const here = counts[key];
        counts[key] = next;
        next += here;
      }
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < partition_items; ++k) places[k] += counts_[keys[k]];
  }

 private:
  __device__ static int bits_of(int number) noexcept {
    return 32 - __clz(number);
  }

  cuda_partition const& points_;
  storage& shared_;
  std::uint32_t* counts_;  ///< counts of this warp
  int bits_;               ///< bits per key
  std::uint32_t first_;
};

template <class Work>
struct partition_args {
  cuda_partition points;
  Work work;
};

/// Computes the keys of a tile, and counts the tile's points per key.
template <class Key>
__global__ void __launch_bounds__(partition_block_size) partition_count_kernel(partition_args<Key> const args) {
  __shared__ partition_block::storage shared;
  cuda_partition const& points = args.points;
  partition_block const block{points, shared};
  std::uint32_t keys[partition_items];
#pragma unroll
  for (int k = 0; k < partition_items; ++k) {
    keys[k] = block.exists(k) ? args.work(block.point(k)) : static_cast<std::uint32_t>(points.kinds);
  }
#pragma unroll
  for (int k = 0; k < partition_items; ++k) {
    if (block.exists(k)) points.keys[block.point(k)] = static_cast<unsigned char>(keys[k]);
    block.count(keys[k]);
  }
  __syncthreads();
  for (int key = static_cast<int>(threadIdx.x); key < points.kinds; key += partition_block_size) {
    std::uint32_t sum = 0;
    for (auto const& counts : shared.counts) sum += counts[key];
    points.places[key * points.tiles() + blockIdx.x] = static_cast<std::int32_t>(sum);
  }
}

/// Kernel of stream_partition::move(). Loads all of a thread's points first, so that the loads overlap.
template <class Mover>
__global__ void __launch_bounds__(partition_block_size) partition_move_kernel(partition_args<Mover> const args) {
  __shared__ partition_block::storage shared;
  partition_block const block{args.points, shared};
  decltype(args.work.load(0u)) values[partition_items];
#pragma unroll
  for (int k = 0; k < partition_items; ++k) {
    if (block.exists(k)) values[k] = args.work.load(block.point(k));
  }
  std::uint32_t keys[partition_items];
  std::uint32_t places[partition_items];
  block.find_places(keys, places);
#pragma unroll
  for (int k = 0; k < partition_items; ++k) {
    if (block.exists(k)) args.work(block.point(k), keys[k], places[k], values[k]);
  }
}

/// Kernel of stream_partition::number(). The number of marked points before the tile is the sum, over all keys, of the
/// marked positions before the tile's first position of the key.
template <class Marks>
__global__ void __launch_bounds__(partition_block_size) partition_number_kernel(partition_args<Marks> const args) {
  __shared__ partition_block::storage shared;
  partition_block const block{args.points, shared};
  auto const warp = threadIdx.x / cuda_warp::lanes;
  if (threadIdx.x == 0) shared.before = 0;
  std::uint32_t keys[partition_items];
  std::uint32_t places[partition_items];
  block.find_places(keys, places);
  unsigned marked[partition_items];  // ballots of this warp's points
  std::uint32_t sum = 0;
#pragma unroll
  for (int k = 0; k < partition_items; ++k) {
    marked[k] = cuda_warp::ballot(block.exists(k) && args.work.marks(keys[k], places[k]));
    sum += static_cast<std::uint32_t>(__popc(marked[k]));
  }
  if (cuda_warp::lane() == 0) shared.sums[warp] = sum;
  for (auto key = threadIdx.x; key < static_cast<unsigned>(args.points.kinds); key += partition_block_size) {
    std::uint32_t const before = args.work.before(key, args.points.place(static_cast<int>(key), blockIdx.x));
    if (before != 0) atomicAdd(&shared.before, before);
  }
  __syncthreads();
  std::uint32_t number = shared.before;
  for (unsigned w = 0; w < warp; ++w) number += shared.sums[w];
#pragma unroll
  for (int k = 0; k < partition_items; ++k) {
    unsigned const lower = marked[k] & ((1u << cuda_warp::lane()) - 1);
    if ((marked[k] >> cuda_warp::lane() & 1u) != 0) {
      args.work.give(keys[k], places[k], number + static_cast<std::uint32_t>(__popc(lower)));
    }
    number += static_cast<std::uint32_t>(__popc(marked[k]));
  }
}

/// Each block handles one tile.
template <>
struct partition_loops<cuda_exec> {
  template <class Key>
  static result count(cuda_exec exec, cuda_partition const& points, Key const& key_of) noexcept {
    return launch(exec, partition_count_kernel<Key>, {points, key_of});
  }
  template <class Mover>
  static result move(cuda_exec exec, cuda_partition const& points, Mover const& mover) noexcept {
    return launch(exec, partition_move_kernel<Mover>, {points, mover});
  }
  template <class Marks>
  static result number(cuda_exec exec, cuda_partition const& points, Marks const& marks) noexcept {
    return launch(exec, partition_number_kernel<Marks>, {points, marks});
  }

 private:
  template <class Work>
  static result launch(cuda_exec exec, void (*kernel)(partition_args<Work> const),
                       partition_args<Work> const& args) noexcept {
    kernel_launcher launcher{exec.stream};
    launcher.launch(kernel, static_cast<unsigned>(args.points.tiles()), partition_block_size, args);
    return cuda_failure(launcher.error(), "partition: a kernel could not be launched");
  }
};

}  // namespace detail
FARPOINT_END_NAMESPACE

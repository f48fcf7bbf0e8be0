/// @file
/// voxelize(), first half of the work where a bitmap numbers the voxels in the order of the grid: no table, no sort.
///
/// A voxel's number is the number of occupied cells before its own. Keys are numbers of cells over all clouds, and have
/// 32 bits here.
#pragma once

#include <farpoint/detail/voxelize_number.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Cells of all clouds' grids.
template <class Points>
__device__ inline index_t all_cells(voxelize_task<Points> const& task) noexcept {
  return static_cast<index_t>(task.cells) * task.clouds.size();
}

/// Groups of cells that have a place in the bitmap.
template <class Points>
__device__ inline std::uint32_t placed_groups(voxelize_task<Points> const& task) noexcept {
  return task.bitmap.is_flat() ? static_cast<std::uint32_t>(occupancy_bitmap::all_groups(all_cells(task)))
                               : task.state->groups;
}

/// Empties what the frame needs of the bitmap, and everything that kernels add to.
template <class Points, int BlockSize>
__global__ void __launch_bounds__(BlockSize) voxelize_clear_bits_kernel(voxelize_task<Points> const task) {
  voxel_frame const frame = outer_frame(task.clouds);
  auto const first = static_cast<index_t>(blockIdx.x) * BlockSize + threadIdx.x;
  auto const step = static_cast<index_t>(gridDim.x) * BlockSize;
  auto const tiles_of = [](index_t items) { return (items + BlockSize - 1) / BlockSize; };
  auto const clear = [first, step](auto* words, index_t size) {
    for (index_t i = first; i < size; i += step) words[i] = 0;
  };
  index_t const words = occupancy_bitmap::top_words(all_cells(task));
  index_t const all_groups = occupancy_bitmap::all_groups(all_cells(task));
  index_t const size = frame.size;
  if (task.bitmap.is_flat()) {
    clear_groups(task.bitmap.groups, all_groups, first, step);
  } else {
    clear(task.bitmap.top, words);
    clear(task.group_tiles, tiles_of(words));
  }
  // Without a place for each there are no more groups than points.
  clear(task.cell_tiles, tiles_of(task.bitmap.is_flat() || all_groups < size ? all_groups : size));
  clear(task.tiles, tiles_of(size));
  if (task.sorted) clear(task.more_tiles, tiles_of(size));
  clear(task.cursors, size < index_t{task.most_keys} ? size : index_t{task.most_keys});
  clear(task.pieces_done, size / voxel_large + 1);
  if (blockIdx.x == 0) start_call<BlockSize>(task);
}

/// Notes the key of each point, and marks its cell, or the group of its cell where groups have no place yet.
template <class Points, int BlockSize>
__global__ void __launch_bounds__(BlockSize) voxelize_mark_kernel(voxelize_task<Points> const task) {
  voxel_frame const frame = frame_of(task);
  // Whole warps go round together.
  for (std::uint64_t first = std::uint64_t{blockIdx.x} * BlockSize; first < frame.size;
       first += std::uint64_t{gridDim.x} * BlockSize) {
    std::uint64_t const i = first + threadIdx.x;
    std::uint32_t key = voxel_none;
    voxel_place const place =
        i < frame.size ? key_of(task, frame.begin + static_cast<index_t>(i), key) : voxel_place::in_no_cloud;
    if (i < frame.size) task.slots[i] = key;
    lane_run const run = lane_run::of(key);
    if (key != voxel_none && run.leads()) {
      if (task.bitmap.is_flat()) {
        task.bitmap.mark(key);
      } else {
        task.bitmap.mark_group(key);
      }
    }
    count_misfits(task.output.report, place);
  }
}

/// Gives each group of cells that has points a place, and empties it.
template <class Points, int BlockSize>
__global__ void __launch_bounds__(BlockSize) voxelize_rank_groups_kernel(voxelize_task<Points> const task) {
  using scan = lookback_scan<BlockSize>;
  __shared__ typename scan::storage storage;
  __shared__ std::uint32_t begin;
  auto const words = static_cast<std::uint32_t>(occupancy_bitmap::top_words(all_cells(task)));
  std::uint32_t const tiles = (words + BlockSize - 1) / BlockSize;
  scan const scanner{storage, task.group_tiles, &task.state->group_ticket};
  for (std::uint32_t tile = scanner.take(); tile < tiles; tile = scanner.take()) {
    std::uint32_t const word = tile * BlockSize + threadIdx.x;
    std::uint32_t const count = word < words ? count_bits(task.bitmap.top[word]) : 0;
    lookback_pair total{};
    lookback_pair const at = scanner.exclusive(lookback_pair::of(0, count), tile, total);
    if (word < words) task.bitmap.top_ranks[word] = at.second();
    if (threadIdx.x == 0) begin = at.second();
    __syncthreads();
    clear_groups(task.bitmap.groups + begin, total.second() - begin, threadIdx.x, BlockSize);
    if (tile + 1 == tiles && threadIdx.x == 0) task.state->groups = total.second();
  }
}

/// Marks the cell of each point, where only groups were marked before.
template <class Points, int BlockSize>
__global__ void __launch_bounds__(BlockSize) voxelize_mark_cells_kernel(voxelize_task<Points> const task) {
  voxel_frame const frame = frame_of(task);
  for (std::uint64_t first = std::uint64_t{blockIdx.x} * BlockSize; first < frame.size;
       first += std::uint64_t{gridDim.x} * BlockSize) {
    std::uint64_t const i = first + threadIdx.x;
    std::uint32_t const key = i < frame.size ? task.slots[i] : voxel_none;
    lane_run const run = lane_run::of(key);
    if (key != voxel_none && run.leads()) task.bitmap.mark(key);
  }
}

/// Counts the occupied cells before each group. Of one cloud, those after the last that can be written get no number.
template <class Points, int BlockSize>
__global__ void __launch_bounds__(BlockSize) voxelize_rank_cells_kernel(voxelize_task<Points> const task) {
  using scan = lookback_scan<BlockSize>;
  __shared__ typename scan::storage storage;
  std::uint32_t const groups = placed_groups(task);
  // One tile at least: an empty frame has its totals written too.
  std::uint32_t const tiles = groups == 0 ? 1 : (groups + BlockSize - 1) / BlockSize;
  scan const scanner{storage, task.cell_tiles, &task.state->cell_ticket};
  for (std::uint32_t tile = scanner.take(); tile < tiles; tile = scanner.take()) {
    std::uint32_t const group = tile * BlockSize + threadIdx.x;
    std::uint32_t const count = group < groups ? task.bitmap.groups[group].count() : 0;
    lookback_pair total{};
    lookback_pair const at = scanner.exclusive(lookback_pair::of(0, count), tile, total);
    if (group < groups) task.bitmap.ranks[group] = at.second();
    if (tile + 1 < tiles || threadIdx.x != 0) continue;
    std::uint32_t const voxels = total.second() < task.most_keys ? total.second() : task.most_keys;
    task.bitmap.ranks[groups] = total.second();
    task.state->voxels = voxels;
    task.state->more_voxels = total.second() - voxels;
  }
}

/// Writes the number of its voxel over each point's key, and counts the voxel's points. Notes where clouds begin.
template <class Points, int BlockSize>
__global__ void __launch_bounds__(BlockSize) voxelize_count_kernel(voxelize_task<Points> const task) {
  voxel_frame const frame = frame_of(task);
  auto* const keys = static_cast<std::uint32_t*>(task.voxel_keys);
  unsigned long long dropped = 0;
  for (std::uint64_t first = std::uint64_t{blockIdx.x} * BlockSize; first < frame.size;
       first += std::uint64_t{gridDim.x} * BlockSize) {
    std::uint64_t const i = first + threadIdx.x;
    std::uint32_t const key = i < frame.size ? task.slots[i] : voxel_none;
    lane_run const run = lane_run::of(key);
    std::uint32_t voxel = voxel_none;
    if (key != voxel_none && run.leads()) {
      std::uint32_t const rank = task.bitmap.rank(key);
      if (rank < task.most_keys) {
        voxel = rank;
        // Whoever comes first writes what all would write.
        if (atomicAdd(&task.cursors[voxel], run.size) == 0) keys[voxel] = key;
      } else {
        dropped += run.size;
      }
    }
    voxel = cuda_warp::shuffle(voxel, run.leader);
    if (i < frame.size) task.slots[i] = voxel;
  }
  if (task.output.report != nullptr) add_to_report(&task.output.report->dropped_points, dropped);
  if (task.clouds.size() == 1) return;
  for (index_t b = index_t{blockIdx.x} * BlockSize + threadIdx.x; b <= task.clouds.size();
       b += index_t{gridDim.x} * BlockSize) {
    task.cloud_begin[b] = task.bitmap.rank(static_cast<std::uint32_t>(task.cells * static_cast<std::uint64_t>(b)));
  }
}

/// Gives each voxel a place in `members` as long as it has points. The bitmap has done its work.
template <class Points, int BlockSize>
__global__ void __launch_bounds__(BlockSize) voxelize_place_kernel(voxelize_task<Points> const task) {
  using scan = lookback_scan<BlockSize>;
  __shared__ typename scan::storage storage;
  std::uint32_t const voxels = task.state->voxels;
  std::uint32_t const tiles = voxels == 0 ? 1 : (voxels + BlockSize - 1) / BlockSize;
  scan const scanner{storage, task.tiles, &task.state->number_ticket};
  for (std::uint32_t tile = scanner.take(); tile < tiles; tile = scanner.take()) {
    std::uint32_t const voxel = tile * BlockSize + threadIdx.x;
    std::uint32_t const count = voxel < voxels ? task.cursors[voxel] : 0;
    lookback_pair total{};
    lookback_pair const at = scanner.exclusive(lookback_pair::of(0, count), tile, total);
    if (voxel < voxels) {
      task.offsets[voxel] = at.second();
      task.cursors[voxel] = at.second();
      if (!task.sorted) list_large_voxel(task, voxel, count);
    }
    if (tile + 1 == tiles && threadIdx.x == 0) {
      task.state->points = total.second();
      task.offsets[voxels] = total.second();
    }
  }
}

}  // namespace detail
FARPOINT_END_NAMESPACE

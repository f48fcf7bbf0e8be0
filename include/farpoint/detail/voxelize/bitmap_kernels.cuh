/// @file
/// First phases of voxelize() if a bitmap numbers the voxels in the order of the grid, without a table or a sort.
///
/// A voxel's number is the number of occupied cells before its cell. Keys are indices of cells over all clouds, and
/// have 32 bits here.
#pragma once

#include <farpoint/detail/voxelize/number_kernel.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Number of cells of the grids of all clouds.
template <class Points>
__device__ inline index_t all_cells(voxelize_args<Points> const& args) noexcept {
  return static_cast<index_t>(args.cells) * args.clouds.size();
}

/// Number of groups of cells with a slot in the bitmap.
template <class Points>
__device__ inline std::uint32_t placed_groups(voxelize_bitmap_args<Points> const& args) noexcept {
  return args.bitmap.is_flat() ? static_cast<std::uint32_t>(occupancy_bitmap::all_groups(all_cells(args)))
                               : args.state->groups;
}

/// Clears the part of the bitmap that the frame needs, and all arrays that kernels add to.
template <class Points, int BlockSize>
__global__ void __launch_bounds__(BlockSize) voxelize_clear_bits_kernel(voxelize_bitmap_args<Points> const args) {
  voxel_frame const frame = outer_frame(args.clouds);
  auto const first = static_cast<index_t>(blockIdx.x) * BlockSize + threadIdx.x;
  auto const step = static_cast<index_t>(gridDim.x) * BlockSize;
  auto const tiles_of = [](index_t items) { return divide_up(items, index_t{BlockSize}); };
  auto const clear = [first, step](auto* words, index_t size) {
    for (index_t i = first; i < size; i += step) words[i] = 0;
  };
  index_t const words = occupancy_bitmap::top_words(all_cells(args));
  index_t const all_groups = occupancy_bitmap::all_groups(all_cells(args));
  index_t const size = frame.size;
  if (args.bitmap.is_flat()) {
    clear_groups(args.bitmap.groups, all_groups, first, step);
  } else {
    clear(args.bitmap.top, words);
    clear(args.group_tiles, tiles_of(words));
  }
  // In a bitmap that is not flat, only groups with points have slots: at most one per point.
  clear(args.cell_tiles, tiles_of(args.bitmap.is_flat() || all_groups < size ? all_groups : size));
  clear(args.tiles, tiles_of(size));
  if (args.sorted) clear(args.row_tiles, tiles_of(size));
  clear(args.cursors, size < index_t{args.most_keys} ? size : index_t{args.most_keys});
  clear(args.select.pieces_done, size / voxel_large + 1);
  if (blockIdx.x != 0) return;
  start_call<BlockSize>(args);
  if (args.bitmap.is_flat() && threadIdx.x == 0) args.state->groups = voxel_none;
}

/// Marks the cells of a warp's points. Neighbouring lanes with bits in one word are merged into one operation: points
/// of a scanner are dense near it, neighbours in space are neighbours in the bitmap, and atomic operations on one
/// sector are serialized.
/// @param looks  whether to load words first, because the last cells had been marked before; updated
__device__ inline void mark_cells(occupancy_bitmap const& bitmap, std::uint32_t key, bool& looks) noexcept {
  std::uint32_t const word = key == voxel_none ? voxel_none : key >> 6;
  warp_run const run = warp_run::of(word);
  std::uint64_t const bits = run.bits_of_all(occupancy_bitmap::bit_of(key));
  if (word != voxel_none && run.leads()) looks = bitmap.mark_cells(word, bits, looks) != bits;
}

/// Marks the groups of a warp's cells.
__device__ inline void mark_groups(occupancy_bitmap const& bitmap, std::uint32_t key) noexcept {
  std::uint32_t const word = key == voxel_none ? voxel_none : key >> occupancy_bitmap::top_bits;
  warp_run const run = warp_run::of(word);
  std::uint64_t const bits = run.bits_of_all(occupancy_bitmap::bit_of(key >> occupancy_bitmap::group_bits));
  if (word != voxel_none && run.leads()) bitmap.mark_groups(word, bits);
}

/// Stores the key of each point, and marks its cell, or its cell's group if groups have no slots yet.
template <class Points, int BlockSize>
__global__ void __launch_bounds__(BlockSize) voxelize_mark_kernel(voxelize_bitmap_args<Points> const args) {
  voxel_frame const frame = frame_of(args);
  bool looks = true;
  for_each_in_whole_warps<BlockSize>(0, frame.size, [&](std::uint64_t i) {
    std::uint32_t key = voxel_none;
    voxel_place const place =
        i < frame.size ? key_of(args, frame.begin + static_cast<index_t>(i), key) : voxel_place::in_no_cloud;
    if (i < frame.size) args.ids[i] = key;
    if (args.bitmap.is_flat()) {
      mark_cells(args.bitmap, key, looks);
    } else {
      mark_groups(args.bitmap, key);
    }
    count_misfits(args.output.report, place);
  });
}

/// Assigns a slot to each group of cells with points, and clears the slots.
template <class Points, int BlockSize>
__global__ void __launch_bounds__(BlockSize) voxelize_rank_groups_kernel(voxelize_bitmap_args<Points> const args) {
  using scan = lookback_scan<BlockSize>;
  __shared__ typename scan::storage storage;
  __shared__ std::uint32_t begin;
  auto const words = static_cast<std::uint32_t>(occupancy_bitmap::top_words(all_cells(args)));
  std::uint32_t const tiles = divide_up(words, std::uint32_t{BlockSize});
  scan const scanner{storage, args.group_tiles, &args.state->group_ticket};
  for (std::uint32_t tile = scanner.take(); tile < tiles; tile = scanner.take()) {
    std::uint32_t const word = tile * BlockSize + threadIdx.x;
    std::uint32_t const count = word < words ? count_bits(args.bitmap.top[word]) : 0;
    lookback_pair total{};
    lookback_pair const at = scanner.exclusive(lookback_pair::of(0, count), tile, total);
    if (word < words) args.bitmap.top_ranks[word] = at.second();
    if (threadIdx.x == 0) begin = at.second();
    __syncthreads();
    clear_groups(args.bitmap.groups + begin, total.second() - begin, threadIdx.x, BlockSize);
    if (tile + 1 == tiles && threadIdx.x == 0) args.state->groups = total.second();
  }
}

/// Marks the cell of each point, after voxelize_mark_kernel marked groups only.
template <class Points, int BlockSize>
__global__ void __launch_bounds__(BlockSize) voxelize_mark_cells_kernel(voxelize_bitmap_args<Points> const args) {
  voxel_frame const frame = frame_of(args);
  bool looks = true;
  for_each_in_whole_warps<BlockSize>(0, frame.size, [&](std::uint64_t i) {
    mark_cells(args.bitmap, i < frame.size ? args.ids[i] : voxel_none, looks);
  });
}

/// Counts the occupied cells before each group. With one cloud, voxels behind the last written one get no number.
template <class Points, int BlockSize>
__global__ void __launch_bounds__(BlockSize) voxelize_rank_cells_kernel(voxelize_bitmap_args<Points> const args) {
  using scan = lookback_scan<BlockSize>;
  __shared__ typename scan::storage storage;
  std::uint32_t const groups = placed_groups(args);
  // At least one tile, so that the totals of an empty frame are written, too.
  constexpr std::uint32_t tile_size = BlockSize * voxel_rank_items;
  std::uint32_t const tiles = groups == 0 ? 1 : divide_up(groups, tile_size);
  scan const scanner{storage, args.cell_tiles, &args.state->cell_ticket};
  for (std::uint32_t tile = scanner.take(); tile < tiles; tile = scanner.take()) {
    std::uint32_t const first = (tile * BlockSize + threadIdx.x) * voxel_rank_items;
    std::uint32_t counts[voxel_rank_items];
    std::uint32_t all = 0;
#pragma unroll
    for (std::uint32_t k = 0; k < voxel_rank_items; ++k) {
      counts[k] = first + k < groups ? args.bitmap.groups[first + k].count() : 0;
      all += counts[k];
    }
    lookback_pair total{};
    std::uint32_t rank = scanner.exclusive(lookback_pair::of(0, all), tile, total).second();
#pragma unroll
    for (std::uint32_t k = 0; k < voxel_rank_items; ++k) {
      if (first + k < groups) args.bitmap.ranks[first + k] = rank;
      // The group contains the first voxel without a number.
      bool const is_last = rank <= args.most_keys && args.most_keys - rank < counts[k];
      if (is_last && args.bitmap.is_flat()) args.state->groups = first + k + 1;
      rank += counts[k];
    }
    if (tile + 1 < tiles || threadIdx.x != 0) continue;
    std::uint32_t const voxels = smaller(total.second(), args.most_keys);
    args.bitmap.ranks[groups] = total.second();
    args.state->voxels = voxels;
    args.state->more_voxels = total.second() - voxels;
  }
}

/// Replaces each point's key by the number of its voxel, counts the voxel's points, and ranks the points within the
/// voxel in any order. Writes where clouds begin.
template <class Points, int BlockSize>
__global__ void __launch_bounds__(BlockSize, blocks_that_fit(BlockSize))
    voxelize_count_kernel(voxelize_bitmap_args<Points> const args) {
  voxel_frame const frame = frame_of(args);
  auto* const keys = static_cast<std::uint32_t*>(args.voxel_keys);
  // Groups behind the last numbered voxel are not read, which saves time if most voxels are dropped.
  std::uint32_t const groups = args.bitmap.is_flat() ? args.state->groups : voxel_none;
  unsigned long long dropped = 0;
  for_each_in_whole_warps<BlockSize>(0, frame.size, [&](std::uint64_t i) {
    std::uint32_t const key = i < frame.size ? args.ids[i] : voxel_none;
    warp_run const run = warp_run::of(key);
    std::uint32_t voxel = voxel_none;
    std::uint32_t before = 0;
    if (key != voxel_none && run.leads()) {
      std::uint32_t const rank = key >> occupancy_bitmap::group_bits < groups ? args.bitmap.rank(key) : voxel_none;
      if (rank < args.most_keys) {
        voxel = rank;
        before = atomicAdd(&args.cursors[voxel], run.size);
        // Every run of the voxel has the same key, so the first run's store suffices.
        if (before == 0) keys[voxel] = key;
      } else {
        dropped += run.size;
      }
    }
    voxel = cuda_warp::shuffle(voxel, run.leader);
    before = cuda_warp::shuffle(before, run.leader);
    if (i < frame.size) args.ids[i] = voxel;
    if (voxel != voxel_none && !args.sorted) args.select.places[i] = before + static_cast<std::uint32_t>(run.rank);
  });
  if (args.output.report != nullptr) count_in_report_by_warp(&args.output.report->dropped_points, dropped);
  if (args.clouds.size() == 1) return;
  for (index_t b = index_t{blockIdx.x} * BlockSize + threadIdx.x; b <= args.clouds.size();
       b += index_t{gridDim.x} * BlockSize) {
    args.cloud_begin[b] = args.bitmap.rank(static_cast<std::uint32_t>(args.cells * static_cast<std::uint64_t>(b)));
  }
}

/// Reserves the entries of `members` for each voxel's points. The bitmap is no longer needed.
template <class Points, int BlockSize>
__global__ void __launch_bounds__(BlockSize) voxelize_place_kernel(voxelize_args<Points> const args) {
  using scan = lookback_scan<BlockSize>;
  __shared__ typename scan::storage storage;
  std::uint32_t const voxels = args.state->voxels;
  std::uint32_t const tiles = voxels == 0 ? 1 : divide_up(voxels, std::uint32_t{BlockSize});
  scan const scanner{storage, args.tiles, &args.state->number_ticket};
  for (std::uint32_t tile = scanner.take(); tile < tiles; tile = scanner.take()) {
    std::uint32_t const voxel = tile * BlockSize + threadIdx.x;
    std::uint32_t const count = voxel < voxels ? args.cursors[voxel] : 0;
    lookback_pair total{};
    lookback_pair const at = scanner.exclusive(lookback_pair::of(0, count), tile, total);
    if (voxel < voxels) {
      args.offsets[voxel] = at.second();
      if (!args.sorted) list_large_voxel(args, voxel, count);
    }
    if (tile + 1 == tiles && threadIdx.x == 0) {
      args.state->points = total.second();
      args.offsets[voxels] = total.second();
    }
  }
}

}  // namespace detail
FARPOINT_END_NAMESPACE

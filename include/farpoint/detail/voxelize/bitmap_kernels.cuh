/// @file
/// First phases of voxelize() if a bitmap numbers the voxels in the order of the grid, without a table or a sort.
///
/// A voxel's number is the number of occupied cells before its cell. Keys are indices of cells over all clouds, and
/// have 32 bits here.
#pragma once

#include <farpoint/detail/voxelize/views.cuh>
#include <farpoint/grid/lookback_scan.cuh>
#include <farpoint/warp/warp_runs.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// View of the phases with a bitmap.
template <class Points>
struct bitmap_view {
  voxel_input<Points> input;
  voxelize_report* report;
  zeroed_words zeroed;
  voxel_numbers numbers;

  occupancy_bitmap bitmap;
  index_t all_groups;          ///< number of groups of cells of the grids of all clouds
  index_t top_words;           ///< number of words of the bitmap's upper level
  std::uint64_t* group_tiles;  ///< words of the scan over groups of cells
  std::uint64_t* cell_tiles;   ///< words of the scan over cells

  std::uint32_t* counts;          ///< by counter_of(number, counter_sectors): points of the voxel
  std::uint32_t counter_sectors;  ///< argument of counter_of()
  std::uint32_t* point_keys;      ///< by point: key of its voxel, or voxel_none
  std::uint32_t* point_voxel;     ///< by point, in the memory of point_keys: number of its voxel, or voxel_none
  std::uint32_t* point_rank;      ///< by point: rank among the points of its voxel; null: not needed

  /// Number of groups of cells with an entry.
  __device__ std::uint32_t groups() const noexcept {
    return bitmap.is_flat() ? static_cast<std::uint32_t>(all_groups) : input.state->totals.groups;
  }
};

/// Clears the bitmap, and all arrays that kernels add to. Block 0 also checks the offsets.
template <class Points, int BlockSize>
__global__ void __launch_bounds__(BlockSize) voxelize_clear_bits_kernel(bitmap_view<Points> const view) {
  voxel_frame const frame = view.input.outer_frame();
  auto const first = static_cast<index_t>(blockIdx.x) * BlockSize + threadIdx.x;
  auto const step = static_cast<index_t>(gridDim.x) * BlockSize;
  if (view.bitmap.is_flat()) {
    clear_groups(view.bitmap.groups, view.all_groups, first, step);
  } else {
    for (index_t i = first; i < view.top_words; i += step) view.bitmap.top[i] = 0;
  }
  view.zeroed.clear(first, step);
  index_t const counters = counters_for(smaller(frame.size, view.numbers.most), view.counter_sectors);
  for (index_t four = first; 4 * four < counters; four += step) {
    reinterpret_cast<uint4*>(view.counts)[four] = uint4{0, 0, 0, 0};
  }
  if (blockIdx.x == 0) start_call<BlockSize>(view.input, view.report);
}

/// Marks the cells of a warp's points. Neighboring lanes with bits in one word are merged into one operation: points
/// of a scanner are dense near it, neighbors in space are neighbors in the bitmap, and atomic operations on one
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
__global__ void __launch_bounds__(BlockSize) voxelize_mark_kernel(bitmap_view<Points> const view) {
  voxel_frame const frame = view.input.frame();
  bool looks = true;
  for_each_in_whole_warps<BlockSize>(0, frame.size, [&](std::uint64_t i) {
    std::uint32_t key = voxel_none;
    voxel_location const location =
        i < frame.size ? view.input.find(frame.begin + static_cast<index_t>(i), key) : voxel_location::in_no_cloud;
    if (i < frame.size) view.point_keys[i] = key;
    if (view.bitmap.is_flat()) {
      mark_cells(view.bitmap, key, looks);
    } else {
      mark_groups(view.bitmap, key);
    }
    count_misfits(view.report, location);
  });
}

/// Assigns a slot to each group of cells with points, and clears the slots.
template <class Points, int BlockSize>
__global__ void __launch_bounds__(BlockSize) voxelize_rank_groups_kernel(bitmap_view<Points> const view) {
  using scan = lookback_scan<BlockSize>;
  __shared__ typename scan::storage storage;
  __shared__ std::uint32_t begin;
  auto const words = static_cast<std::uint32_t>(view.top_words);
  std::uint32_t const tiles = divide_up(words, std::uint32_t{BlockSize});
  scan const scanner{storage, view.group_tiles, &view.input.state->tickets.groups};
  for (std::uint32_t tile = scanner.take(); tile < tiles; tile = scanner.take()) {
    std::uint32_t const word = tile * BlockSize + threadIdx.x;
    std::uint32_t const count = word < words ? count_bits(view.bitmap.top[word]) : 0;
    lookback_pair total{};
    lookback_pair const at = scanner.exclusive(lookback_pair::of(0, count), tile, total);
    if (word < words) view.bitmap.top_ranks[word] = at.second();
    if (threadIdx.x == 0) begin = at.second();
    __syncthreads();
    clear_groups(view.bitmap.groups + begin, total.second() - begin, threadIdx.x, BlockSize);
    if (tile + 1 == tiles && threadIdx.x == 0) view.input.state->totals.groups = total.second();
  }
}

/// Marks the cell of each point, after voxelize_mark_kernel marked groups only.
template <class Points, int BlockSize>
__global__ void __launch_bounds__(BlockSize) voxelize_mark_cells_kernel(bitmap_view<Points> const view) {
  voxel_frame const frame = view.input.frame();
  bool looks = true;
  for_each_in_whole_warps<BlockSize>(0, frame.size, [&](std::uint64_t i) {
    mark_cells(view.bitmap, i < frame.size ? view.point_keys[i] : voxel_none, looks);
  });
}

/// Counts the occupied cells before each group. With one cloud, voxels behind the last written one get no number.
template <class Points, int BlockSize>
__global__ void __launch_bounds__(BlockSize) voxelize_rank_cells_kernel(bitmap_view<Points> const view) {
  using scan = lookback_scan<BlockSize>;
  __shared__ typename scan::storage storage;
  std::uint32_t const groups = view.groups();
  // At least one tile, so that the totals of an empty frame are written, too.
  constexpr std::uint32_t tile_size = BlockSize * voxel_rank_items;
  std::uint32_t const tiles = groups == 0 ? 1 : divide_up(groups, tile_size);
  scan const scanner{storage, view.cell_tiles, &view.input.state->tickets.cells};
  for (std::uint32_t tile = scanner.take(); tile < tiles; tile = scanner.take()) {
    std::uint32_t const first = (tile * BlockSize + threadIdx.x) * voxel_rank_items;
    std::uint32_t counts[voxel_rank_items];
    std::uint32_t all = 0;
#pragma unroll
    for (std::uint32_t k = 0; k < voxel_rank_items; ++k) {
      counts[k] = first + k < groups ? view.bitmap.groups[first + k].count() : 0;
      all += counts[k];
    }
    lookback_pair total{};
    std::uint32_t rank = scanner.exclusive(lookback_pair::of(0, all), tile, total).second();
#pragma unroll
    for (std::uint32_t k = 0; k < voxel_rank_items; ++k) {
      if (first + k < groups) view.bitmap.ranks[first + k] = rank;
      // The group contains the first voxel without a number.
      bool const is_last = rank <= view.numbers.most && view.numbers.most - rank < counts[k];
      if (is_last && view.bitmap.is_flat()) view.input.state->totals.groups = first + k + 1;
      rank += counts[k];
    }
    if (tile + 1 < tiles || threadIdx.x != 0) continue;
    std::uint32_t const voxels = smaller(total.second(), view.numbers.most);
    view.bitmap.ranks[groups] = total.second();
    view.input.state->totals.voxels = voxels;
    view.input.state->totals.unnumbered = total.second() - voxels;
  }
}

/// Replaces each point's key by the number of its voxel, counts the voxel's points, and ranks the points within the
/// voxel in any order. Writes where clouds begin.
template <class Points, int BlockSize>
__global__ void __launch_bounds__(BlockSize, blocks_that_fit(BlockSize))
    voxelize_count_kernel(bitmap_view<Points> const view) {
  voxel_frame const frame = view.input.frame();
  // Groups behind the last numbered voxel are not read, which saves time if most voxels are dropped.
  std::uint32_t const groups = view.bitmap.is_flat() ? view.input.state->totals.groups : voxel_none;
  unsigned long long dropped = 0;
  for_each_in_whole_warps<BlockSize>(0, frame.size, [&](std::uint64_t i) {
    std::uint32_t const key = i < frame.size ? view.point_keys[i] : voxel_none;
    warp_run const run = warp_run::of(key);
    std::uint32_t voxel = voxel_none;
    std::uint32_t before = 0;
    if (key != voxel_none && run.leads()) {
      std::uint32_t const rank = key >> occupancy_bitmap::group_bits < groups ? view.bitmap.rank(key) : voxel_none;
      if (rank < view.numbers.most) {
        voxel = rank;
        before = atomicAdd(&view.counts[counter_of(voxel, view.counter_sectors)], run.size);
        // Every run of the voxel has the same key, so the first run's store suffices.
        if (before == 0) view.numbers.cells.keys[voxel] = key;
      } else {
        dropped += run.size;
      }
    }
    voxel = cuda_warp::shuffle(voxel, run.leader);
    before = cuda_warp::shuffle(before, run.leader);
    if (i < frame.size) view.point_voxel[i] = voxel;
    if (voxel != voxel_none && view.point_rank != nullptr)
      view.point_rank[i] = before + static_cast<std::uint32_t>(run.rank);
  });
  if (view.report != nullptr) count_in_report_by_warp(&view.report->dropped_points, dropped);
  if (view.input.clouds.size() == 1) return;
  for (index_t b = index_t{blockIdx.x} * BlockSize + threadIdx.x; b <= view.input.clouds.size();
       b += index_t{gridDim.x} * BlockSize) {
    view.numbers.cloud_begin[b] =
        view.bitmap.rank(static_cast<std::uint32_t>(view.input.cells * static_cast<std::uint64_t>(b)));
  }
}

/// Reserves the entries of `members` for each voxel's points. The bitmap is no longer needed.
template <class Points, int BlockSize>
__global__ void __launch_bounds__(BlockSize) voxelize_place_kernel(bitmap_view<Points> const view) {
  using scan = lookback_scan<BlockSize>;
  __shared__ typename scan::storage storage;
  std::uint32_t const voxels = view.input.state->totals.voxels;
  std::uint32_t const tiles = voxels == 0 ? 1 : divide_up(voxels, std::uint32_t{BlockSize});
  scan const scanner{storage, view.numbers.tiles, &view.input.state->tickets.voxels};
  for (std::uint32_t tile = scanner.take(); tile < tiles; tile = scanner.take()) {
    std::uint32_t const voxel = tile * BlockSize + threadIdx.x;
    std::uint32_t const count = voxel < voxels ? view.counts[counter_of(voxel, view.counter_sectors)] : 0;
    lookback_pair total{};
    lookback_pair const at = scanner.exclusive(lookback_pair::of(0, count), tile, total);
    if (voxel < voxels) {
      view.numbers.offsets[voxel] = at.second();
      if (view.numbers.large.large != nullptr) view.numbers.large.list(voxel, count);
    }
    if (tile + 1 == tiles && threadIdx.x == 0) {
      view.input.state->totals.points = total.second();
      view.numbers.offsets[voxels] = total.second();
    }
  }
}

}  // namespace detail
FARPOINT_END_NAMESPACE

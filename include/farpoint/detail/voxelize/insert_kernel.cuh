/// @file
/// First step of voxelize() with a table: finds the voxels, the first point of each, and its number of points.
#pragma once

#include <farpoint/detail/voxelize/kernel_args.cuh>
#include <farpoint/warp/count_in_report.cuh>
#include <farpoint/warp/cuda_warp.cuh>
#include <farpoint/warp/warp_runs.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Counts the points of a warp that are in no voxel.
__device__ inline void count_misfits(voxelize_report* report, voxel_place place) noexcept {
  unsigned const outside = cuda_warp::ballot(place == voxel_place::outside);
  unsigned const not_finite = cuda_warp::ballot(place == voxel_place::not_finite);
  if (report == nullptr || cuda_warp::lane() != 0) return;
  count_in_report(&report->outside, static_cast<unsigned long long>(__popc(outside)));
  count_in_report(&report->non_finite, static_cast<unsigned long long>(__popc(not_finite)));
}

/// Clears the counters, and looks at the offsets; one block.
template <int BlockSize, class Points>
__device__ inline void start_call(voxelize_args<Points> const& args) noexcept {
  int bad = 0;
  index_t const offsets = args.clouds.is_ragged() ? args.clouds.size() + 1 : 0;
  for (index_t first = 0; first < offsets; first += BlockSize) {
    index_t const b = first + threadIdx.x;
    bad += __syncthreads_count(b < offsets && is_bad_offset(args.clouds, b));
  }
  if (threadIdx.x != 0) return;
  *args.state = voxelize_state{};
  args.state->bad_offsets = static_cast<std::uint32_t>(bad);
  args.state->tiles_inserted = voxel_none;
  if (args.output.report == nullptr) return;
  *args.output.report = voxelize_report{};
  args.output.report->bad_offsets = static_cast<unsigned long long>(bad);
}

/// Empties groups of cells; thread `first` of `step`.
__device__ inline void clear_groups(cell_group* groups, index_t size, index_t first, index_t step) noexcept {
  auto* const halves = reinterpret_cast<ulonglong2*>(groups);
  for (index_t half = first; half < 2 * size; half += step) halves[half] = make_ulonglong2(0, 0);
}

/// Empties the part of the table that the frame needs, and everything that kernels add to. The first block looks at
/// the offsets too.
template <class Points, class Key, int BlockSize>
__global__ void __launch_bounds__(BlockSize) voxelize_clear_kernel(voxelize_table_args<Points> const args) {
  voxel_frame const frame = outer_frame(args.clouds);
  auto const table = table_of<Key>(args, frame);
  auto const first = static_cast<index_t>(blockIdx.x) * BlockSize + threadIdx.x;
  auto const step = static_cast<index_t>(gridDim.x) * BlockSize;
  table.clear(first, step);
  // Whole sixteen bytes: what lies beyond the last is nobody's.
  index_t const ids = cleared_ids(args, frame);
  for (index_t four = first; 4 * four < cursors_for(ids); four += step) {
    reinterpret_cast<uint4*>(args.cursors)[four] = uint4{0, 0, 0, 0};
  }
  for (index_t four = first; 4 * four < ids; four += step) {
    reinterpret_cast<uint4*>(args.lowest)[four] = uint4{voxel_none, voxel_none, voxel_none, voxel_none};
  }
  index_t const tiles = divide_up(index_t{frame.size}, index_t{BlockSize});
  for (index_t tile = first; tile < tiles; tile += step) {
    args.tiles[tile] = 0;
    if (args.sorted) args.row_tiles[tile] = 0;
  }
  for (index_t i = first; i * voxel_large < index_t{frame.size}; i += step) args.select.pieces_done[i] = 0;
  if (args.counts_dropped && !inserts_all<BlockSize>(args, frame)) {
    clear_groups(args.bitmap.groups, occupancy_bitmap::all_groups(static_cast<index_t>(args.cells)), first, step);
  }
  if (blockIdx.x == 0) start_call<BlockSize>(args);
}

/// Before a point makes a voxel that has not been cleared: no point of it is lower, and there is no other.
template <class Points>
__device__ inline void clear_voxel(voxelize_args<Points> const& args, std::uint32_t id) noexcept {
  args.cursors[cursor_of(id)] = 0;
  args.lowest[id] = voxel_none;
}

/// Puts the voxels of points into the table with the lowest point of each, and counts their points, a tile of
/// BlockSize points at a time. Tiles are taken in ascending order until the table has key_limit voxels.
///
/// Why the voxels of later tiles are not written: the voxels that were counted when a block took a tile come from tiles
/// that had been taken before, all of them in front of it. So key_limit voxels, which is no less than there are rows,
/// begin before it.
template <class Points, class Key, int BlockSize>
__global__ void __launch_bounds__(BlockSize, blocks_that_fit(BlockSize))
    voxelize_insert_kernel(voxelize_table_args<Points> const args) {
  __shared__ std::uint32_t next;
  voxel_frame const frame = frame_of(args);
  auto const table = table_of<Key>(args, frame);
  std::uint32_t const tiles = divide_up(frame.size, std::uint32_t{BlockSize});
  std::uint32_t const cleared = cleared_ids(args, frame);
  bool const limited = args.key_limit != voxel_none;
  std::uint32_t tile = blockIdx.x;
  while (tile < tiles) {
    std::uint32_t const i = tile * BlockSize + threadIdx.x;
    Key key = table.empty();
    voxel_place const place = i < frame.size ? key_of(args, frame.begin + i, key) : voxel_place::in_no_cloud;
    warp_run const run = warp_run::of(key);
    bool is_new = false;
    std::uint32_t id = voxel_none;
    bool const is_cleared = (tile + 1) * BlockSize <= cleared || cleared == frame.size;
    if (!is_cleared) {
      if (i < frame.size) clear_voxel(args, i);
      // Before another thread can find the point in the table.
      __threadfence();
    }
    if (place == voxel_place::inside && run.leads()) {
      id = id_of(table, key, i);
      is_new = id == i;
      // What another thread has cleared, above.
      if (!is_cleared) __threadfence();
      // Of the run's points the leader's is the lowest.
      if (i < id) atomicMin(&args.lowest[id], i);
      // The point that makes a voxel is not counted: most voxels have no other.
      std::uint32_t const more = run.size - (is_new ? 1 : 0);
      if (more != 0) atomicAdd(&args.cursors[cursor_of(id)], more);
    }
    id = cuda_warp::shuffle(id, run.leader);
    if (i < frame.size) args.ids[i] = id;
    count_misfits(args.output.report, place);
    if (!limited) {
      tile += gridDim.x;
      continue;
    }
    auto const added = static_cast<std::uint64_t>(__syncthreads_count(is_new));
    if (threadIdx.x == 0) {
      std::uint64_t const before = atomic_add(&args.state->progress, std::uint64_t{1} << 32 | added);
      auto const ticket = static_cast<std::uint32_t>(before >> 32);
      bool const enough = static_cast<std::uint32_t>(before) + added >= args.key_limit;
      // If there are enough for one tile, there are for all later ones.
      if (enough) atomicMin(&args.state->tiles_inserted, ticket);
      next = enough ? voxel_none : ticket + gridDim.x;
    }
    __syncthreads();
    tile = next;
  }
}

/// What becomes of points that are not inserted, for the report: a thread's counts.
struct late_points {
  std::uint32_t outside = 0;
  std::uint32_t not_finite = 0;
  std::uint32_t dropped = 0;  ///< in voxels that are not in the table
  std::uint32_t voxels = 0;   ///< of which there are so many
  bool looks = true;          ///< the last was one of several points of such a voxel

  /// @param size  of the run that the thread leads; 0 if it leads none
  template <class Points, class Key>
  __device__ void add(voxelize_table_args<Points> const& args, voxel_place place, std::uint32_t size, Key key,
                      std::uint32_t id) noexcept {
    outside += place == voxel_place::outside ? 1 : 0;
    not_finite += place == voxel_place::not_finite ? 1 : 0;
    if (place != voxel_place::inside || size == 0 || id != voxel_none) return;
    dropped += size;
    // The keys of one cloud are the numbers of its cells.
    auto const cell = static_cast<std::uint32_t>(key);
    looks = args.bitmap.mark_cells(cell >> 6, occupancy_bitmap::bit_of(cell), looks) == 0;
    voxels += looks ? 0 : 1;
  }

  /// Adds the counts of a warp to the totals.
  template <class Points>
  __device__ void finish(voxelize_table_args<Points> const& args) const noexcept {
    count_in_report_by_warp(&args.output.report->outside, outside);
    count_in_report_by_warp(&args.output.report->non_finite, not_finite);
    count_in_report_by_warp(&args.output.report->dropped_points, dropped);
    std::uint32_t const all = cuda_warp::sum(voxels);
    if (cuda_warp::lane() == 0 && all != 0) atomicAdd(&args.state->more_voxels, all);
  }
};

/// Counts the points that come after those that were inserted.
template <class Points, class Key, int BlockSize>
__global__ void __launch_bounds__(BlockSize) voxelize_find_kernel(voxelize_table_args<Points> const args) {
  voxel_frame const frame = frame_of(args);
  auto const table = table_of<Key>(args, frame);
  std::uint32_t const begin = inserted_points<BlockSize>(args, frame);
  late_points late;
  for_each_in_whole_warps<BlockSize>(begin, frame.size, [&](std::uint64_t i) {
    Key key = table.empty();
    voxel_place const place =
        i < frame.size ? key_of(args, frame.begin + static_cast<index_t>(i), key) : voxel_place::in_no_cloud;
    warp_run const run = warp_run::of(key);
    // The empty key is in no table.
    std::uint32_t id = run.leads() ? table.value_or(key, voxel_none, unchanging) : voxel_none;
    if (id != voxel_none) atomicAdd(&args.cursors[cursor_of(id)], run.size);
    if (args.counts_dropped) late.add(args, place, run.leads() ? run.size : 0, key, id);
    id = cuda_warp::shuffle(id, run.leader);
    if (i < frame.size) args.ids[i] = id;
  });
  if (args.counts_dropped) late.finish(args);
}

}  // namespace detail
FARPOINT_END_NAMESPACE

/// @file
/// Second phase of voxelize() with a table: numbers the voxels by first occurrence, and reserves each voxel's entries
/// in members.
#pragma once

#include <farpoint/detail/voxelize/insert_kernel.cuh>
#include <farpoint/detail/voxelize/row_writer.cuh>
#include <farpoint/grid/lookback_scan.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// First points of voxels among the consecutive points of a thread.
struct tile_firsts {
  /// Id of each point's voxel, or voxel_none.
  std::uint32_t ids[voxel_number_items];
  std::uint32_t counts[voxel_number_items];  ///< number of points of the voxel whose first point this is, else 0

  template <class Points>
  __device__ tile_firsts(voxelize_args<Points> const& args, std::uint32_t begin, std::uint32_t end) noexcept {
    // Most first points are creators, whose entries lie at their own index. Loads for all points coalesce; the loop
    // below repeats only the loads of the others.
    std::uint32_t lowest[voxel_number_items];
    std::uint32_t more[voxel_number_items];
#pragma unroll
    for (int k = 0; k < voxel_number_items; ++k) {
      std::uint32_t const i = begin + static_cast<std::uint32_t>(k);
      ids[k] = i < end ? args.ids[i] : voxel_none;
      lowest[k] = i < end ? args.lowest[i] : voxel_none;
      more[k] = i < end ? args.cursors[cursor_of(i)] : 0;
    }
#pragma unroll
    for (int k = 0; k < voxel_number_items; ++k) {
      std::uint32_t const i = begin + static_cast<std::uint32_t>(k);
      counts[k] = 0;
      if (ids[k] == voxel_none || ids[k] < i) continue;
      bool is_first = lowest[k] == voxel_none;
      if (ids[k] != i) {
        is_first = args.lowest[ids[k]] == i;
        more[k] = args.cursors[cursor_of(ids[k])];
      }
      if (is_first) counts[k] = more[k] + 1;
    }
  }

  __device__ lookback_pair sum() const noexcept {
    lookback_pair all{0};
#pragma unroll
    for (int k = 0; k < voxel_number_items; ++k) all.word += lookback_pair::of(counts[k] != 0 ? 1 : 0, counts[k]).word;
    return all;
  }
};

/// Lists a voxel with more points than eight lanes take.
template <class Points>
__device__ inline void list_large_voxel(voxelize_args<Points> const& args, std::uint32_t voxel,
                                        std::uint32_t count) noexcept {
  if (count > voxel_large) {
    std::uint32_t const pieces = divide_up(count, voxel_large);
    std::uint32_t const number = atomicAdd(&args.state->cut_voxels, 1u);
    std::uint32_t const first = atomicAdd(&args.state->pieces, pieces);
    for (std::uint32_t piece = 0; piece < pieces; ++piece) args.select.pieces[first + piece] = {voxel, piece, number};
  } else if (count > most_small_points(args)) {
    args.select.large[atomicAdd(&args.state->large_voxels, 1u)] = voxel;
  }
}

/// Writes the notes on a voxel's row. With one cloud and numbers by first occurrence, rows are numbers.
__device__ inline void note_row(voxelize_row_notes const& notes, std::uint32_t row, std::uint32_t first_point,
                                std::uint32_t points) noexcept {
  if (notes.first_points != nullptr) notes.first_points[row] = first_point;
  if (notes.points != nullptr) notes.points[row] = points;
}

/// Writes the first voxel of each cloud that begins in a tile of points. The last tile also writes it for the clouds
/// that begin behind the inserted points.
template <int BlockSize, class Points>
__device__ inline void note_clouds(voxelize_args<Points> const& args, voxel_frame const& frame, std::uint32_t begin,
                                   std::uint32_t end, bool is_last, std::uint32_t const* voxels_before,
                                   std::uint32_t total) noexcept {
  for (index_t b = threadIdx.x; b <= args.clouds.size(); b += BlockSize) {
    index_t const at = b == args.clouds.size() ? index_t{frame.size} : args.clouds.begin_of(b) - frame.begin;
    if (at >= begin && at < end) {
      args.cloud_begin[b] = voxels_before[at - begin];
    } else if (is_last && (at >= end || frame.size == 0)) {
      args.cloud_begin[b] = total;
    }
  }
}

/// Number of blocks that a multiprocessor should hold; more blocks would spill registers.
constexpr int number_blocks(int block_size) noexcept {
  return smaller(blocks_that_fit(block_size), larger(1536 / block_size, 1));
}

/// Numbers the voxels, reserves entries of `members` for their points, and sets their cursors to the first entry. Each
/// voxel has one first point, so one thread writes to it.
template <class Points, class Key, int BlockSize>
__global__ void __launch_bounds__(BlockSize, number_blocks(BlockSize))
    voxelize_number_kernel(voxelize_table_args<Points> const args) {
  using scan = lookback_scan<BlockSize>;
  constexpr std::uint32_t tile_size = BlockSize * voxel_number_items;
  __shared__ typename scan::storage storage;
  __shared__ std::uint32_t voxels_before[tile_size];
  voxel_frame const frame = frame_of(args);
  std::uint32_t const size = inserted_points<BlockSize>(args, frame);
  // At least one tile, so that the totals of an empty frame are written, too.
  std::uint32_t const tiles = size == 0 ? 1 : divide_up(size, tile_size);
  bool const has_clouds = args.clouds.size() > 1;
  bool const has_readers = args.sorted || !args.output.point_voxel.empty();
  scan const scanner{storage, args.tiles, &args.state->number_ticket};
  for (std::uint32_t tile = scanner.take(); tile < tiles; tile = scanner.take()) {
    std::uint32_t const begin = tile * tile_size + threadIdx.x * voxel_number_items;
    tile_firsts const mine{args, begin, size};
    lookback_pair total{};
    lookback_pair at = scanner.exclusive(mine.sum(), tile, total);
#pragma unroll
    for (int k = 0; k < voxel_number_items; ++k) {
      if (has_clouds) voxels_before[threadIdx.x * voxel_number_items + static_cast<std::uint32_t>(k)] = at.first();
      std::uint32_t const count = mine.counts[k];
      if (count == 0) continue;
      std::uint32_t const voxel = at.first();
      bool const dropped = !has_clouds && voxel >= args.row_limit;
      args.cursors[cursor_of(mine.ids[k])] = dropped && !args.sorted ? voxel_dropped : at.second();
      if (voxel < args.most_keys) {
        static_cast<Key*>(args.voxel_keys)[voxel] = begin + static_cast<std::uint32_t>(k);
        args.offsets[voxel] = at.second();
      }
      if (voxel < args.row_limit) note_row(args.notes, voxel, begin + static_cast<std::uint32_t>(k), count);
      // Threads of other points may still compare this word with their index; with the flag it differs from all
      // indices.
      if (has_readers) args.lowest[mine.ids[k]] = voxel | voxel_dropped;
      at.word += lookback_pair::of(1, count).word;
      if (!args.sorted && !dropped) list_large_voxel(args, voxel, count);
    }
    bool const is_last = tile + 1 == tiles;
    if (has_clouds) {
      __syncthreads();
      std::uint32_t const end = is_last ? size : (tile + 1) * tile_size;
      note_clouds<BlockSize>(args, frame, tile * tile_size, end, is_last, voxels_before, total.first());
    }
    if (is_last && threadIdx.x == 0) {
      args.state->voxels = total.first();
      args.state->points = total.second();
      if (total.first() <= args.most_keys) args.offsets[total.first()] = total.second();
    }
  }
}

}  // namespace detail
FARPOINT_END_NAMESPACE

/// @file
/// Second step of voxelize() with a table: numbers the voxels by first occurrence, and gives each a place for its
/// points.
#pragma once

#include <farpoint/detail/voxelize/insert_kernel.cuh>
#include <farpoint/detail/voxelize/row_writer.cuh>
#include <farpoint/grid/lookback_scan.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Points that are the first of their voxels. Each thread looks at a few in a row.
struct tile_firsts {
  std::uint32_t ids[voxel_number_items];
  std::uint32_t counts[voxel_number_items];  ///< of the voxel, 0 if it is not its first point

  template <class Points>
  __device__ tile_firsts(voxelize_args<Points> const& args, std::uint32_t begin, std::uint32_t end) noexcept {
    // Of each point as if it were an id, as most first points are: neighbouring threads load neighbouring words.
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

/// Notes a voxel that takes more than eight lanes.
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

/// Tells what is asked of a voxel that is written; of one cloud in the order of first occurrence its row is its number.
__device__ inline void note_row(voxelize_row_notes const& notes, std::uint32_t row, std::uint32_t first_point,
                                std::uint32_t points) noexcept {
  if (notes.first_points != nullptr) notes.first_points[row] = first_point;
  if (notes.points != nullptr) notes.points[row] = points;
}

/// Notes the first voxel of each cloud that begins in a tile of points; and, in the last tile, of those that begin
/// where nothing is inserted any more.
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

/// Blocks that a multiprocessor should hold: with more of them registers would be spilled.
constexpr int number_blocks(int block_size) noexcept {
  return smaller(blocks_that_fit(block_size), larger(1536 / block_size, 1));
}

/// Numbers the voxels. Each gets a place in `members` as long as it has points, and its cursor says where. Only one
/// thread writes to a voxel: it has one first point.
template <class Points, class Key, int BlockSize>
__global__ void __launch_bounds__(BlockSize, number_blocks(BlockSize))
    voxelize_number_kernel(voxelize_table_args<Points> const args) {
  using scan = lookback_scan<BlockSize>;
  constexpr std::uint32_t tile_size = BlockSize * voxel_number_items;
  __shared__ typename scan::storage storage;
  __shared__ std::uint32_t voxels_before[tile_size];
  voxel_frame const frame = frame_of(args);
  std::uint32_t const size = inserted_points<BlockSize>(args, frame);
  // One tile at least: an empty frame has its totals written too.
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
      // No point that looks at it takes the number for its own.
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

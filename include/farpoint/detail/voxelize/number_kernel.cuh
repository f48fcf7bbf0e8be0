/// @file
/// Second step of voxelize() with a table: numbers the voxels by first occurrence, and gives each a place for its
/// points.
#pragma once

#include <farpoint/detail/voxelize/insert_kernel.cuh>
#include <farpoint/detail/voxelize/row_writer.cuh>
#include <farpoint/grid/lookback_scan.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// A point is the first of its voxel if the table says so. Each thread looks at a few in a row.
template <class Key>
struct first_points {
  Key keys[voxel_number_items];
  std::uint32_t slots[voxel_number_items];
  std::uint32_t counts[voxel_number_items];  ///< of the voxel, 0 if it is not its first point

  template <class Points>
  __device__ first_points(voxelize_args<Points> const& args, voxel_table_ref<Key> const& table, std::uint32_t begin,
                          std::uint32_t end) noexcept {
#pragma unroll
    for (int k = 0; k < voxel_number_items; ++k) {
      std::uint32_t const i = begin + static_cast<std::uint32_t>(k);
      slots[k] = i < end ? args.slots[i] : voxel_none;
    }
    bool is_first[voxel_number_items];
    std::uint32_t more[voxel_number_items];
#pragma unroll
    for (int k = 0; k < voxel_number_items; ++k) more[k] = slots[k] != voxel_none ? args.cursors[slots[k]] : 0;
#pragma unroll
    for (int k = 0; k < voxel_number_items; ++k) {
      is_first[k] = false;
      if (slots[k] == voxel_none) continue;
      auto const entry = table.entry(slots[k]);
      keys[k] = entry.key;
      is_first[k] = entry.value == begin + static_cast<std::uint32_t>(k);
    }
#pragma unroll
    for (int k = 0; k < voxel_number_items; ++k) counts[k] = is_first[k] ? more[k] + 1 : 0;
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

/// Numbers the voxels. Each gets its key and a place in `members` as long as it has points, and its cursor says where.
///
/// The table keeps the first point of a voxel that is written here, because other points compare themselves with it.
/// Only one thread writes a cursor: a voxel has one first point.
template <class Points, class Key, int BlockSize>
__global__ void __launch_bounds__(BlockSize) voxelize_number_kernel(voxelize_table_args<Points> const args) {
  using scan = lookback_scan<BlockSize>;
  constexpr std::uint32_t tile_size = BlockSize * voxel_number_items;
  __shared__ typename scan::storage storage;
  __shared__ std::uint32_t voxels_before[tile_size];
  voxel_frame const frame = frame_of(args);
  auto const table = table_of<Key>(args, frame);
  std::uint32_t const size = inserted_points<BlockSize>(args, frame);
  // One tile at least: an empty frame has its totals written too.
  std::uint32_t const tiles = size == 0 ? 1 : divide_up(size, tile_size);
  bool const has_clouds = args.clouds.size() > 1;
  bool const has_readers = args.sorted || !args.output.point_voxel.empty();
  scan const scanner{storage, args.tiles, &args.state->number_ticket};
  for (std::uint32_t tile = scanner.take(); tile < tiles; tile = scanner.take()) {
    std::uint32_t const begin = tile * tile_size + threadIdx.x * voxel_number_items;
    first_points<Key> const mine{args, table, begin, size};
    lookback_pair total{};
    lookback_pair at = scanner.exclusive(mine.sum(), tile, total);
#pragma unroll
    for (int k = 0; k < voxel_number_items; ++k) {
      if (has_clouds) voxels_before[threadIdx.x * voxel_number_items + static_cast<std::uint32_t>(k)] = at.first();
      std::uint32_t const count = mine.counts[k];
      if (count == 0) continue;
      std::uint32_t const voxel = at.first();
      bool const dropped = !has_clouds && voxel >= args.row_limit;
      args.cursors[mine.slots[k]] = dropped && !args.sorted ? voxel_dropped : at.second();
      if (voxel < args.most_keys) {
        static_cast<Key*>(args.voxel_keys)[voxel] = mine.keys[k];
        args.offsets[voxel] = at.second();
      }
      if (voxel < args.row_limit) note_row(args.notes, voxel, begin + static_cast<std::uint32_t>(k), count);
      // From here on the table holds the voxel's number for later look-ups.
      if (has_readers) table.value(mine.slots[k]).store(voxel | voxel_dropped);
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

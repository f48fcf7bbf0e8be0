/// @file
/// Arguments of the kernels of voxelize(), the memory between them, and how both are read.
#pragma once

#include <farpoint/container/hash_map_ref.hpp>
#include <farpoint/container/occupancy_bitmap.hpp>
#include <farpoint/core/batch.hpp>
#include <farpoint/core/require_cuda.cuh>
#include <farpoint/detail/voxelize/row_notes.hpp>
#include <farpoint/grid/blocks_that_fit.hpp>
#include <farpoint/tuning/voxelize.hpp>
#include <farpoint/types/voxelize.hpp>
#include <farpoint/warp/cuda_warp.cuh>

#include <cuda_runtime.h>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// No voxel, no row.
inline constexpr std::uint32_t voxel_none = 0xffffffffu;
/// In a cursor: the voxel is dropped. The cursor never runs up to the next power of two.
inline constexpr std::uint32_t voxel_dropped = 0x80000000u;

/// Most points of a voxel that voxelize_algorithm::select can keep: one for each lane.
inline constexpr index_t voxel_most_selected = 32;

/// A piece of a voxel with more than voxel_large points.
struct voxel_piece {
  std::uint32_t voxel;
  std::uint32_t piece;
  std::uint32_t number;  ///< of the voxel among those that are cut into pieces
};

/// Counters between the kernels; zero before.
struct voxelize_state {
  /// Of the table, in one word so that a block that takes a tile learns how many voxels there were then: in the high
  /// half the tiles of points taken beyond the first of each block, in the low one the voxels of those that are done.
  std::uint64_t progress;
  std::uint32_t tiles_inserted;  ///< beyond the first of each block; voxel_none: all
  std::uint32_t group_ticket;    ///< tiles taken, to rank groups of cells
  std::uint32_t cell_ticket;     ///< tiles taken, to rank cells
  std::uint32_t number_ticket;   ///< tiles taken, to number
  std::uint32_t arrange_ticket;  ///< tiles taken, to arrange
  std::uint32_t groups;          ///< of cells that have points; of a flat bitmap, those with voxels that have a number
  std::uint32_t voxels;          ///< that have a number
  std::uint32_t points;          ///< in them
  std::uint32_t more_voxels;     ///< that need no number: they are dropped
  std::uint32_t large_voxels;
  std::uint32_t pieces;
  std::uint32_t cut_voxels;
  std::uint32_t drawn_rows;
  std::uint32_t rows;    ///< written
  std::uint32_t sorted;  ///< points that are sorted
  std::uint32_t bad_offsets;
};

/// Arrays of voxelize_algorithm::select: where points come together, and what numbering lists of it.
struct voxelize_select_arrays {
  std::uint32_t* members = nullptr;  ///< points by voxel
  std::uint32_t* places = nullptr;   ///< by point, of ranked: where it goes among the points of its voxel
  std::uint32_t* large = nullptr;    ///< voxels of more than voxel_small points
  voxel_piece* pieces = nullptr;
  std::uint32_t* pieces_done = nullptr;  ///< by voxel that is cut
};

/// Arguments that all kernels take.
///
/// Points are numbered from the first point of the first cloud, voxels over all clouds: by first occurrence where a
/// table numbers them, in the order of the grid where a bitmap does. Until then a voxel has an id: where a table finds
/// it, the point that made it, which is any of its points. So what is noted of a voxel lies beside what is noted of
/// neighbouring points, most often of the one that asks.
template <class Points>
struct voxelize_args {
  using scalar = typename Points::scalar;

  batch<Points> clouds;
  voxelize_params<scalar> params;
  voxelize_output<scalar> output;
  std::uint64_t cells = 0;      ///< of one cloud's grid
  std::uint32_t row_limit = 0;  ///< no more rows than this can be written
  std::uint32_t most_keys = 0;  ///< voxels that there is room for
  bool sorted = false;          ///< voxelize_algorithm::sort
  bool ranked = false;          ///< a bitmap numbers the voxels: there is no table, and a voxel's id is its number

  voxelize_state* state = nullptr;
  std::uint64_t* tiles = nullptr;      ///< of the scan over points, or over a bitmap's voxels
  std::uint64_t* row_tiles = nullptr;  ///< of the scan over rows, of sort
  hash_map_bucket* buckets = nullptr;
  std::uint32_t* ids = nullptr;  ///< by point: of its voxel; of ranked, the voxel's key before
  /// By voxel, of a bitmap: its points. By cursor_of(id), of a table: one less, and then where the next one goes.
  std::uint32_t* cursors = nullptr;
  /// By id, of a table: the lowest of the voxel's points that are below the id, and then its number, with
  /// voxel_dropped.
  std::uint32_t* lowest = nullptr;
  /// By voxel. Where a table numbers, the voxel's first point, from which the key follows; sort puts the key in its
  /// place.
  void* voxel_keys = nullptr;
  std::uint32_t* offsets = nullptr;      ///< by voxel: its points are those from here on to the next voxel's
  std::uint32_t* cloud_begin = nullptr;  ///< `[clouds + 1]`: first voxel of each cloud
  std::uint32_t* cloud_row = nullptr;    ///< `[clouds + 1]`: first row of each cloud
  voxelize_select_arrays select = {};
  voxelize_row_notes notes = {};  ///< of one cloud that a table numbers
};

/// Further arguments of the kernels that find the voxels by a table.
struct voxelize_table_part {
  std::uint32_t key_limit = 0;      ///< once so many voxels are in the table, no voxel that comes later is written
  std::uint32_t insert_blocks = 0;  ///< of the kernel that fills the table
  bool counts_dropped = false;      ///< the table numbers the voxels that are written, a bitmap counts the others
  occupancy_bitmap bitmap = {};
};

/// Further arguments of the kernels that find the voxels by a bitmap.
struct voxelize_bitmap_part {
  occupancy_bitmap bitmap = {};
  std::uint64_t* group_tiles = nullptr;  ///< of the scan over groups of cells
  std::uint64_t* cell_tiles = nullptr;   ///< of the scan over cells
};

/// Further arguments of the kernels of voxelize_algorithm::sort.
struct voxelize_sort_part {
  std::uint32_t* members = nullptr;      ///< points by row
  void* row_keys = nullptr;              ///< by row
  std::uint32_t* row_of = nullptr;       ///< by voxel
  std::uint32_t* row_offsets = nullptr;  ///< by row: first entry in members
  std::uint32_t* long_rows = nullptr;    ///< rows of more than voxel_listed kept points
  std::uint32_t* drawn = nullptr;        ///< rows whose points are drawn
  std::uint32_t* order = nullptr;        ///< voxels in the order of the grid, or null
  std::uint32_t* sort_keys = nullptr;
  std::uint32_t* sort_values = nullptr;
  std::uint32_t no_row = 0;  ///< sorts behind all rows
  int shift = 0;             ///< of the part of a voxel's key that is sorted by
};

template <class Points, class Part>
struct voxelize_args_with : voxelize_args<Points>, Part {};
template <class Points>
using voxelize_table_args = voxelize_args_with<Points, voxelize_table_part>;
template <class Points>
using voxelize_bitmap_args = voxelize_args_with<Points, voxelize_bitmap_part>;
template <class Points>
using voxelize_sort_args = voxelize_args_with<Points, voxelize_sort_part>;

/// The points that a call has: fewer than the view where the device's offsets say so.
struct voxel_frame {
  index_t begin;       ///< of the first cloud
  std::uint32_t size;  ///< to the end of the last
};

/// Given by the first and the last offset, whatever those in between say.
template <class Points>
__device__ inline voxel_frame outer_frame(batch<Points> const& clouds) noexcept {
  if (!clouds.is_ragged()) return {0, static_cast<std::uint32_t>(clouds.points().size())};
  index_t const begin = clouds.begin_of(0);
  index_t const end = clouds.begin_of(clouds.size());
  return {begin, end > begin ? static_cast<std::uint32_t>(end - begin) : 0};
}

/// Empty if offsets are wrong. After voxelize_clear_kernel.
template <class Points>
__device__ inline voxel_frame frame_of(voxelize_args<Points> const& args) noexcept {
  voxel_frame frame = outer_frame(args.clouds);
  if (args.clouds.is_ragged() && args.state->bad_offsets != 0) frame.size = 0;
  return frame;
}

/// Calls use(i) for each i in `[begin, end)`, and beyond for the other lanes of a warp: whole warps loop together.
template <int BlockSize, class Use>
__device__ FARPOINT_ALWAYS_INLINE void for_each_in_whole_warps(std::uint32_t begin, std::uint32_t end,
                                                               Use const& use) noexcept {
  for (std::uint64_t first = begin + std::uint64_t{blockIdx.x} * BlockSize; first < end;
       first += std::uint64_t{gridDim.x} * BlockSize) {
    use(first + threadIdx.x);
  }
}

/// What a point is to its cloud's grid.
enum class voxel_place { inside, outside, not_finite, in_no_cloud };

/// Finds the voxel that point `i` of the view is in.
/// @param key  set to its key, and left alone if there is none
template <class Key, class Points>
__device__ inline voxel_place key_of(voxelize_args<Points> const& args, index_t i, Key& key) noexcept {
  index_t cloud = 0;
  if (args.clouds.size() > 1 || args.clouds.is_ragged()) {
    cloud = args.clouds.cloud_of(static_cast<std::uint32_t>(i));
    // A cloud ends at the bound that it was given.
    if (i >= args.clouds.begin_of(cloud) + args.clouds.largest()) return voxel_place::in_no_cloud;
  }
  auto const point = args.clouds.points()[i];
  vec<std::int32_t> voxel{};
  if (!voxel_of(args.params.grid, point, voxel)) {
    return is_finite(point) ? voxel_place::outside : voxel_place::not_finite;
  }
  // Of 32 bits where the keys are.
  auto const dim = [&args](int axis) { return static_cast<Key>(args.params.grid.dims[axis]); };
  Key const cell =
      (static_cast<Key>(voxel[2]) * dim(1) + static_cast<Key>(voxel[1])) * dim(0) + static_cast<Key>(voxel[0]);
  key = static_cast<Key>(cloud) * static_cast<Key>(args.cells) + cell;
  return voxel_place::inside;
}

template <class Key>
using voxel_table_ref = hash_map_ref<Key, std::uint32_t, seeded_hash>;

/// The table, as large as the frame needs it.
template <class Key, class Points>
__device__ inline voxel_table_ref<Key> table_of(voxelize_args<Points> const& args, voxel_frame const& frame) noexcept {
  std::uint64_t const keys = smaller(frame.size, args.most_keys);
  constexpr std::uint64_t slots = voxel_table_ref<Key>::bucket_slots;
  auto const size = static_cast<std::size_t>(divide_up(2 * keys, slots));
  return voxel_table_ref<Key>{{args.buckets, size}, {}, {}, seeded_hash{args.params.hash_seed}};
}

/// Where the cursor of an id is. Eight neighbours share a sector, and the next eight are a kilobyte away, in another
/// part of the L2 cache: a crowded voxel is made by one of the first points of a cloud, and if there are many of them,
/// all points add to neighbouring cursors.
__device__ FARPOINT_ALWAYS_INLINE std::uint32_t cursor_of(std::uint32_t id) noexcept {
  constexpr std::uint32_t sectors = 0xf8;
  return (id & ~(sectors << 5 | sectors)) | (id & sectors) << 5 | (id >> 5 & sectors);
}
/// Cursors that ids below `ids` may have.
FARPOINT_HD constexpr index_t cursors_for(index_t ids) noexcept {
  constexpr index_t block = 8192;
  return divide_up(ids, block) * block;
}

/// Id of the voxel with a key: point `i` if that makes it.
template <class Key>
__device__ inline std::uint32_t id_of(voxel_table_ref<Key> const& table, Key key, std::uint32_t i) noexcept {
  if constexpr (sizeof(Key) == 4) {
    return table.value_or_insert(key, i);
  } else {
    auto const at = table.insert(key, i);
    if (at.inserted) return i;
    // Some devices write a key of 64 bits before its value; the thread that does waits for nothing between the two.
    std::uint32_t id = table.value(at.slot).load();
    while (id == voxel_none) id = table.value(at.slot).load();
    return id;
  }
}

/// Ids that are cleared before points are inserted: all, or those of whole tiles. Where the search for voxels may stop
/// early, it mostly does so among these; points that come later clear their own. Twice as many would take room in the
/// L2 cache from the search that follows.
template <int Tile, class Points>
__device__ inline std::uint32_t cleared_ids(voxelize_args<Points> const& args, voxel_frame const& frame) noexcept {
  std::uint64_t const likely = divide_up(std::uint64_t{args.most_keys} * 2, std::uint64_t{Tile}) * Tile;
  return static_cast<std::uint32_t>(smaller(std::uint64_t{frame.size}, likely));
}

/// True if a frame has so few points that all of them are inserted in any case.
template <int Tile, class Points>
__device__ inline bool inserts_all(voxelize_table_args<Points> const& args, voxel_frame const& frame) noexcept {
  return args.key_limit == voxel_none || frame.size <= std::uint64_t{args.insert_blocks} * Tile;
}

/// Points from the front of the frame that have been put into the table; the others can only be looked up.
template <int Tile, class Points>
__device__ inline std::uint32_t inserted_points(voxelize_table_args<Points> const& args,
                                                voxel_frame const& frame) noexcept {
  if (args.key_limit == voxel_none) return frame.size;
  std::uint64_t const end = (std::uint64_t{args.state->tiles_inserted} + args.insert_blocks) * Tile;
  return static_cast<std::uint32_t>(smaller(end, std::uint64_t{frame.size}));
}

}  // namespace detail
FARPOINT_END_NAMESPACE

/// @file
/// Second phase of voxelize() with a table: numbers the voxels by first occurrence, and reserves each voxel's entries
/// in members.
#pragma once

#include <farpoint/detail/voxelize/insert_kernel.cuh>
#include <farpoint/detail/voxelize/row_notes.hpp>
#include <farpoint/grid/lookback_scan.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// View of the second phase with a table.
template <class Points>
struct number_view {
  voxel_input<Points> input;
  insertion_limit limit;
  std::uint64_t* tiles;  ///< words of the scan over points

  std::uint32_t const* voxel_ids = nullptr;  ///< by point: id of its voxel, or voxel_none
  /// By counter_of(id): number of points besides the creator. The thread of a voxel's first point replaces it by the
  /// voxel's tagged_word<voxel_end>, while threads of other points read it and have no use for it.
  std::uint32_t* counters = nullptr;
  /// By id: tagged_word<voxel_label>. The thread of a voxel's first point replaces the first point by the number, while
  /// threads of other points compare the word with their index: the tag tells a number from all indices.
  std::uint32_t* labels = nullptr;

  std::uint32_t* first_points = nullptr;  ///< by number
  std::uint32_t* offsets = nullptr;       ///< by number: first entry in members
  std::uint32_t* cloud_begin = nullptr;   ///< `[clouds + 1]`: first voxel of each cloud
  large_voxels large = {};
  voxelize_row_notes notes = {};      ///< output for callers, of one cloud
  std::uint32_t row_limit = 0;        ///< maximum number of rows that are written
  std::uint32_t numbered_voxels = 0;  ///< maximum number of voxels with a number
  bool sorts = false;                 ///< whether the algorithm is voxelize_algorithm::sort
  bool has_readers = false;           ///< whether the number of each point's voxel is read later
};

/// First points of voxels among the consecutive points of a thread.
struct tile_firsts {
  std::uint32_t ids[voxel_number_items];     ///< id of each point's voxel, or voxel_none
  std::uint32_t counts[voxel_number_items];  ///< number of points of the voxel whose first point this is, else 0

  template <class Points>
  __device__ tile_firsts(number_view<Points> const& view, std::uint32_t begin, std::uint32_t end) noexcept {
    // Most first points are creators, whose entries lie at their own index. Loads for all points coalesce; the loop
    // below repeats only the loads of the others.
    std::uint32_t labels[voxel_number_items];
    std::uint32_t more[voxel_number_items];
#pragma unroll
    for (int k = 0; k < voxel_number_items; ++k) {
      std::uint32_t const i = begin + static_cast<std::uint32_t>(k);
      ids[k] = i < end ? view.voxel_ids[i] : voxel_none;
      labels[k] = i < end ? atomic_load(view.labels + i) : voxel_none;
      more[k] = i < end ? atomic_load(view.counters + counter_of(i)) : 0;
    }
#pragma unroll
    for (int k = 0; k < voxel_number_items; ++k) {
      std::uint32_t const i = begin + static_cast<std::uint32_t>(k);
      counts[k] = 0;
      if (ids[k] == voxel_none || ids[k] < i) continue;
      bool is_first = labels[k] == voxel_none;
      if (ids[k] != i) {
        is_first = atomic_load(view.labels + ids[k]) == tagged_word<voxel_label>::of(voxel_label::first_point, i).bits;
        more[k] = atomic_load(view.counters + counter_of(ids[k]));
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

/// Writes the notes on a voxel's row. With one cloud and numbers by first occurrence, rows are numbers.
__device__ inline void note_row(voxelize_row_notes const& notes, std::uint32_t row, std::uint32_t first_point,
                                std::uint32_t points) noexcept {
  if (notes.first_points != nullptr) notes.first_points[row] = first_point;
  if (notes.points != nullptr) notes.points[row] = points;
}

/// Writes the first voxel of each cloud that begins in a tile of points. The last tile also writes it for the clouds
/// that begin behind the inserted points.
template <int BlockSize, class Points>
__device__ inline void note_clouds(number_view<Points> const& view, voxel_frame const& frame, std::uint32_t begin,
                                   std::uint32_t end, bool is_last, std::uint32_t const* voxels_before,
                                   std::uint32_t total) noexcept {
  auto const& clouds = view.input.clouds;
  for (index_t b = threadIdx.x; b <= clouds.size(); b += BlockSize) {
    index_t const at = b == clouds.size() ? index_t{frame.size} : clouds.begin_of(b) - frame.begin;
    if (at >= begin && at < end) {
      view.cloud_begin[b] = voxels_before[at - begin];
    } else if (is_last && (at >= end || frame.size == 0)) {
      view.cloud_begin[b] = total;
    }
  }
}

/// Number of blocks that a multiprocessor should hold; more blocks would spill registers.
constexpr int number_blocks(int block_size) noexcept {
  return smaller(blocks_that_fit(block_size), larger(1536 / block_size, 1));
}

/// Numbers the voxels, and reserves entries of members for their points. Each voxel has one first point, so one thread
/// writes to it.
template <class Points, int BlockSize>
__global__ void __launch_bounds__(BlockSize, number_blocks(BlockSize))
    voxelize_number_kernel(number_view<Points> const view) {
  using scan = lookback_scan<BlockSize>;
  using label = tagged_word<voxel_label>;
  using member_end = tagged_word<voxel_end>;
  constexpr std::uint32_t tile_size = BlockSize * voxel_number_items;
  __shared__ typename scan::storage storage;
  __shared__ std::uint32_t voxels_before[tile_size];
  voxelize_state* const state = view.input.state;
  voxel_frame const frame = view.input.frame();
  std::uint32_t const size = view.limit.template inserted_points<BlockSize>(frame);
  // At least one tile, so that the totals of an empty frame are written, too.
  std::uint32_t const tiles = size == 0 ? 1 : divide_up(size, tile_size);
  bool const has_clouds = view.input.clouds.size() > 1;
  scan const scanner{storage, view.tiles, &state->tickets.voxels};
  for (std::uint32_t tile = scanner.take(); tile < tiles; tile = scanner.take()) {
    std::uint32_t const begin = tile * tile_size + threadIdx.x * voxel_number_items;
    tile_firsts const mine{view, begin, size};
    lookback_pair total{};
    lookback_pair at = scanner.exclusive(mine.sum(), tile, total);
#pragma unroll
    for (int k = 0; k < voxel_number_items; ++k) {
      if (has_clouds) voxels_before[threadIdx.x * voxel_number_items + static_cast<std::uint32_t>(k)] = at.first();
      std::uint32_t const count = mine.counts[k];
      if (count == 0) continue;
      std::uint32_t const point = begin + static_cast<std::uint32_t>(k);
      std::uint32_t const voxel = at.first();
      bool const dropped = !has_clouds && voxel >= view.row_limit;
      auto const end =
          dropped && !view.sorts ? member_end::of(voxel_end::dropped, 0) : member_end::of(voxel_end::open, at.second());
      atomic_store(view.counters + counter_of(mine.ids[k]), end.bits);
      if (voxel < view.numbered_voxels) {
        view.first_points[voxel] = point;
        view.offsets[voxel] = at.second();
      }
      if (voxel < view.row_limit) note_row(view.notes, voxel, point, count);
      if (view.has_readers) atomic_store(view.labels + mine.ids[k], label::of(voxel_label::number, voxel).bits);
      at.word += lookback_pair::of(1, count).word;
      if (!view.sorts && !dropped) view.large.list(voxel, count);
    }
    bool const is_last = tile + 1 == tiles;
    if (has_clouds) {
      __syncthreads();
      std::uint32_t const end = is_last ? size : (tile + 1) * tile_size;
      note_clouds<BlockSize>(view, frame, tile * tile_size, end, is_last, voxels_before, total.first());
    }
    if (is_last && threadIdx.x == 0) {
      state->totals.voxels = total.first();
      state->totals.points = total.second();
      if (total.first() <= view.numbered_voxels) view.offsets[total.first()] = total.second();
    }
  }
}

}  // namespace detail
FARPOINT_END_NAMESPACE

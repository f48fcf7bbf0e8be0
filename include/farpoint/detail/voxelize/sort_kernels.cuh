/// @file
/// First phases of voxelize_algorithm::sort: lay out rows, and write the keys by which voxels and points are sorted.
#pragma once

#include <farpoint/detail/voxelize/row_writer.cuh>
#include <farpoint/grid/lookback_scan.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// View of the phases that lay out rows and sort points by row.
template <class Points>
struct arrange_view : row_view<Points> {
  voxelize_layout::sorting_arrays arrays;
  voxel_cells voxels;                    ///< by number
  std::uint32_t const* offsets;          ///< by number: number of points of the voxels before
  std::uint64_t* tiles;                  ///< words of the scan over rows
  std::uint32_t const* point_voxel;      ///< by point: table: id of its voxel; bitmap: its number; or voxel_none
  std::uint32_t const* labels;           ///< by id: tagged_word<voxel_label> with the number; null: a bitmap
  std::uint32_t const* order = nullptr;  ///< voxels in the order of the rows; null: in the order of their numbers
  std::uint32_t* point_row = nullptr;  ///< by point, in the memory of point_voxel: its row, or no_row; null: not needed

  /// Returns the row of a point, or no_row. With one cloud and voxels in the order of their numbers, rows are the first
  /// numbers, so no load is needed. The load would miss the L2 cache for most points of a large cloud.
  __device__ std::uint32_t row_of(std::uint32_t point) const noexcept {
    std::uint32_t voxel = point_voxel[point];
    if (voxel == voxel_none) return arrays.no_row;
    if (labels != nullptr) voxel = tagged_word<voxel_label>{labels[voxel]}.value();
    if (order != nullptr || this->input.clouds.size() != 1) return arrays.voxel_row[voxel];
    return voxel < this->input.state->totals.rows ? voxel : arrays.no_row;
  }
};

/// View of the phase that writes the sort keys of voxels.
template <class Points>
struct grid_keys_view {
  voxel_input<Points> input;
  std::uint32_t const* first_points;  ///< by number
  std::uint32_t* sort_keys;
  std::uint32_t* sort_values;  ///< numbers of voxels, in the order of the part of the keys before
  int shift;                   ///< right shift of a voxel's key, for the part to sort by
};

/// Writes the part of the voxels' keys to sort by: in the order of numbers for the first part, in the order of the part
/// before for a further one.
template <class Points, class Key, int BlockSize>
__global__ void __launch_bounds__(BlockSize) voxelize_grid_keys_kernel(grid_keys_view<Points> const view) {
  voxel_frame const frame = view.input.frame();
  std::uint32_t const voxels = view.input.state->totals.voxels;
  for (std::uint32_t i = blockIdx.x * BlockSize + threadIdx.x; i < voxels; i += gridDim.x * BlockSize) {
    std::uint32_t const voxel = view.shift == 0 ? i : view.sort_values[i];
    if (view.shift == 0) view.sort_values[i] = i;
    Key key{};
    view.input.find(frame.begin + static_cast<index_t>(view.first_points[voxel]), key);
    view.sort_keys[i] = static_cast<std::uint32_t>(static_cast<std::uint64_t>(key) >> view.shift);
  }
}

/// Gives each voxel its row, in the order that the call requests, and reserves the row's entries in members. The last
/// block lays out the rows of clouds instead.
template <class Points, int BlockSize>
__global__ void __launch_bounds__(BlockSize) voxelize_arrange_kernel(arrange_view<Points> const view) {
  using scan = lookback_scan<BlockSize>;
  __shared__ typename scan::storage storage;
  auto const& arrays = view.arrays;
  auto const& lists = view.output.list_offsets;
  voxelize_state* const state = view.input.state;
  if (blockIdx.x + 1 == gridDim.x) {
    lay_out_rows<BlockSize>(view.rows);
    if (threadIdx.x == 0 && !lists.empty()) lists.set(0, 0);
    if (threadIdx.x == 0) arrays.row_offsets[0] = 0;
    return;
  }
  voxel_frame const frame = view.input.frame();
  bool const has_clouds = view.rows.clouds > 1;
  std::uint32_t const voxels = state->totals.voxels;
  unsigned long long surplus = 0;
  unsigned long long dropped = 0;
  scan const scanner{storage, view.tiles, &state->tickets.rows};
  for (std::uint32_t tile = scanner.take(); tile * BlockSize < voxels; tile = scanner.take()) {
    std::uint32_t const i = tile * BlockSize + threadIdx.x;
    bool const exists = i < voxels;
    std::uint32_t const voxel = !exists ? 0 : view.order != nullptr ? view.order[i] : i;
    std::uint32_t const count = exists ? view.offsets[voxel + 1] - view.offsets[voxel] : 0;
    std::uint32_t const first =
        exists && has_clouds ? view.rows.begin[cloud_of(view.input, frame, view.voxels, voxel)] : 0;
    bool const allowed = exists && index_t{i - first} < view.rows.max_voxels;
    lookback_pair total{};
    lookback_pair const at = scanner.exclusive(lookback_pair::of(allowed ? 1 : 0, allowed ? count : 0), tile, total);
    if (!exists) continue;
    std::uint32_t const row = at.first();
    bool const written = allowed && row < view.rows.row_limit;
    arrays.voxel_row[voxel] = written ? row : arrays.no_row;
    if (!written) {
      dropped += count;
      continue;
    }
    if (arrays.cells.keys != nullptr) {
      arrays.cells.keys[row] = view.voxels.keys[voxel];
    } else {
      arrays.cells.first_points[row] = view.voxels.first_points[voxel];
    }
    arrays.row_offsets[row + 1] = at.second() + count;
    if (!lists.empty()) lists.set(index_t{row} + 1, index_t{at.second()} + count);
    std::uint32_t const kept = view.kept(count);
    bool const draws = kept < count && view.kept_points == voxel_points::random_subset;
    surplus += count - kept;
    if (kept > voxel_listed) arrays.long_rows[atomicAdd(&state->lists.large, 1u)] = row;
    if (draws) arrays.drawn_rows[atomicAdd(&state->lists.drawn, 1u)] = row;
  }
  voxelize_report* const report = view.output.report;
  if (report == nullptr) return;
  count_in_report_by_warp(&report->surplus_points, surplus);
  count_in_report_by_warp(&report->dropped_points, dropped);
}

/// Writes each point and its row, the sort key. Arrays indexed by id are not needed afterwards.
template <class Points, int BlockSize>
__global__ void __launch_bounds__(BlockSize) voxelize_point_keys_kernel(arrange_view<Points> const view) {
  voxel_frame const frame = view.input.frame();
  for (std::uint32_t i = blockIdx.x * BlockSize + threadIdx.x; i < frame.size; i += gridDim.x * BlockSize) {
    std::uint32_t const row = view.row_of(i);
    view.arrays.keys[0][i] = row;
    view.arrays.values[0][i] = i;
    if (view.point_row != nullptr) view.point_row[i] = row;
    if (blockIdx.x == 0 && i == 0) view.input.state->totals.sorted = frame.size;
  }
}

}  // namespace detail
FARPOINT_END_NAMESPACE

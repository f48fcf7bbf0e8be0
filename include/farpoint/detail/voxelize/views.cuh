/// @file
/// Views of a call's data that kernels of voxelize() share. Further views are beside the kernels of their phase.
#pragma once

#include <farpoint/container/hash_map_ref.hpp>
#include <farpoint/core/batch.hpp>
#include <farpoint/core/require_cuda.cuh>
#include <farpoint/detail/voxelize/layout.hpp>
#include <farpoint/grid/blocks_that_fit.hpp>
#include <farpoint/warp/count_in_report.cuh>

#include <cuda_runtime.h>
#include <cub/block/block_scan.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Points of a call; with offsets in device memory they may be fewer than the points of the view.
struct voxel_frame {
  index_t begin;       ///< index of the first point of the first cloud in the view
  std::uint32_t size;  ///< number of points up to the end of the last cloud
};

/// Location of a point relative to its cloud's grid.
enum class voxel_location { inside, outside, not_finite, in_no_cloud };

/// Clouds and grid of a call.
template <class Points>
struct voxel_input {
  batch<Points> clouds;
  voxel_grid<typename Points::scalar> grid;
  std::uint64_t cells;  ///< number of cells of one cloud's grid
  voxelize_state* state;

  /// Returns the frame from the first and last offsets; the offsets between them may be bad.
  __device__ voxel_frame outer_frame() const noexcept {
    if (!clouds.is_ragged()) return {0, static_cast<std::uint32_t>(clouds.points().size())};
    index_t const begin = clouds.begin_of(0);
    index_t const end = clouds.begin_of(clouds.size());
    return {begin, end > begin ? static_cast<std::uint32_t>(end - begin) : 0};
  }

  /// Returns the frame, empty if any offset is bad. To be called after the kernel that clears.
  __device__ voxel_frame frame() const noexcept {
    voxel_frame frame = outer_frame();
    if (clouds.is_ragged() && state->totals.bad_offsets != 0) frame.size = 0;
    return frame;
  }

  /// Finds the voxel that contains point `i` of the view.
  /// @param key  set to the voxel's key; unchanged if no voxel contains the point
  template <class Key>
  __device__ voxel_location find(index_t i, Key& key) const noexcept {
    index_t cloud = 0;
    if (clouds.size() > 1 || clouds.is_ragged()) {
      cloud = clouds.cloud_of(static_cast<std::uint32_t>(i));
      // A cloud is cut off at the size that the call gives as its bound.
      if (i >= clouds.begin_of(cloud) + clouds.largest()) return voxel_location::in_no_cloud;
    }
    auto const point = clouds.points()[i];
    vec<std::int32_t> voxel{};
    if (!voxel_of(grid, point, voxel)) {
      return is_finite(point) ? voxel_location::outside : voxel_location::not_finite;
    }
    // Computed in the type of the key: 32 bits suffice for keys of 32 bits.
    auto const dim = [this](int axis) { return static_cast<Key>(grid.dims[axis]); };
    Key const cell =
        (static_cast<Key>(voxel[2]) * dim(1) + static_cast<Key>(voxel[1])) * dim(0) + static_cast<Key>(voxel[0]);
    key = static_cast<Key>(cloud) * static_cast<Key>(cells) + cell;
    return voxel_location::inside;
  }
};

/// Rows and voxels of the clouds.
struct cloud_rows {
  voxelize_state* state;
  index_t clouds;
  index_t max_voxels;          ///< maximum number of rows of a cloud
  std::uint32_t row_limit;     ///< maximum number of rows that are written
  std::uint32_t const* begin;  ///< `[clouds + 1]`: first voxel of each cloud; unused for one cloud
  std::uint32_t* row;          ///< `[clouds + 1]`: first row of each cloud; written by lay_out_rows()
  index_span voxel_offsets;    ///< output, as are the next two
  index_span voxel_count;
  voxelize_report* report;

  /// Returns the row of a voxel of a cloud, or voxel_none if it is dropped.
  __device__ std::uint32_t row_of(index_t cloud, std::uint32_t voxel) const noexcept {
    std::uint32_t const rank = voxel - begin[cloud];
    std::uint64_t const at = std::uint64_t{row[cloud]} + rank;
    return index_t{rank} < max_voxels && at < row_limit ? static_cast<std::uint32_t>(at) : voxel_none;
  }

  /// Number of voxels of a cloud.
  __device__ std::uint32_t voxels_of(index_t cloud) const noexcept {
    if (clouds == 1) return state->totals.voxels + state->totals.unnumbered;
    return begin[cloud + 1] - begin[cloud];
  }
};

/// Lays out the rows: computes where each cloud's rows begin, and the total. One block calls it.
template <int BlockSize>
__device__ inline void lay_out_rows(cloud_rows const& all) noexcept {
  using scan = CUB_NS_QUALIFIER::BlockScan<index_t, BlockSize>;
  __shared__ typename scan::TempStorage storage;
  auto const capacity = static_cast<index_t>(all.row_limit);
  index_t rows = 0;
  for (index_t first = 0; first < all.clouds; first += BlockSize) {
    index_t const b = first + threadIdx.x;
    bool const exists = b < all.clouds;
    index_t const allowed = exists ? smaller(index_t{all.voxels_of(b)}, all.max_voxels) : 0;
    index_t before = 0;
    index_t sum = 0;
    scan{storage}.ExclusiveSum(allowed, before, sum);
    __syncthreads();
    if (exists) {
      index_t const row = smaller(rows + before, capacity);
      all.row[b] = static_cast<std::uint32_t>(row);
      if (!all.voxel_offsets.empty()) all.voxel_offsets.set(b, row);
    }
    rows += sum;
  }
  if (threadIdx.x != 0) return;
  auto& totals = all.state->totals;
  index_t const written = smaller(rows, capacity);
  totals.rows = static_cast<std::uint32_t>(written);
  all.row[all.clouds] = static_cast<std::uint32_t>(written);
  if (!all.voxel_offsets.empty()) all.voxel_offsets.set(all.clouds, written);
  if (!all.voxel_count.empty()) all.voxel_count.set(0, written);
  if (all.report == nullptr) return;
  index_t const found = index_t{totals.voxels} + totals.unnumbered;
  all.report->voxels = static_cast<unsigned long long>(written);
  all.report->dropped_voxels = static_cast<unsigned long long>(found - written);
  all.report->over_capacity = static_cast<unsigned long long>(rows - written);
}

/// Calls use(i) for each i in `[begin, end)`, and for larger i until whole warps have called it.
template <int BlockSize, class Use>
__device__ FARPOINT_ALWAYS_INLINE void for_each_in_whole_warps(std::uint32_t begin, std::uint32_t end,
                                                               Use const& use) noexcept {
  for (std::uint64_t first = begin + std::uint64_t{blockIdx.x} * BlockSize; first < end;
       first += std::uint64_t{gridDim.x} * BlockSize) {
    use(first + threadIdx.x);
  }
}

/// Lists of the voxels that take more than eight lanes; used by voxelize_algorithm::select.
struct large_voxels {
  voxelize_state* state;
  std::uint32_t* large;
  voxel_piece* pieces;
  std::uint32_t max_small;  ///< maximum number of points of a voxel that eight lanes write

  /// Lists a voxel if it has too many points for eight lanes.
  __device__ void list(std::uint32_t voxel, std::uint32_t points) const noexcept {
    if (points > voxel_large) {
      std::uint32_t const parts = divide_up(points, voxel_large);
      std::uint32_t const number = atomicAdd(&state->lists.cut, 1u);
      std::uint32_t const first = atomicAdd(&state->lists.pieces, parts);
      for (std::uint32_t piece = 0; piece < parts; ++piece) pieces[first + piece] = {voxel, piece, number};
    } else if (points > max_small) {
      large[atomicAdd(&state->lists.large, 1u)] = voxel;
    }
  }
};

/// Voxels with numbers, for the kernels that number them and reserve their entries in members.
struct voxel_numbers {
  std::uint64_t* tiles;        ///< words of the scan
  voxel_cells cells;           ///< by number
  std::uint32_t* offsets;      ///< by number: first entry in members
  std::uint32_t* cloud_begin;  ///< `[clouds + 1]`: first voxel of each cloud
  std::uint32_t most;          ///< maximum number of voxels with a number
  large_voxels large;
};

/// Adds the points of a warp that are in no voxel to the report. All lanes call it.
/// @param report  may be null
__device__ inline void count_misfits(voxelize_report* report, voxel_location location) noexcept {
  unsigned const outside = cuda_warp::ballot(location == voxel_location::outside);
  unsigned const not_finite = cuda_warp::ballot(location == voxel_location::not_finite);
  if (report == nullptr || cuda_warp::lane() != 0) return;
  count_in_report(&report->outside, static_cast<unsigned long long>(__popc(outside)));
  count_in_report(&report->non_finite, static_cast<unsigned long long>(__popc(not_finite)));
}

/// Resets the counters and the report, and counts bad offsets. One block calls it.
template <int BlockSize, class Points>
__device__ inline void start_call(voxel_input<Points> const& input, voxelize_report* report) noexcept {
  auto const& clouds = input.clouds;
  int bad = 0;
  index_t const offsets = clouds.is_ragged() ? clouds.size() + 1 : 0;
  for (index_t first = 0; first < offsets; first += BlockSize) {
    index_t const b = first + threadIdx.x;
    bad += __syncthreads_count(b < offsets && is_bad_offset(clouds, b));
  }
  if (threadIdx.x != 0) return;
  *input.state = voxelize_state{};
  input.state->totals.bad_offsets = static_cast<std::uint32_t>(bad);
  input.state->insertion.tiles = voxel_none;
  input.state->totals.groups = voxel_none;
  if (report == nullptr) return;
  *report = voxelize_report{};
  report->bad_offsets = static_cast<unsigned long long>(bad);
}

/// Clears groups of cells. The calling thread is thread `first` of `step` threads.
__device__ inline void clear_groups(cell_group* groups, index_t size, index_t first, index_t step) noexcept {
  auto* const halves = reinterpret_cast<ulonglong2*>(groups);
  for (index_t half = first; half < 2 * size; half += step) halves[half] = make_ulonglong2(0, 0);
}

}  // namespace detail
FARPOINT_END_NAMESPACE

/// @file
/// Last phases of voxelize_algorithm::sort: write lists and rows from points that are sorted by row.
#pragma once

#include <farpoint/detail/voxelize/lowest_points.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// View of the phases that write lists, choose among the points of rows, and write the rows.
template <class Points>
struct sorted_rows_view : row_view<Points> {
  voxelize_layout::sorting_arrays arrays;
  std::uint32_t* members;          ///< points by row
  std::uint32_t const* point_row;  ///< by point: its row, or no_row; null: not needed
};

/// Writes the lists of points, and the row of each point.
template <class Points, int BlockSize>
__global__ void __launch_bounds__(BlockSize) voxelize_lists_kernel(sorted_rows_view<Points> const view) {
  voxel_frame const frame = view.input.frame();
  index_t const size = view.input.clouds.points().size();
  auto const first = index_t{blockIdx.x} * BlockSize + threadIdx.x;
  auto const step = index_t{gridDim.x} * BlockSize;
  if (!view.output.list_points.empty()) {
    index_t const listed = view.arrays.row_offsets[view.input.state->totals.rows];
    for (index_t k = first; k < listed; k += step) view.output.list_points.set(k, frame.begin + view.members[k]);
  }
  if (view.output.point_voxel.empty()) return;
  for (index_t i = first; i < size; i += step) {
    index_t const at = i - frame.begin;
    std::uint32_t const row = at >= 0 && at < index_t{frame.size} ? view.point_row[at] : view.arrays.no_row;
    view.output.point_voxel.set(i, row == view.arrays.no_row ? -1 : index_t{row});
  }
}

/// Moves the points of a random subset to the front of their row, in input order. One warp per row: the subset has at
/// most 32 points.
template <class Points, int BlockSize>
__global__ void __launch_bounds__(BlockSize) voxelize_draw_few_kernel(sorted_rows_view<Points> const view) {
  constexpr std::uint32_t warps = BlockSize / cuda_warp::lanes;
  voxel_frame const frame = view.input.frame();
  auto const most = static_cast<std::uint32_t>(view.max_points);
  std::uint32_t const rows = view.input.state->lists.drawn;
  for (std::uint32_t r = blockIdx.x * warps + threadIdx.x / cuda_warp::lanes; r < rows; r += gridDim.x * warps) {
    std::uint32_t const row = view.arrays.drawn_rows[r];
    std::uint32_t const begin = view.arrays.row_offsets[row];
    std::uint32_t* const members = view.members + begin;
    warp_lowest const lowest = lowest_by_warp(view, frame, members, view.arrays.row_offsets[row + 1] - begin);
    cuda_warp::sync();
    sort_selection(lowest, most, members);
  }
}

/// Moves the points of a random subset of any size to the front of their row. A block finds the highest priority that
/// is kept, digit by digit, then compacts the row.
template <class Points, int BlockSize>
__global__ void __launch_bounds__(BlockSize) voxelize_draw_many_kernel(sorted_rows_view<Points> const view) {
  using scan = CUB_NS_QUALIFIER::BlockScan<std::uint32_t, BlockSize>;
  constexpr int digits = 256;
  __shared__ std::uint32_t histogram[digits];
  __shared__ typename scan::TempStorage storage;
  __shared__ std::uint64_t chosen;
  __shared__ std::uint32_t wanted;
  voxel_frame const frame = view.input.frame();
  for (std::uint32_t r = blockIdx.x; r < view.input.state->lists.drawn; r += gridDim.x) {
    std::uint32_t const row = view.arrays.drawn_rows[r];
    std::uint32_t* const members = view.members + view.arrays.row_offsets[row];
    std::uint32_t const count = view.arrays.row_offsets[row + 1] - view.arrays.row_offsets[row];
    if (threadIdx.x == 0) {
      chosen = 0;
      wanted = static_cast<std::uint32_t>(view.max_points);
    }
    for (int shift = 56; shift >= 0; shift -= 8) {
      for (int d = static_cast<int>(threadIdx.x); d < digits; d += BlockSize) histogram[d] = 0;
      __syncthreads();
      for (std::uint32_t i = threadIdx.x; i < count; i += BlockSize) {
        std::uint64_t const priority = priority_of(view, frame, members[i]);
        // Counts the points that agree with the digits of the highest kept priority found before.
        bool const same = shift == 56 || priority >> (shift + 8) == chosen >> (shift + 8);
        if (same) atomicAdd(&histogram[priority >> shift & (digits - 1)], 1u);
      }
      __syncthreads();
      if (threadIdx.x == 0) {
        std::uint64_t digit = 0;
        while (histogram[digit] < wanted) wanted -= histogram[digit++];
        chosen |= digit << shift;
      }
      __syncthreads();
    }
    std::uint32_t kept = 0;
    for (std::uint32_t first = 0; first < count; first += BlockSize) {
      std::uint32_t const i = first + threadIdx.x;
      std::uint32_t const point = i < count ? members[i] : 0;
      bool const wins = i < count && priority_of(view, frame, point) <= chosen;
      std::uint32_t before = 0;
      std::uint32_t sum = 0;
      scan{storage}.ExclusiveSum(wins ? 1u : 0u, before, sum);
      __syncthreads();
      if (wins) members[kept + before] = point;
      kept += sum;
    }
    __syncthreads();
  }
}

/// Sums the columns of a long row: all threads load, one thread per column adds in input order.
template <class Scalar, int BlockSize>
class long_columns {
 public:
  static constexpr int columns = voxel_long_columns;

  struct storage {
    Scalar values[2][std::size_t{BlockSize}][columns];
  };

  struct sums {
    Scalar sum = 0;
    Scalar largest = 0;
    Scalar first = 0;
  };

  /// Reduces `columns_here` columns; thread c returns the sums of column c.
  /// @param value  `value(point, c)` returns the value of a point in column c
  template <class Value>
  __device__ static sums reduce(storage& shared, std::uint32_t const* kept, std::uint32_t count, int columns_here,
                                Value const& value) noexcept {
    sums mine;
    auto const load = [&](std::uint32_t begin, int buffer) {
      std::uint32_t const k = begin + threadIdx.x;
      if (k >= count) return;
      std::uint32_t const point = kept[k];
#pragma unroll
      for (int c = 0; c < columns; ++c) {
        if (c < columns_here) shared.values[buffer][threadIdx.x][c] = value(point, c);
      }
    };
    __syncthreads();
    load(0, 0);
    int buffer = 0;
    for (std::uint32_t begin = 0; begin < count; begin += BlockSize, buffer = 1 - buffer) {
      __syncthreads();
      load(begin + BlockSize, 1 - buffer);
      if (static_cast<int>(threadIdx.x) >= columns_here) continue;
      std::uint32_t const here = count - begin < BlockSize ? count - begin : BlockSize;
      if (begin == 0) mine.largest = mine.first = shared.values[0][0][threadIdx.x];
#pragma unroll 8
      for (std::uint32_t k = 0; k < here; ++k) {
        Scalar const next = shared.values[buffer][k][threadIdx.x];
        mine.sum = add_rn(mine.sum, next);
        if (next > mine.largest || mine.largest != mine.largest) mine.largest = next;
      }
    }
    return mine;
  }
};

/// Writes the outputs of features that are computed as `Working`, for a row with many points. All threads of a block
/// call it.
template <class Working, class Points, int BlockSize>
__device__ inline void write_long_features(row_view<Points> const& view, voxel_frame const& frame, void* memory,
                                           std::uint32_t row, std::uint32_t const* kept, std::uint32_t count) noexcept {
  using feature_columns = long_columns<Working, BlockSize>;
  auto const thread = static_cast<int>(threadIdx.x);
  voxel_feature_parts<Working, typename Points::scalar> const output{view.output};
  feature_view const& features = view.features;
  int const columns = features.count();

  bool const reduced = output.reduces();
  for (int first = 0; reduced && first < columns; first += feature_columns::columns) {
    int const here = columns - first < feature_columns::columns ? columns - first : feature_columns::columns;
    auto const sums = feature_columns::reduce(
        *static_cast<typename feature_columns::storage*>(memory), kept, count, here, [&](std::uint32_t point, int c) {
          return features.column(first + c).template get<Working>(frame.begin + point);
        });
    if (thread >= here) continue;
    index_t const at = index_t{row} * columns + first + thread;
    if (!output.mean.empty()) output.mean.set(at, voxel_mean(sums.sum, count));
    if (!output.max.empty()) output.max.set(at, sums.largest);
    if (!output.first.empty()) output.first.set(at, sums.first);
  }
  if (output.gathered.empty()) return;
  index_t const most = view.max_points;
  for (index_t k = thread; k < most; k += BlockSize) {
    for (int f = 0; f < columns; ++f) {
      Working const value = k < count ? features.column(f).template get<Working>(frame.begin + kept[k]) : Working{0};
      output.gathered.set((row * most + k) * columns + f, value);
    }
  }
}

/// Writes a row with many points. All threads of a block call it.
template <class Points, int BlockSize>
__device__ inline void write_long_row(row_view<Points> const& view, voxel_frame const& frame, void* memory,
                                      std::uint32_t row, std::uint32_t const* kept, std::uint32_t count) noexcept {
  using scalar = typename Points::scalar;
  using point_columns = long_columns<scalar, BlockSize>;
  write_long_features<float, Points, BlockSize>(view, frame, memory, row, kept, count);
  if constexpr (std::is_same_v<scalar, double>) {
    write_long_features<double, Points, BlockSize>(view, frame, memory, row, kept, count);
  }
  if (view.output.centroid.empty()) return;
  auto const sums = point_columns::reduce(
      *static_cast<typename point_columns::storage*>(memory), kept, count, 3,
      [&](std::uint32_t point, int c) { return view.input.clouds.points()[frame.begin + point][c]; });
  if (threadIdx.x >= 3) return;
  view.output.centroid[static_cast<std::size_t>(row) * 3 + threadIdx.x] = voxel_mean(sums.sum, count);
}

/// Writes all rows from points that are sorted by row, long rows first.
template <class Points, int BlockSize>
__global__ void __launch_bounds__(BlockSize) voxelize_rows_kernel(sorted_rows_view<Points> const view) {
  constexpr int lanes = voxel_group;
  constexpr std::uint32_t groups = BlockSize / lanes;
  __shared__ typename long_columns<typename Points::scalar, BlockSize>::storage storage;
  voxel_frame const frame = view.input.frame();
  std::uint32_t const long_count = view.input.state->lists.large;
  for (std::uint32_t l = blockIdx.x; l < long_count; l += gridDim.x) {
    std::uint32_t const row = view.arrays.long_rows[l];
    std::uint32_t const begin = view.arrays.row_offsets[row];
    write_long_row<Points, BlockSize>(view, frame, &storage, row, view.members + begin,
                                      view.kept(view.arrays.row_offsets[row + 1] - begin));
  }
  std::uint32_t const rows = view.input.state->totals.rows;
  for (std::uint32_t row = blockIdx.x * groups + threadIdx.x / lanes; row < rows; row += gridDim.x * groups) {
    std::uint32_t const begin = view.arrays.row_offsets[row];
    std::uint32_t const kept = view.kept(view.arrays.row_offsets[row + 1] - begin);
    if (kept > voxel_listed) continue;
    row_lanes const mine{static_cast<int>(threadIdx.x % lanes), lanes};
    write_points<std::is_same_v<typename Points::scalar, double>>(view, frame, mine, row, view.members + begin, kept);
  }
  for (std::uint32_t row = blockIdx.x * BlockSize + threadIdx.x; row < rows; row += gridDim.x * BlockSize) {
    std::uint32_t const kept = view.kept(view.arrays.row_offsets[row + 1] - view.arrays.row_offsets[row]);
    write_voxel(view, frame, row, view.arrays.cells, row, kept);
  }
}

}  // namespace detail
FARPOINT_END_NAMESPACE

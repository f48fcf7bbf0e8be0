/// @file
/// Phases of voxelize_algorithm::sort: lays out rows, sorts points by row, and writes the rows.
#pragma once

#include <farpoint/detail/voxelize/scatter_kernel.cuh>
#include <farpoint/detail/voxelize/select_kernel.cuh>
#include <farpoint/grid/lookback_scan.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Replaces each point's id by the number of its voxel, and each voxel's first point by its key. Arrays indexed by id
/// are not needed afterwards.
template <class Points, class Key, int BlockSize>
__global__ void __launch_bounds__(BlockSize) voxelize_resolve_kernel(voxelize_args<Points> const args) {
  voxel_frame const frame = frame_of(args);
  for (std::uint32_t i = blockIdx.x * BlockSize + threadIdx.x; i < frame.size; i += gridDim.x * BlockSize) {
    std::uint32_t const id = args.ids[i];
    if (id != voxel_none) args.ids[i] = args.lowest[id] & ~voxel_dropped;
  }
  auto* const keys = static_cast<Key*>(args.voxel_keys);
  std::uint32_t const voxels = smaller(args.state->voxels, args.most_keys);
  for (std::uint32_t voxel = blockIdx.x * BlockSize + threadIdx.x; voxel < voxels; voxel += gridDim.x * BlockSize) {
    Key key{};
    key_of(args, frame.begin + static_cast<index_t>(keys[voxel]), key);
    keys[voxel] = key;
  }
}

/// Writes the part of the voxels' keys to sort by: in the order of numbers for the first part, in the order of the part
/// before for a further one.
template <class Points, class Key, int BlockSize>
__global__ void __launch_bounds__(BlockSize) voxelize_grid_keys_kernel(voxelize_sort_args<Points> const args) {
  std::uint32_t const voxels = args.state->voxels;
  for (std::uint32_t i = blockIdx.x * BlockSize + threadIdx.x; i < voxels; i += gridDim.x * BlockSize) {
    std::uint32_t const voxel = args.shift == 0 ? i : args.sort_values[i];
    if (args.shift == 0) args.sort_values[i] = i;
    auto const key = static_cast<std::uint64_t>(static_cast<Key const*>(args.voxel_keys)[voxel]);
    args.sort_keys[i] = static_cast<std::uint32_t>(key >> args.shift);
  }
}

/// Gives each voxel its row, in the order that the call requests, and reserves the row's entries in members. The last
/// block lays out the rows of clouds instead.
template <class Points, class Key, int BlockSize>
__global__ void __launch_bounds__(BlockSize) voxelize_arrange_kernel(voxelize_sort_args<Points> const args) {
  using scan = lookback_scan<BlockSize>;
  __shared__ typename scan::storage storage;
  auto const& lists = args.output.list_offsets;
  if (blockIdx.x + 1 == gridDim.x) {
    lay_out_rows<BlockSize>(args);
    if (threadIdx.x == 0 && !lists.empty()) lists.set(0, 0);
    if (threadIdx.x == 0) args.row_offsets[0] = 0;
    return;
  }
  std::uint32_t const voxels = args.state->voxels;
  unsigned long long surplus = 0;
  unsigned long long dropped = 0;
  scan const scanner{storage, args.row_tiles, &args.state->arrange_ticket};
  for (std::uint32_t tile = scanner.take(); tile * BlockSize < voxels; tile = scanner.take()) {
    std::uint32_t const i = tile * BlockSize + threadIdx.x;
    bool const exists = i < voxels;
    std::uint32_t const voxel = !exists ? 0 : args.order != nullptr ? args.order[i] : i;
    std::uint32_t const count = exists ? args.offsets[voxel + 1] - args.offsets[voxel] : 0;
    Key const key = exists ? static_cast<Key const*>(args.voxel_keys)[voxel] : 0;
    std::uint32_t const first =
        args.clouds.size() == 1 ? 0 : args.cloud_begin[static_cast<std::uint64_t>(key) / args.cells];
    bool const allowed = exists && index_t{i - first} < args.params.mode.max_voxels;
    lookback_pair total{};
    lookback_pair const at = scanner.exclusive(lookback_pair::of(allowed ? 1 : 0, allowed ? count : 0), tile, total);
    if (exists) {
      std::uint32_t const row = at.first();
      bool const written = allowed && row < args.row_limit;
      args.row_of[voxel] = written ? row : args.no_row;
      if (written) {
        static_cast<Key*>(args.row_keys)[row] = key;
        args.row_offsets[row + 1] = at.second() + count;
        if (!lists.empty()) lists.set(index_t{row} + 1, index_t{at.second()} + count);
        std::uint32_t const kept = kept_of(args, count);
        surplus += count - kept;
        if (kept > voxel_listed) args.long_rows[atomicAdd(&args.state->large_voxels, 1u)] = row;
        if (kept < count && args.params.points == voxel_points::random_subset) {
          args.drawn[atomicAdd(&args.state->drawn_rows, 1u)] = row;
        }
      } else {
        dropped += count;
      }
    }
  }
  if (args.output.report == nullptr) return;
  count_in_report_by_warp(&args.output.report->surplus_points, surplus);
  count_in_report_by_warp(&args.output.report->dropped_points, dropped);
}

/// Returns the row of a point's voxel, or no_row. With one cloud and voxels in the order of their numbers, rows are the
/// first numbers, so no load is needed. The load would miss the L2 cache for most points of a large cloud.
template <class Points>
__device__ inline std::uint32_t sorted_row_of(voxelize_sort_args<Points> const& args, std::uint32_t voxel) noexcept {
  if (voxel == voxel_none) return args.no_row;
  if (args.order != nullptr || args.clouds.size() != 1) return args.row_of[voxel];
  return voxel < args.state->rows ? voxel : args.no_row;
}

/// Writes each point and its row, the sort key.
template <class Points, int BlockSize>
__global__ void __launch_bounds__(BlockSize) voxelize_point_keys_kernel(voxelize_sort_args<Points> const args) {
  voxel_frame const frame = frame_of(args);
  for (std::uint32_t i = blockIdx.x * BlockSize + threadIdx.x; i < frame.size; i += gridDim.x * BlockSize) {
    args.sort_keys[i] = sorted_row_of(args, args.ids[i]);
    args.sort_values[i] = i;
    if (blockIdx.x == 0 && i == 0) args.state->sorted = frame.size;
  }
}

/// Writes the lists of points, and the row of each point.
template <class Points, int BlockSize>
__global__ void __launch_bounds__(BlockSize) voxelize_lists_kernel(voxelize_sort_args<Points> const args) {
  voxel_frame const frame = frame_of(args);
  index_t const size = args.clouds.points().size();
  auto const first = index_t{blockIdx.x} * BlockSize + threadIdx.x;
  auto const step = index_t{gridDim.x} * BlockSize;
  if (!args.output.list_points.empty()) {
    index_t const listed = args.row_offsets[args.state->rows];
    for (index_t k = first; k < listed; k += step) args.output.list_points.set(k, frame.begin + args.members[k]);
  }
  if (args.output.point_voxel.empty()) return;
  for (index_t i = first; i < size; i += step) {
    index_t const place = i - frame.begin;
    std::uint32_t const voxel = place >= 0 && place < index_t{frame.size} ? args.ids[place] : voxel_none;
    std::uint32_t const row = sorted_row_of(args, voxel);
    args.output.point_voxel.set(i, row == args.no_row ? -1 : index_t{row});
  }
}

/// Moves the points of a random subset to the front of their row, in input order. One warp per row: the subset has at
/// most 32 points.
template <class Points, int BlockSize>
__global__ void __launch_bounds__(BlockSize) voxelize_draw_few_kernel(voxelize_sort_args<Points> const args) {
  constexpr std::uint32_t warps = BlockSize / cuda_warp::lanes;
  voxel_frame const frame = frame_of(args);
  auto const most = static_cast<std::uint32_t>(args.params.mode.max_points);
  std::uint32_t const rows = args.state->drawn_rows;
  for (std::uint32_t r = blockIdx.x * warps + threadIdx.x / cuda_warp::lanes; r < rows; r += gridDim.x * warps) {
    std::uint32_t const row = args.drawn[r];
    std::uint32_t const begin = args.row_offsets[row];
    warp_lowest lowest{static_cast<int>(most)};
    std::uint32_t const* const members = args.members + begin;
    offer_members<false>(lowest, args, frame, {0, args.row_offsets[row + 1] - begin, std::uint32_t{cuda_warp::lanes}},
                         [members](std::uint32_t i) { return members + i; });
    cuda_warp::sync();
    sort_selection(lowest, most, args.members + begin);
  }
}

/// Moves the points of a random subset of any size to the front of their row. A block finds the highest priority that
/// is kept, digit by digit, then compacts the row.
template <class Points, int BlockSize>
__global__ void __launch_bounds__(BlockSize) voxelize_draw_many_kernel(voxelize_sort_args<Points> const args) {
  using scan = CUB_NS_QUALIFIER::BlockScan<std::uint32_t, BlockSize>;
  constexpr int digits = 256;
  __shared__ std::uint32_t histogram[digits];
  __shared__ typename scan::TempStorage storage;
  __shared__ std::uint64_t chosen;
  __shared__ std::uint32_t wanted;
  voxel_frame const frame = frame_of(args);
  for (std::uint32_t r = blockIdx.x; r < args.state->drawn_rows; r += gridDim.x) {
    std::uint32_t const row = args.drawn[r];
    std::uint32_t* const members = args.members + args.row_offsets[row];
    std::uint32_t const count = args.row_offsets[row + 1] - args.row_offsets[row];
    if (threadIdx.x == 0) {
      chosen = 0;
      wanted = static_cast<std::uint32_t>(args.params.mode.max_points);
    }
    for (int shift = 56; shift >= 0; shift -= 8) {
      for (int d = static_cast<int>(threadIdx.x); d < digits; d += BlockSize) histogram[d] = 0;
      __syncthreads();
      for (std::uint32_t i = threadIdx.x; i < count; i += BlockSize) {
        std::uint64_t const priority = rank_of(args, frame, members[i]);
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
      bool const wins = i < count && rank_of(args, frame, point) <= chosen;
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
__device__ inline void write_long_features(voxelize_args<Points> const& args, voxel_frame const& frame, void* memory,
                                           std::uint32_t row, std::uint32_t const* kept, std::uint32_t count) noexcept {
  using feature_columns = long_columns<Working, BlockSize>;
  auto const thread = static_cast<int>(threadIdx.x);
  voxel_feature_parts<Working, typename Points::scalar> const output{args.output};
  feature_view const& features = args.params.features;
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
  index_t const most = args.params.mode.max_points;
  for (index_t k = thread; k < most; k += BlockSize) {
    for (int f = 0; f < columns; ++f) {
      Working const value = k < count ? features.column(f).template get<Working>(frame.begin + kept[k]) : Working{0};
      output.gathered.set((row * most + k) * columns + f, value);
    }
  }
}

/// Writes a row with many points. All threads of a block call it.
template <class Points, int BlockSize>
__device__ inline void write_long_row(voxelize_args<Points> const& args, voxel_frame const& frame, void* memory,
                                      std::uint32_t row, std::uint32_t const* kept, std::uint32_t count) noexcept {
  using scalar = typename Points::scalar;
  using point_columns = long_columns<scalar, BlockSize>;
  write_long_features<float, Points, BlockSize>(args, frame, memory, row, kept, count);
  if constexpr (std::is_same_v<scalar, double>) {
    write_long_features<double, Points, BlockSize>(args, frame, memory, row, kept, count);
  }
  if (args.output.centroid.empty()) return;
  auto const sums =
      point_columns::reduce(*static_cast<typename point_columns::storage*>(memory), kept, count, 3,
                            [&](std::uint32_t point, int c) { return args.clouds.points()[frame.begin + point][c]; });
  if (threadIdx.x >= 3) return;
  args.output.centroid[static_cast<std::size_t>(row) * 3 + threadIdx.x] = voxel_mean(sums.sum, count);
}

/// Writes all rows from points that are sorted by row, long rows first.
template <class Points, class Key, int BlockSize>
__global__ void __launch_bounds__(BlockSize) voxelize_rows_kernel(voxelize_sort_args<Points> const args) {
  constexpr int lanes = voxel_group;
  constexpr std::uint32_t groups = BlockSize / lanes;
  __shared__ typename long_columns<typename Points::scalar, BlockSize>::storage storage;
  voxel_frame const frame = frame_of(args);
  std::uint32_t const long_count = args.state->large_voxels;
  for (std::uint32_t l = blockIdx.x; l < long_count; l += gridDim.x) {
    std::uint32_t const row = args.long_rows[l];
    std::uint32_t const begin = args.row_offsets[row];
    write_long_row<Points, BlockSize>(args, frame, &storage, row, args.members + begin,
                                      kept_of(args, args.row_offsets[row + 1] - begin));
  }
  std::uint32_t const rows = args.state->rows;
  for (std::uint32_t row = blockIdx.x * groups + threadIdx.x / lanes; row < rows; row += gridDim.x * groups) {
    std::uint32_t const begin = args.row_offsets[row];
    std::uint32_t const kept = kept_of(args, args.row_offsets[row + 1] - begin);
    if (kept > voxel_listed) continue;
    row_lanes const mine{static_cast<int>(threadIdx.x % lanes), lanes};
    write_points<std::is_same_v<typename Points::scalar, double>>(args, frame, mine, row, args.members + begin, kept);
  }
  for (std::uint32_t row = blockIdx.x * BlockSize + threadIdx.x; row < rows; row += gridDim.x * BlockSize) {
    std::uint32_t const kept = kept_of(args, args.row_offsets[row + 1] - args.row_offsets[row]);
    write_voxel(args, row, voxel_cell<Key>{args, static_cast<Key const*>(args.row_keys)[row]}, kept);
  }
}

}  // namespace detail
FARPOINT_END_NAMESPACE

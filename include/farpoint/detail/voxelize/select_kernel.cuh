/// @file
/// Phases of voxelize_algorithm::select: gather the points of each voxel, and write rows from the points that are kept.
#pragma once

#include <farpoint/detail/voxelize/lowest_points.cuh>
#include <farpoint/detail/voxelize/small_voxel.cuh>
#include <farpoint/warp/warp_runs.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// View of the phase that gathers points.
template <class Points>
struct scatter_view {
  voxel_input<Points> input;
  cloud_rows rows;
  std::uint32_t const* point_voxel;  ///< by point: table: id of its voxel; bitmap: its number; or voxel_none
  std::uint32_t const* point_rank =
      nullptr;                   ///< by point, of a bitmap: rank among the points of its voxel; null: a table
  std::uint32_t const* offsets;  ///< by number: first entry in members
  std::uint32_t* member_ends;    ///< by counter_of(id), of a table: tagged_word<voxel_end>
  std::uint32_t* members;        ///< points by voxel
};

/// Writes points to the entries of their voxel in members, in any order. The last block lays out the rows instead.
template <class Points, int BlockSize>
__global__ void __launch_bounds__(BlockSize, blocks_that_fit(BlockSize))
    voxelize_scatter_kernel(scatter_view<Points> const view) {
  using member_end = tagged_word<voxel_end>;
  if (blockIdx.x + 1 == gridDim.x) {
    lay_out_rows<BlockSize>(view.rows);
    return;
  }
  voxel_frame const frame = view.input.frame();
  std::uint32_t const step = (gridDim.x - 1) * BlockSize;
  for (std::uint64_t first = std::uint64_t{blockIdx.x} * BlockSize; first < frame.size; first += step) {
    std::uint64_t const i = first + threadIdx.x;
    auto const point = static_cast<std::uint32_t>(i);
    std::uint32_t const voxel = i < frame.size ? view.point_voxel[i] : voxel_none;
    if (view.point_rank != nullptr) {
      if (voxel != voxel_none) view.members[view.offsets[voxel] + view.point_rank[i]] = point;
      continue;
    }
    warp_run const run = warp_run::of(voxel);
    member_end to = member_end::of(voxel_end::dropped, 0);
    if (voxel != voxel_none && run.leads()) to = {atomicAdd(&view.member_ends[counter_of(voxel)], run.size)};
    to = {cuda_warp::shuffle(to.bits, run.leader)};
    if (to.tag() == voxel_end::open) view.members[to.value() + static_cast<std::uint32_t>(run.rank)] = point;
  }
}

/// View of the phase that writes rows.
template <class Points>
struct select_view : row_view<Points> {
  voxel_cells cells;             ///< by number
  std::uint32_t const* offsets;  ///< by number: first entry in members
  std::uint32_t* members;        ///< points by voxel
  large_voxels large;
  std::uint32_t* pieces_done;  ///< by voxel that is cut: number of pieces done

  __device__ std::uint32_t count_of(std::uint32_t voxel) const noexcept { return offsets[voxel + 1] - offsets[voxel]; }

  /// Row of a voxel, or voxel_none if it is dropped.
  __device__ std::uint32_t row_of(voxel_frame const& frame, std::uint32_t voxel) const noexcept {
    auto const& input = this->input;
    if (input.clouds.size() == 1) return voxel < input.state->totals.rows ? voxel : voxel_none;
    return this->rows.row_of(cloud_of(input, frame, cells, voxel), voxel);
  }
};

/// Rows of all voxels.
/// @tparam WithDoubles  see write_points()
template <class Points, int BlockSize, bool WithDoubles>
class voxel_rows {
 public:
  static constexpr int warps = BlockSize / cuda_warp::lanes;
  static constexpr int group_lanes = voxel_group;

  struct storage {
    union {
      alignas(16) std::uint32_t groups[std::size_t{BlockSize / group_lanes}][voxel_small];
      struct {
        block_selections<BlockSize> best;
        std::uint32_t kept[std::size_t{warps}][cuda_warp::lanes];
      } large;
    };
    bool is_last;
  };

  __device__ voxel_rows(select_view<Points> const& view, storage& shared) noexcept
      : view_{view}, shared_{shared}, frame_{view.input.frame()} {}

  /// Writes the voxels that are cut into pieces, which several blocks share.
  __device__ void write_cut() const noexcept {
    std::uint32_t const pieces = state().lists.pieces;
    for (std::uint32_t p = blockIdx.x; p < pieces; p += gridDim.x) {
      voxel_piece const piece = view_.large.pieces[p];
      std::uint32_t const row = view_.row_of(frame_, piece.voxel);
      if (row != voxel_none) write_piece(piece, row);
      __syncthreads();
    }
  }

  /// Writes the voxels that take a warp each.
  __device__ void write_large() const noexcept {
    std::uint32_t const voxels = state().lists.large;
    for (std::uint32_t v = blockIdx.x * warps + warp(); v < voxels; v += gridDim.x * warps) {
      std::uint32_t const voxel = view_.large.large[v];
      std::uint32_t const row = view_.row_of(frame_, voxel);
      if (row == voxel_none) continue;
      std::uint32_t const count = view_.count_of(voxel);
      write_selected(lowest_by_warp(view_, frame_, view_.members + view_.offsets[voxel], count), row, count);
    }
  }

  /// Writes the outputs of each row that do not depend on its points, one voxel per thread, and the report.
  __device__ void write_voxels() const noexcept {
    std::uint32_t const voxels = visited_voxels();
    unsigned long long surplus = 0;
    unsigned long long dropped = 0;
    for (std::uint32_t voxel = blockIdx.x * BlockSize + threadIdx.x; voxel < voxels; voxel += gridDim.x * BlockSize) {
      std::uint32_t const count = view_.count_of(voxel);
      std::uint32_t const kept = view_.kept(count);
      std::uint32_t const row = view_.row_of(frame_, voxel);
      surplus += row != voxel_none ? count - kept : 0;
      dropped += row != voxel_none ? 0 : count;
      if (row != voxel_none) write_voxel(view_, frame_, row, view_.cells, voxel, kept);
    }
    voxelize_report* const report = view_.output.report;
    if (report == nullptr) return;
    __syncwarp();
    if (blockIdx.x == 0 && threadIdx.x == 0 && is_one_cloud()) dropped += state().totals.points - view_.offsets[voxels];
    count_in_report_by_warp(&report->surplus_points, surplus);
    count_in_report_by_warp(&report->dropped_points, dropped);
  }

  /// Writes the voxels with few points, four per warp at a time.
  __device__ void write_small() const noexcept {
    row_lanes const lanes{static_cast<int>(threadIdx.x % group_lanes), group_lanes};
    if (wants_plain_means(view_)) {
      plain_means<Points> const means{view_, frame_, lanes};
      write_groups([&](std::uint32_t row, std::uint32_t const* kept, std::uint32_t count) {
        means(row, count, padded_points{kept});
      });
    } else {
      write_groups([&](std::uint32_t row, std::uint32_t const* kept, std::uint32_t count) {
        write_points<WithDoubles>(view_, frame_, lanes, row, kept, count);
      });
    }
  }

 private:
  __device__ voxelize_state const& state() const noexcept { return *view_.input.state; }
  __device__ bool is_one_cloud() const noexcept { return view_.input.clouds.size() == 1; }
  /// Number of voxels to visit. With one cloud, dropped voxels come last and are skipped.
  __device__ std::uint32_t visited_voxels() const noexcept {
    return is_one_cloud() ? state().totals.rows : state().totals.voxels;
  }
  __device__ static std::uint32_t warp() noexcept { return threadIdx.x / cuda_warp::lanes; }

  /// Writes one voxel per group of eight lanes. The loads of the next voxel overlap: its offsets with the sort of this
  /// voxel, its points with the row of this voxel.
  template <class WriteRow>
  __device__ FARPOINT_ALWAYS_INLINE void write_groups(WriteRow const& write_row) const noexcept {
    constexpr std::uint32_t warp_groups = cuda_warp::lanes / group_lanes;
    std::uint32_t const voxels = visited_voxels();
    std::uint32_t const point_limit = view_.large.max_small;
    auto const max_kept = static_cast<std::uint32_t>(view_.max_points);
    std::uint32_t const step = gridDim.x * warps * warp_groups;
    std::uint32_t first = (blockIdx.x * warps + warp()) * warp_groups;
    std::uint32_t const group = static_cast<std::uint32_t>(cuda_warp::lane()) / group_lanes;
    std::uint32_t* const kept = shared_.groups[threadIdx.x / group_lanes];
    small_voxel next{first + group};
    next.find(view_.offsets, voxels, point_limit);
    next.load(view_.members);
    for (; first < voxels; first += step) {
      small_voxel const small = next;
      next = {first + step + group};
      next.find(view_.offsets, voxels, point_limit);
      small.sort(kept);
      next.load(view_.members);
      if (small.count == 0) continue;
      std::uint32_t const row = is_one_cloud() ? small.voxel : view_.row_of(frame_, small.voxel);
      if (row != voxel_none) write_row(row, kept, smaller(small.count, max_kept));
    }
  }

  /// Collects from one piece and stores the result at the front of the piece. The block that finishes a voxel's last
  /// piece collects from these results, and writes the row.
  __device__ void write_piece(voxel_piece const& piece, std::uint32_t row) const noexcept {
    std::uint32_t* const members = view_.members + view_.offsets[piece.voxel];
    std::uint32_t const count = view_.count_of(piece.voxel);
    std::uint32_t const begin = piece.piece * voxel_large;
    std::uint32_t const whole = divide_up(count, voxel_large) - 1;
    auto& best = shared_.large.best;
    warp_lowest const part = lowest_by_block<BlockSize>(view_, frame_, begin, smaller(begin + voxel_large, count), best,
                                                        [members](std::uint32_t i) { return members + i; });
    if (warp() == 0) {
      ranked_point const mine = part.best();
      if (mine.rank != warp_lowest::none) members[begin + static_cast<std::uint32_t>(cuda_warp::lane())] = mine.point;
      __threadfence();
      cuda_warp::sync();
      if (cuda_warp::lane() == 0) shared_.is_last = atomicAdd(&view_.pieces_done[piece.number], 1u) == whole;
    }
    __syncthreads();
    if (!shared_.is_last) return;
    __threadfence();
    auto const most = static_cast<std::uint32_t>(view_.max_points);
    std::uint32_t const results = whole * most + smaller(count - whole * voxel_large, most);
    warp_lowest const all = lowest_by_block<BlockSize>(
        view_, frame_, 0, results, best,
        [members, most](std::uint32_t i) { return members + i / most * voxel_large + i % most; });
    if (warp() == 0) write_selected(all, row, count);
  }

  /// Writes the row of a warp's selection, of a voxel with `count` points.
  __device__ void write_selected(warp_lowest const& lowest, std::uint32_t row, std::uint32_t count) const noexcept {
    std::uint32_t* const kept = shared_.large.kept[warp()];
    std::uint32_t const size = view_.kept(count);
    cuda_warp::sync();
    sort_selection(lowest, size, kept);
    write_points<WithDoubles>(view_, frame_, {cuda_warp::lane(), cuda_warp::lanes}, row, kept, size);
  }

  select_view<Points> const& view_;
  storage& shared_;
  voxel_frame frame_;
};

/// Number of blocks that a multiprocessor should hold: the kernel waits for memory most of the time.
constexpr int select_blocks(int block_size) noexcept {
  return smaller(blocks_that_fit(block_size), 5);
}

/// Writes the rows of all voxels, largest voxels first.
template <class Points, int BlockSize, bool WithDoubles>
__global__ void __launch_bounds__(BlockSize, select_blocks(BlockSize))
    voxelize_select_kernel(select_view<Points> const view) {
  using rows = voxel_rows<Points, BlockSize, WithDoubles>;
  __shared__ typename rows::storage storage;
  rows const writer{view, storage};
  writer.write_cut();
  writer.write_large();
  __syncthreads();
  writer.write_small();
  writer.write_voxels();
}

/// View that maps points to rows.
template <class Points>
struct map_view : select_view<Points> {
  std::uint32_t const* point_voxel;  ///< by point: table: id of its voxel; bitmap: its number; or voxel_none
  std::uint32_t const* labels;       ///< by id, of a table: tagged_word<voxel_label> with the number
};

/// Writes the row of each point's voxel.
template <class Points, int BlockSize>
__global__ void __launch_bounds__(BlockSize) voxelize_map_kernel(map_view<Points> const view) {
  voxel_frame const frame = view.input.frame();
  index_t const size = view.input.clouds.points().size();
  for (index_t i = index_t{blockIdx.x} * BlockSize + threadIdx.x; i < size; i += index_t{gridDim.x} * BlockSize) {
    index_t const at = i - frame.begin;
    std::uint32_t voxel = at >= 0 && at < index_t{frame.size} ? view.point_voxel[at] : voxel_none;
    if (voxel != voxel_none && view.cells.keys == nullptr) voxel = tagged_word<voxel_label>{view.labels[voxel]}.value();
    std::uint32_t const row = voxel != voxel_none ? view.row_of(frame, voxel) : voxel_none;
    view.output.point_voxel.set(i, row == voxel_none ? -1 : index_t{row});
  }
}

}  // namespace detail
FARPOINT_END_NAMESPACE

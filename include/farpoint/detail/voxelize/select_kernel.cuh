/// @file
/// Last phase of voxelize_algorithm::select: finds the kept points of each voxel and writes its row.
#pragma once

#include <farpoint/detail/voxelize/random_priority.hpp>
#include <farpoint/detail/voxelize/row_writer.cuh>
#include <farpoint/detail/voxelize/small_voxel.cuh>
#include <farpoint/warp/warp_lowest.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Rank of a point: the points of lowest rank are kept.
template <class Points>
__device__ inline std::uint64_t rank_of(voxelize_args<Points> const& args, voxel_frame const& frame,
                                        std::uint32_t point) noexcept {
  if (args.params.points == voxel_points::first) return point;
  index_t const i = frame.begin + point;
  return random_priority(args.params.seed,
                         i - args.clouds.begin_of(args.clouds.cloud_of(static_cast<std::uint32_t>(i))));
}

/// Swaps the group of 32 points whose last point is lowest to the front. The other groups then mostly have no points to
/// keep, above all if the points of a voxel are runs of neighbours.
/// @tparam Groups  number of groups; each lane holds one point of each group
template <std::size_t Groups>
__device__ inline void put_lowest_first(std::uint32_t (&points)[Groups]) noexcept {
  std::uint32_t least = cuda_warp::max(points[0]);
#pragma unroll
  for (std::size_t k = 1; k < Groups; ++k) {
    std::uint32_t const last = cuda_warp::max(points[k]);
    if (last >= least) continue;
    least = last;
    std::uint32_t const other = points[0];
    points[0] = points[k];
    points[k] = other;
  }
}

/// Share of a warp in a voxel: 32 of every `step` of its points `[first, end)`.
struct voxel_share {
  std::uint32_t first;
  std::uint32_t end;
  std::uint32_t step;
};

/// Offers the points `*member(i)` of a share to a warp's selection, which is empty.
/// @tparam LowestFirst  true if the points may be runs of neighbours in any order
template <bool LowestFirst, class Points, class Member>
__device__ inline void offer_members(warp_lowest& lowest, voxelize_args<Points> const& args, voxel_frame const& frame,
                                     voxel_share const& share, Member const& member) noexcept {
  constexpr int ahead = 4;
  bool begins = true;
  for (std::uint32_t at = share.first; at < share.end; at += ahead * share.step) {
    std::uint32_t points[ahead];
#pragma unroll
    for (int k = 0; k < ahead; ++k) {
      std::uint32_t const i =
          at + static_cast<std::uint32_t>(k) * share.step + static_cast<std::uint32_t>(cuda_warp::lane());
      // Loads from L2: blocks of this launch may have written pieces of the voxel.
      points[k] = i < share.end ? __ldcg(member(i)) : voxel_none;
    }
    if (LowestFirst && args.params.points == voxel_points::first) put_lowest_first(points);
#pragma unroll
    for (int k = 0; k < ahead; ++k) {
      ranked_point const mine{points[k] != voxel_none ? rank_of(args, frame, points[k]) : warp_lowest::none, points[k]};
      if (begins && k == 0) {
        lowest.begin(mine);
      } else {
        lowest.offer(mine);
      }
    }
    begins = false;
  }
}

/// Writes a warp's selection in input order.
__device__ inline void sort_selection(warp_lowest const& lowest, std::uint32_t count, std::uint32_t* kept) noexcept {
  std::uint32_t const mine = lowest.best().point;
  std::uint32_t place = 0;
  for (std::uint32_t lane = 0; lane < count; ++lane) {
    place += cuda_warp::shuffle(mine, static_cast<int>(lane)) < mine ? 1 : 0;
  }
  if (static_cast<std::uint32_t>(cuda_warp::lane()) < count) kept[place] = mine;
  cuda_warp::sync();
}

/// Rows of all voxels.
/// @tparam WithDoubles  see write_points()
template <class Points, class Key, int BlockSize, bool WithDoubles>
class voxel_rows {
 public:
  static constexpr int warps = BlockSize / cuda_warp::lanes;
  static constexpr int group_lanes = voxel_group;

  struct storage {
    union {
      alignas(16) std::uint32_t groups[std::size_t{BlockSize / group_lanes}][voxel_small];
      struct {
        ranked_point best[std::size_t{warps}][cuda_warp::lanes];
        std::uint32_t kept[std::size_t{warps}][cuda_warp::lanes];
      } warp;
    };
    bool is_last;
  };

  __device__ voxel_rows(voxelize_args<Points> const& args, storage& shared) noexcept
      : args_{args}, shared_{shared}, frame_{frame_of(args)}, most_{static_cast<int>(args.params.mode.max_points)} {}

  /// Writes the voxels that are cut into pieces, which several blocks share.
  __device__ void write_cut() const noexcept {
    std::uint32_t const pieces = args_.state->pieces;
    for (std::uint32_t p = blockIdx.x; p < pieces; p += gridDim.x) {
      voxel_piece const piece = args_.select.pieces[p];
      if (row_of<Key>(args_, frame_, piece.voxel) != voxel_none) write_piece(piece);
      __syncthreads();
    }
  }

  /// Writes the voxels that take a warp each.
  __device__ void write_large() const noexcept {
    std::uint32_t const voxels = args_.state->large_voxels;
    for (std::uint32_t v = blockIdx.x * warps + warp(); v < voxels; v += gridDim.x * warps) {
      std::uint32_t const voxel = args_.select.large[v];
      std::uint32_t const row = row_of<Key>(args_, frame_, voxel);
      if (row == voxel_none) continue;
      warp_lowest lowest{most_};
      std::uint32_t const* const members = args_.select.members + args_.offsets[voxel];
      offer_members<false>(lowest, args_, frame_, {0, count_of(voxel), std::uint32_t{cuda_warp::lanes}},
                           [members](std::uint32_t i) { return members + i; });
      write_selected(lowest, row, voxel);
    }
  }

  /// Writes the outputs of each row that do not depend on its points, one voxel per thread, and the report.
  __device__ void write_voxels() const noexcept {
    bool const all = args_.clouds.size() > 1;
    std::uint32_t const voxels = listed_voxels();
    unsigned long long surplus = 0;
    unsigned long long dropped = 0;
    for (std::uint32_t voxel = blockIdx.x * BlockSize + threadIdx.x; voxel < voxels; voxel += gridDim.x * BlockSize) {
      std::uint32_t const count = count_of(voxel);
      std::uint32_t const kept = kept_of(args_, count);
      std::uint32_t const row = row_of<Key>(args_, frame_, voxel);
      surplus += row != voxel_none ? count - kept : 0;
      dropped += row != voxel_none ? 0 : count;
      if (row != voxel_none) write_voxel(args_, row, cell_of(voxel), kept);
    }
    if (args_.output.report == nullptr) return;
    __syncwarp();
    if (blockIdx.x == 0 && threadIdx.x == 0 && !all) dropped += args_.state->points - args_.offsets[voxels];
    count_in_report_by_warp(&args_.output.report->surplus_points, surplus);
    count_in_report_by_warp(&args_.output.report->dropped_points, dropped);
  }

  /// Writes the voxels with few points, four per warp at a time.
  __device__ void write_small() const noexcept {
    row_lanes const lanes{static_cast<int>(threadIdx.x % group_lanes), group_lanes};
    if (wants_plain_means(args_)) {
      plain_means<Points> const means{args_, frame_, lanes};
      write_groups([&](std::uint32_t row, std::uint32_t const* kept, std::uint32_t count) {
        means(row, count, padded_points{kept});
      });
    } else {
      write_groups([&](std::uint32_t row, std::uint32_t const* kept, std::uint32_t count) {
        write_points<WithDoubles>(args_, frame_, lanes, row, kept, count);
      });
    }
  }

 private:
  /// Number of voxels to visit. With one cloud, dropped voxels come last and are skipped.
  __device__ std::uint32_t listed_voxels() const noexcept {
    return args_.clouds.size() > 1 ? args_.state->voxels : args_.state->rows;
  }
  __device__ static std::uint32_t warp() noexcept { return threadIdx.x / cuda_warp::lanes; }
  __device__ voxel_cell<Key> cell_of(std::uint32_t voxel) const noexcept {
    Key const key = static_cast<Key const*>(args_.voxel_keys)[voxel];
    if (args_.ranked) return {args_, key};
    vec<std::int32_t> cell{};
    voxel_of(args_.params.grid, args_.clouds.points()[frame_.begin + static_cast<index_t>(key)], cell);
    return {args_.clouds.size() == 1 ? 0 : cloud_of_voxel<Key>(args_, frame_, voxel), cell};
  }
  __device__ std::uint32_t count_of(std::uint32_t voxel) const noexcept {
    return args_.offsets[voxel + 1] - args_.offsets[voxel];
  }

  /// Writes one voxel per group of eight lanes. The loads of the next voxel overlap: its offsets with the sort of this
  /// voxel, its points with the row of this voxel.
  template <class WriteRow>
  __device__ FARPOINT_ALWAYS_INLINE void write_groups(WriteRow const& write_row) const noexcept {
    constexpr std::uint32_t warp_groups = cuda_warp::lanes / group_lanes;
    std::uint32_t const voxels = listed_voxels();
    std::uint32_t const most_points = most_small_points(args_);
    auto const most_kept = static_cast<std::uint32_t>(most_);
    bool const is_one_cloud = args_.clouds.size() == 1;
    std::uint32_t const step = gridDim.x * warps * warp_groups;
    std::uint32_t first = (blockIdx.x * warps + warp()) * warp_groups;
    std::uint32_t const group = static_cast<std::uint32_t>(cuda_warp::lane()) / group_lanes;
    std::uint32_t* const kept = shared_.groups[threadIdx.x / group_lanes];
    small_voxel next{first + group};
    next.find(args_.offsets, voxels, most_points);
    next.load(args_.select.members);
    for (; first < voxels; first += step) {
      small_voxel const small = next;
      next = {first + step + group};
      next.find(args_.offsets, voxels, most_points);
      small.sort(kept);
      next.load(args_.select.members);
      if (small.count == 0) continue;
      std::uint32_t const row = is_one_cloud ? small.voxel : row_of<Key>(args_, frame_, small.voxel);
      if (row != voxel_none) write_row(row, kept, smaller(small.count, most_kept));
    }
  }

  /// Writes the row of a warp's selection.
  __device__ void write_selected(warp_lowest const& lowest, std::uint32_t row, std::uint32_t voxel) const noexcept {
    std::uint32_t* const kept = shared_.warp.kept[warp()];
    std::uint32_t const count = kept_of(args_, count_of(voxel));
    cuda_warp::sync();
    sort_selection(lowest, count, kept);
    write_points<WithDoubles>(args_, frame_, {cuda_warp::lane(), cuda_warp::lanes}, row, kept, count);
  }

  /// Merges the selections of all warps; the first warp returns the result. All threads of the block call it.
  __device__ warp_lowest merged(warp_lowest const& mine) const noexcept {
    __syncthreads();
    shared_.warp.best[warp()][cuda_warp::lane()] = mine.best();
    __syncthreads();
    warp_lowest lowest{most_};
    if (warp() != 0) return lowest;
    // Starts with the selection whose last rank is lowest: the others then mostly have no points to add.
    int const lane = cuda_warp::lane();
    std::uint64_t const last = lane < warps ? shared_.warp.best[lane][most_ - 1].rank : warp_lowest::none;
    unsigned const lists = cuda_warp::ballot(last == cuda_warp::min(last));
    int const first = __ffs(static_cast<int>(lists)) - 1;
    lowest.begin_ascending(shared_.warp.best[first][lane]);
    for (int w = 0; w < warps; ++w) {
      if (w != first) lowest.offer(shared_.warp.best[w][lane]);
    }
    return lowest;
  }

  /// Selects from one piece and stores the result at the front of the piece. The block that finishes a voxel's last
  /// piece selects from these results.
  __device__ void write_piece(voxel_piece const& piece) const noexcept {
    std::uint32_t* const members = args_.select.members + args_.offsets[piece.voxel];
    std::uint32_t const count = count_of(piece.voxel);
    std::uint32_t const begin = piece.piece * voxel_large;
    std::uint32_t const end = smaller(begin + voxel_large, count);
    warp_lowest lowest{most_};
    offer_members<true>(lowest, args_, frame_, {begin + warp() * cuda_warp::lanes, end, std::uint32_t{BlockSize}},
                        [members](std::uint32_t i) { return members + i; });
    lowest = merged(lowest);
    std::uint32_t const pieces = divide_up(count, voxel_large);
    if (warp() == 0) {
      ranked_point const mine = lowest.best();
      if (mine.rank != warp_lowest::none) members[begin + static_cast<std::uint32_t>(cuda_warp::lane())] = mine.point;
      __threadfence();
      cuda_warp::sync();
      if (cuda_warp::lane() == 0)
        shared_.is_last = atomicAdd(&args_.select.pieces_done[piece.number], 1u) + 1 == pieces;
    }
    __syncthreads();
    if (!shared_.is_last) return;
    __threadfence();

    warp_lowest all{most_};
    auto const most = static_cast<std::uint32_t>(most_);
    std::uint32_t const last = (pieces - 1) * voxel_large;
    std::uint32_t const results = (pieces - 1) * most + smaller(count - last, most);
    offer_members<true>(all, args_, frame_, {warp() * cuda_warp::lanes, results, std::uint32_t{BlockSize}},
                        [members, most](std::uint32_t i) { return members + i / most * voxel_large + i % most; });
    all = merged(all);
    if (warp() == 0) write_selected(all, row_of<Key>(args_, frame_, piece.voxel), piece.voxel);
  }

  voxelize_args<Points> const& args_;
  storage& shared_;
  voxel_frame frame_;
  int most_;
};

/// Number of blocks that a multiprocessor should hold: the kernel waits for memory most of the time.
constexpr int select_blocks(int block_size) noexcept {
  return smaller(blocks_that_fit(block_size), 5);
}

/// Writes the rows of all voxels, largest voxels first.
template <class Points, class Key, int BlockSize, bool WithDoubles>
__global__ void __launch_bounds__(BlockSize, select_blocks(BlockSize))
    voxelize_select_kernel(voxelize_args<Points> const args) {
  using rows = voxel_rows<Points, Key, BlockSize, WithDoubles>;
  __shared__ typename rows::storage storage;
  rows const writer{args, storage};
  writer.write_cut();
  writer.write_large();
  __syncthreads();
  writer.write_small();
  writer.write_voxels();
}

/// Writes the row of each point's voxel.
template <class Points, class Key, int BlockSize>
__global__ void __launch_bounds__(BlockSize) voxelize_map_kernel(voxelize_args<Points> const args) {
  voxel_frame const frame = frame_of(args);
  index_t const size = args.clouds.points().size();
  for (index_t i = index_t{blockIdx.x} * BlockSize + threadIdx.x; i < size; i += index_t{gridDim.x} * BlockSize) {
    index_t const place = i - frame.begin;
    std::uint32_t const id = place >= 0 && place < index_t{frame.size} ? args.ids[place] : voxel_none;
    std::uint32_t row = voxel_none;
    if (id != voxel_none) row = row_of<Key>(args, frame, args.ranked ? id : args.lowest[id] & ~voxel_dropped);
    args.output.point_voxel.set(i, row == voxel_none ? -1 : index_t{row});
  }
}

}  // namespace detail
FARPOINT_END_NAMESPACE

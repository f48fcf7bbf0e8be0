/// @file
/// Collects the points that a voxel keeps: those of lowest priority, at most one per lane of a warp.
#pragma once

#include <farpoint/detail/voxelize/random_priority.hpp>
#include <farpoint/detail/voxelize/row_writer.cuh>
#include <farpoint/warp/warp_lowest.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Priority of a point: the points of lowest priority are kept.
template <class Points>
__device__ inline std::uint64_t priority_of(row_view<Points> const& view, voxel_frame const& frame,
                                            std::uint32_t point) noexcept {
  if (view.kept_points == voxel_points::first) return point;
  auto const& clouds = view.input.clouds;
  index_t const i = frame.begin + point;
  return random_priority(view.seed, i - clouds.begin_of(clouds.cloud_of(static_cast<std::uint32_t>(i))));
}

/// Swaps the group of 32 points whose last point is lowest to the front. The other groups then mostly have no points to
/// keep, above all if the points of a voxel are runs of neighbors.
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
/// @tparam LowestFirst  true if the points may be runs of neighbors in any order
template <bool LowestFirst, class Points, class Member>
__device__ inline void offer_members(warp_lowest& lowest, row_view<Points> const& view, voxel_frame const& frame,
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
    if (LowestFirst && view.kept_points == voxel_points::first) put_lowest_first(points);
#pragma unroll
    for (int k = 0; k < ahead; ++k) {
      ranked_point const mine{points[k] != voxel_none ? priority_of(view, frame, points[k]) : warp_lowest::none,
                              points[k]};
      if (begins && k == 0) {
        lowest.begin(mine);
      } else {
        lowest.offer(mine);
      }
    }
    begins = false;
  }
}

/// Collects the kept points of a voxel with `count` points, by one warp.
/// @param members  the voxel's points in any order
template <class Points>
__device__ inline warp_lowest lowest_by_warp(row_view<Points> const& view, voxel_frame const& frame,
                                             std::uint32_t const* members, std::uint32_t count) noexcept {
  warp_lowest lowest{static_cast<int>(view.max_points)};
  offer_members<false>(lowest, view, frame, {0, count, std::uint32_t{cuda_warp::lanes}},
                       [members](std::uint32_t i) { return members + i; });
  return lowest;
}

/// Writes a warp's selection in input order.
__device__ inline void sort_selection(warp_lowest const& lowest, std::uint32_t count, std::uint32_t* kept) noexcept {
  std::uint32_t const mine = lowest.best().point;
  std::uint32_t rank = 0;
  for (std::uint32_t lane = 0; lane < count; ++lane) {
    rank += cuda_warp::shuffle(mine, static_cast<int>(lane)) < mine ? 1 : 0;
  }
  if (static_cast<std::uint32_t>(cuda_warp::lane()) < count) kept[rank] = mine;
  cuda_warp::sync();
}

/// Lowest points of each warp of a block.
template <int BlockSize>
using block_selections = ranked_point[std::size_t{BlockSize / cuda_warp::lanes}][cuda_warp::lanes];

/// Collects the kept points among `*member(i)`, i < end, by a block; the first warp returns them. All threads of the
/// block call it.
/// @param begin  first i
/// @param best   shared memory
template <int BlockSize, class Points, class Member>
__device__ inline warp_lowest lowest_by_block(row_view<Points> const& view, voxel_frame const& frame,
                                              std::uint32_t begin, std::uint32_t end, block_selections<BlockSize>& best,
                                              Member const& member) noexcept {
  constexpr int warps = BlockSize / cuda_warp::lanes;
  std::uint32_t const warp = threadIdx.x / cuda_warp::lanes;
  int const lane = cuda_warp::lane();
  auto const most = static_cast<int>(view.max_points);
  warp_lowest mine{most};
  offer_members<true>(mine, view, frame, {begin + warp * cuda_warp::lanes, end, std::uint32_t{BlockSize}}, member);
  __syncthreads();
  best[warp][lane] = mine.best();
  __syncthreads();
  warp_lowest lowest{most};
  if (warp != 0) return lowest;
  // Starts with the selection whose last rank is lowest: the others then mostly have no points to add.
  std::uint64_t const last = lane < warps ? best[lane][most - 1].rank : warp_lowest::none;
  unsigned const lists = cuda_warp::ballot(last == cuda_warp::min(last));
  int const first = __ffs(static_cast<int>(lists)) - 1;
  lowest.begin_ascending(best[first][lane]);
  for (int w = 0; w < warps; ++w) {
    if (w != first) lowest.offer(best[w][lane]);
  }
  return lowest;
}

}  // namespace detail
FARPOINT_END_NAMESPACE

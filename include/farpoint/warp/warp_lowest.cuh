/// @file
/// The lowest few of many ranked points, kept by one warp.
#pragma once

#include <farpoint/warp/cuda_warp.cuh>
#include <farpoint/warp/warp_bitonic_sort.cuh>

FARPOINT_BEGIN_NAMESPACE

/// A point and the rank that orders it.
struct ranked_point {
  std::uint64_t rank;
  std::uint32_t point;
};

/// The `most` points of lowest rank that a warp is shown, one in the registers of each lane, ascending by lane.
///
/// All lanes of a warp call every function together. No two ranks may be equal, but for `none`, which stands for no
/// point. Cost: begin() is a warp-wide sort; offer() a ballot, and six shuffles for each point that may enter. Offer
/// the points in any order: the result is the same. Use it where few of many points enter; cub::WarpMergeSort or
/// warp_bitonic_sort() are for keeping all.
class warp_lowest {
 public:
  /// Rank of no point: above all others.
  static constexpr std::uint64_t none = ~std::uint64_t{0};

  /// @param most  points to keep, 1 to 32
  __device__ explicit warp_lowest(int most) noexcept : last_{most - 1} {}

  /// The first points, one of each lane: they are sorted at once, since most of them enter. Forgets all before.
  /// @param mine  of the lane; lanes without a point pass `none`
  __device__ void begin(ranked_point mine) noexcept {
    warp_bitonic_sort(mine.rank, mine.point);
    begin_ascending(mine);
  }

  /// The same for points that ascend by lane, such as best() of another selection of as many: nothing is sorted.
  __device__ void begin_ascending(ranked_point mine) noexcept {
    best_ = mine;
    bound_ = __shfl_sync(~0u, best_.rank, last_);
  }

  /// Further points, one of each lane.
  /// @param mine  of the lane; lanes without a point pass `none`
  __device__ void offer(ranked_point mine) noexcept {
    unsigned asking = cuda_warp::ballot(mine.rank < bound_);
    while (asking != 0) {
      int const from = __ffs(static_cast<int>(asking)) - 1;
      asking &= asking - 1;
      ranked_point const candidate = cuda_warp::shuffle(mine, from);
      if (candidate.rank >= bound_) continue;
      ranked_point below{};
      below.rank = __shfl_up_sync(~0u, best_.rank, 1);
      below.point = __shfl_up_sync(~0u, best_.point, 1);
      if (best_.rank > candidate.rank) {
        bool const goes_here = cuda_warp::lane() == 0 || below.rank < candidate.rank;
        best_ = goes_here ? candidate : below;
      }
      bound_ = __shfl_sync(~0u, best_.rank, last_);
    }
  }

  /// The lane-th lowest so far; `none` in lanes that have none, as those from `most` on.
  __device__ ranked_point best() const noexcept { return cuda_warp::lane() <= last_ ? best_ : ranked_point{none, 0}; }

 private:
  int last_;
  ranked_point best_{none, 0};
  std::uint64_t bound_ = none;
};

FARPOINT_END_NAMESPACE

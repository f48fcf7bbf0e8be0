/// @file
/// The few lowest of many ranked points, kept by one warp.
#pragma once

#include <farpoint/warp/cuda_warp.cuh>
#include <farpoint/warp/warp_bitonic_sort.cuh>

FARPOINT_BEGIN_NAMESPACE

/// Point and the rank that orders it.
struct ranked_point {
  std::uint64_t rank;
  std::uint32_t point;
};

/// Selection of the `most` points of lowest rank among the points offered to a warp. Each lane holds one point in
/// registers, ascending by lane.
///
/// All lanes of a warp call every function together. Ranks must be distinct, except `none`, which marks a lane without
/// a point. Cost: begin() is a warp-wide sort; offer() a ballot, and six shuffles per point that may enter. The result
/// does not depend on the order of the offers. Meant for many points of which few enter; to keep all, use
/// cub::WarpMergeSort or warp_bitonic_sort().
class warp_lowest {
 public:
  /// Rank of an absent point, above all others.
  static constexpr std::uint64_t none = ~std::uint64_t{0};

  /// @param most  number of points to keep, 1 to 32
  __device__ explicit warp_lowest(int most) noexcept : last_{most - 1} {}

  /// Starts a new selection with one point per lane. The points are sorted at once, since most enter.
  /// @param mine  the lane's point; lanes without a point pass `none`
  __device__ void begin(ranked_point mine) noexcept {
    warp_bitonic_sort(mine.rank, mine.point);
    begin_ascending(mine);
  }

  /// Starts a new selection with points that ascend by lane, such as best() of another selection of the same size: it
  /// skips the sort.
  __device__ void begin_ascending(ranked_point mine) noexcept {
    best_ = mine;
    bound_ = __shfl_sync(~0u, best_.rank, last_);
  }

  /// Offers one more point per lane.
  /// @param mine  the lane's point; lanes without a point pass `none`
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

  /// Returns the lowest points so far, ascending by lane; `none` in lanes without one, such as lanes from `most` on.
  __device__ ranked_point best() const noexcept { return cuda_warp::lane() <= last_ ? best_ : ranked_point{none, 0}; }

 private:
  int last_;
  ranked_point best_{none, 0};
  std::uint64_t bound_ = none;
};

FARPOINT_END_NAMESPACE

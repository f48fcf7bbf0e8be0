/// @file
/// The lowest few of many keys, by one warp.
#pragma once

#include <farpoint/warp/cuda_warp.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// A point's place in the selection, and its number.
struct ranked_point {
  std::uint64_t rank;
  std::uint32_t point;
};

/// Keeps the `most` lowest ranks that a warp is shown, ascending by lane; 1 <= most <= 32. No two are equal.
class warp_lowest {
 public:
  __device__ explicit warp_lowest(int most) noexcept : last_{most - 1} {}

  /// The first 32 that are offered, or fewer: sorted at once, since each would find a place.
  __device__ void begin(ranked_point mine) noexcept {
    int const lane = cuda_warp::lane();
#pragma unroll
    for (int run = 2; run <= cuda_warp::lanes; run *= 2) {
#pragma unroll
      for (int step = run / 2; step > 0; step /= 2) {
        ranked_point other{};
        other.rank = __shfl_xor_sync(~0u, mine.rank, step);
        other.point = __shfl_xor_sync(~0u, mine.point, step);
        // Ascending in every other run; the lower lane of a pair keeps the lower one there.
        bool const keeps_lower = ((lane & step) == 0) == ((lane & run) == 0);
        if (keeps_lower == (other.rank < mine.rank) && other.rank != mine.rank) mine = other;
      }
    }
    best_ = mine;
    bound_ = __shfl_sync(~0u, best_.rank, last_);
  }

  /// One for each lane; all lanes call it. Lanes that have none pass `none`.
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

  /// This lane's, or `none`.
  __device__ ranked_point best() const noexcept {
    return cuda_warp::lane() <= last_ ? best_ : ranked_point{none, 0};
  }

  static constexpr std::uint64_t none = ~std::uint64_t{0};

 private:
  int last_;
  ranked_point best_{none, 0};
  std::uint64_t bound_ = none;
};

}  // namespace detail
FARPOINT_END_NAMESPACE

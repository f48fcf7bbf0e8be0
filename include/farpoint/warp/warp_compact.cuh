/// @file
#pragma once

#include <farpoint/warp/cuda_warp.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Some of a warp's items, of which each lane has one in each of `Rows` rows: which, and where the i-th is.
template <int Rows>
class warp_compact {
 public:
  struct place {
    int row, lane;
  };

  /// `pick(row)` says whether the lane's item in a row is one of them. All lanes call it.
  template <class Pick>
  __device__ explicit warp_compact(Pick pick) noexcept {
    FARPOINT_UNROLL
    for (int row = 0; row < Rows; ++row) {
      lanes_[row] = cuda_warp::ballot(pick(row));
      count_ += __popc(lanes_[row]);
    }
  }

  __device__ int count() const noexcept { return count_; }

  /// Where the i-th of them is, i < count().
  __device__ place operator[](int i) const noexcept {
    place at{0, 0};
    unsigned lanes = lanes_[0];
    int before = 0;
    int left = i;
    FARPOINT_UNROLL
    for (int row = 0; row < Rows; ++row) {
      if (i >= before) {
        at.row = row;
        lanes = lanes_[row];
        left = i - before;
      }
      before += __popc(lanes_[row]);
    }
    // The lane of the bit that has `left` bits below it.
    FARPOINT_UNROLL
    for (int half = cuda_warp::lanes / 2; half > 0; half /= 2) {
      int const below = __popc(lanes & ((1u << half) - 1));
      if (left < below) continue;
      left -= below;
      lanes >>= half;
      at.lane += half;
    }
    return at;
  }

 private:
  unsigned lanes_[Rows];
  int count_ = 0;
};

}  // namespace detail
FARPOINT_END_NAMESPACE

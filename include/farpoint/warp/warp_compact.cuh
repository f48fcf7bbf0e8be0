/// @file
/// Compaction by one warp without moving anything: which lanes hold the chosen items.
#pragma once

#include <farpoint/warp/cuda_warp.cuh>

FARPOINT_BEGIN_NAMESPACE

/// Numbers the chosen items of a warp, so that lanes can share them out evenly. Each lane has one item in each of
/// `Rows` rows.
///
/// Items are numbered by row, then by lane. Cost: a ballot a row to construct, about 5 + Rows steps without branches
/// for each look-up; `Rows` registers, no shared memory. cub::WarpScan with an exchange in shared memory moves the
/// items instead.
template <int Rows>
class warp_compact {
 public:
  struct place {
    int row, lane;
  };

  /// All lanes of the warp call it.
  /// @param pick  `pick(row)`: whether the lane's item of a row is chosen
  template <class Pick>
  __device__ explicit warp_compact(Pick pick) noexcept {
    FARPOINT_UNROLL
    for (int row = 0; row < Rows; ++row) {
      lanes_[row] = cuda_warp::ballot(pick(row));
      count_ += __popc(lanes_[row]);
    }
  }

  /// Number of chosen items.
  __device__ int count() const noexcept { return count_; }

  /// Where the i-th chosen item is, 0 <= i < count(). Any lane may read any item.
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
  unsigned lanes_[std::size_t{Rows}];
  int count_ = 0;
};

FARPOINT_END_NAMESPACE

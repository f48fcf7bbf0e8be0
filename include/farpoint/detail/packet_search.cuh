/// @file
/// 32 queries that are near one another look for their neighbours together.
#pragma once

#include <farpoint/spatial/point_index.hpp>
#include <farpoint/spatial/warp_topk.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Eight values that no thread writes any more, 16 bytes at a time.
template <class T>
__device__ void load_eight(T const (&from)[point_index_width], T (&to)[point_index_width]) noexcept {
  constexpr int each = 16 / sizeof(T);
#pragma unroll
  for (int i = 0; i < point_index_width; i += each) {
    int4 const part = __ldg(reinterpret_cast<int4 const*>(from + i));
    std::memcpy(to + i, &part, sizeof part);
  }
}

/// A visitor for point_index_ref::visit() that is a whole warp: a lane has a query, and all go one way, into every box
/// that one of them may need. Nothing diverges.
///
/// Eight boxes are tested at a time against four boxes of eight queries each: a test for each lane. Where the eight are
/// close together, to test them one by one would leave out a fifth of the leaves, and cost more than these do. Where
/// one of them is far from the others, or from its neighbours, it is done.
template <class Scalar, int Capacity, int BlockSize>
class packet_visitor {
 public:
  using list = warp_topk<Scalar, Capacity, BlockSize>;

  __device__ packet_visitor(list& found, vec<Scalar, 3> const& q) noexcept : list_{found} {
    bool const is_active = found.bound() >= 0;
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      low_[axis] = of_eight(is_active ? q[axis] : infinity<Scalar>, lower<Scalar>);
      high_[axis] = of_eight(is_active ? q[axis] : -infinity<Scalar>, higher<Scalar>);
      Scalar const extent = sub_rn(high_[axis], low_[axis]);
      extent2_ = fma_rn(extent, extent, extent2_);
    }
    take_bounds();
  }

  /// The leaves of the half group that `start` begins: if the queries are points, their own.
  template <class Index>
  __device__ std::uint32_t begin(Index const& index, std::uint32_t start, vec<Scalar, 3> const& q) noexcept {
    std::uint32_t const first = start / 4 * 4;
#pragma unroll 1
    for (std::uint32_t leaf = first; leaf < first + 4 && leaf < index.leaf_count(); ++leaf)
      look_at(index.leaf(leaf), q);
    return 0xfu << first % point_index_width;
  }

  __device__ std::uint32_t choose(point_boxes<Scalar> const& boxes, vec<Scalar, 3> const& q) const noexcept {
    int const mine = cuda_warp::lane() % point_index_width;
    Scalar sum = 0;
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      // Not above the distance of any of the eight queries: all differences are at most as large.
      Scalar const under = sub_rn(__ldg(&boxes.low[axis][mine]), high_[axis]);
      Scalar const over = sub_rn(low_[axis], __ldg(&boxes.high[axis][mine]));
      Scalar const outside = max_number(max_number(under, over), Scalar(0));
      sum = fma_rn(outside, outside, sum);
    }
    bool const is_before = sum < bound_ || (sum == bound_ && __ldg(&boxes.lowest[mine]) < bound_index_);
    std::uint32_t const wanted = cuda_warp::ballot(is_before);
    std::uint32_t chosen = any_group(wanted & tight_);
    std::uint32_t doubtful = any_group(wanted & ~tight_) & ~chosen;
    for (; doubtful != 0; doubtful &= doubtful - 1) {
      int const lane = lowest_bit(doubtful);
      if (is_wanted(boxes, lane, q)) chosen |= 1u << lane;
    }
    return chosen;
  }

  __device__ void look_at(point_leaf<Scalar> const& leaf, vec<Scalar, 3> const& q) noexcept {
    point_leaf<Scalar> here;
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) load_eight(leaf.axis[axis], here.axis[axis]);
    load_eight(leaf.index, here.index);
#pragma unroll
    for (int lane = 0; lane < point_index_width; ++lane) {
      Scalar const d = distance2(here.at(lane), q);
      if (d <= list_.bound()) list_.offer(d, here.index[lane]);
    }
    if (list_.merge_if_full()) take_bounds();
  }

 private:
  /// Times the least bound of eight queries, squared: what their extent and their bounds may be for them to be tested
  /// together.
  static constexpr Scalar most_spread = 16;

  __device__ static std::uint32_t any_group(std::uint32_t lanes) noexcept {
    lanes |= lanes >> 16;
    lanes |= lanes >> 8;
    return lanes & ((1u << point_index_width) - 1);
  }
  /// By any of the queries.
  __device__ bool is_wanted(point_boxes<Scalar> const& boxes, int lane, vec<Scalar, 3> const& q) const noexcept {
    Scalar d = 0;
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      d = add_box_axis(d, __ldg(&boxes.low[axis][lane]), __ldg(&boxes.high[axis][lane]), q[axis]);
    }
    Scalar const bound = list_.bound();
    bool const is_before = d < bound || (d == bound && __ldg(&boxes.lowest[lane]) < list_.bound_index());
    return cuda_warp::ballot(is_before) != 0;
  }

  template <class T>
  __device__ static T lower(T a, T b) noexcept {
    return a < b ? a : b;
  }
  template <class T>
  __device__ static T higher(T a, T b) noexcept {
    return a > b ? a : b;
  }
  /// Of the calling lane's eight.
  template <class T>
  __device__ static T of_eight(T value, T (*choose)(T, T)) noexcept {
#pragma unroll
    for (int step = 1; step < point_index_width; step *= 2) value = choose(value, __shfl_xor_sync(~0u, value, step));
    return value;
  }
  __device__ void take_bounds() noexcept {
    Scalar const mine = list_.bound();
    bound_ = of_eight(mine, higher<Scalar>);
    bound_index_ = of_eight(list_.bound_index(), higher<std::uint32_t>);
    Scalar const least = most_spread * of_eight(mine < 0 ? infinity<Scalar> : mine, lower<Scalar>);
    tight_ = cuda_warp::ballot(extent2_ <= least && bound_ <= least);
  }

  list& list_;
  vec<Scalar, 3> low_;  ///< of the calling lane's eight queries
  vec<Scalar, 3> high_;
  Scalar extent2_ = 0;
  Scalar bound_;
  std::uint32_t bound_index_;
  std::uint32_t tight_;  ///< lanes whose eight are tested together
};

}  // namespace detail
FARPOINT_END_NAMESPACE

/// @file
/// Bounding boxes that many threads grow concurrently.
#pragma once

#include <farpoint/core/ordered_bits.hpp>
#include <farpoint/geometry/bounding_box.hpp>
#include <farpoint/warp/cuda_warp.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

__device__ inline void atomic_max(std::uint32_t* at, std::uint32_t value) noexcept {
  atomicMax(at, value);
}
__device__ inline void atomic_max(std::uint64_t* at, std::uint64_t value) noexcept {
  atomicMax(reinterpret_cast<unsigned long long*>(at), static_cast<unsigned long long>(value));
}

/// Bounding box that many threads grow concurrently. Its corners are words that only ever grow, by atomic maxima. All
/// bits zero stand for the empty box, so memset initializes it, and the result does not depend on thread order.
template <class Scalar, int Dim = 3>
struct atomic_bounding_box {
  using word = lane_word<Scalar>;
  word high[std::size_t{Dim}];
  word minus_low[std::size_t{Dim}];

  /// @param box  box without NaN
  __device__ static atomic_bounding_box of(bounding_box<Scalar, Dim> const& box) noexcept {
    atomic_bounding_box words;
#pragma unroll
    for (int axis = 0; axis < Dim; ++axis) {
      words.high[axis] = ordered_word(box.high[axis]);
      words.minus_low[axis] = ordered_word(-box.low[axis]);
    }
    return words;
  }
  /// Returns the box, once no thread grows it any more. NaN for the empty box.
  __device__ bounding_box<Scalar, Dim> get() const noexcept {
    bounding_box<Scalar, Dim> box;
#pragma unroll
    for (int axis = 0; axis < Dim; ++axis) {
      box.low[axis] = -ordered_value<Scalar>(minus_low[axis]);
      box.high[axis] = ordered_value<Scalar>(high[axis]);
    }
    return box;
  }

  /// Joins the boxes of a warp's lanes. All lanes must call it.
  __device__ void reduce_over_warp() noexcept {
#pragma unroll
    for (int axis = 0; axis < Dim; ++axis) {
      high[axis] = cuda_warp::max(high[axis]);
      minus_low[axis] = cuda_warp::max(minus_low[axis]);
    }
  }
  /// Grows a box in shared or global memory by this one. Any number of threads may call it concurrently.
  __device__ void grow(atomic_bounding_box& shared) const noexcept {
#pragma unroll
    for (int axis = 0; axis < Dim; ++axis) {
      atomic_max(&shared.high[axis], high[axis]);
      atomic_max(&shared.minus_low[axis], minus_low[axis]);
    }
  }
};

/// Counts the points of sets and computes their bounding boxes: a thread accumulates points of one set until it gets a
/// point of another. A Set has `grow(atomic_bounding_box<Scalar, Dim> const&, std::uint32_t count)`, which threads may
/// call concurrently.
template <class Scalar, class Set, int BlockSize, int Dim = 3>
class set_accumulator {
  using box_type = atomic_bounding_box<Scalar, Dim>;

 public:
  /// Shared memory of a block.
  struct storage {
    box_type box[std::size_t{BlockSize / cuda_warp::lanes}];
    std::uint32_t set[std::size_t{BlockSize / cuda_warp::lanes}];
    std::uint32_t count[std::size_t{BlockSize / cuda_warp::lanes}];
  };

  __device__ explicit set_accumulator(Set* sets) noexcept : sets_{sets} {}

  __device__ void add(std::uint32_t set, vec<Scalar, Dim> const& p) noexcept {
    if (set != set_) {
      flush(box_type::of(seen_));
      seen_ = bounding_box<Scalar, Dim>::empty();
      set_ = set;
    }
    seen_.grow(p);
    ++count_;
  }
  /// Flushes the accumulated points, merging threads with the same set. All threads call it; a barrier must separate
  /// two calls with the same storage.
  __device__ void flush_over_block(storage& shared) noexcept {
    constexpr int warps = BlockSize / cuda_warp::lanes;
    auto const warp = static_cast<int>(threadIdx.x) / cuda_warp::lanes;
    __syncwarp();
    auto box = box_type::of(seen_);
    join_over_warp(box);
    if (cuda_warp::lane() == 0) {
      shared.box[warp] = box;
      shared.set[warp] = set_;
      shared.count[warp] = count_;
    }
    __syncthreads();
    if (warp != 0) return forget();
    bool const is_warp = cuda_warp::lane() < warps;
    count_ = is_warp ? shared.count[cuda_warp::lane()] : 0;
    box = {};
    if (count_ > 0) {
      set_ = shared.set[cuda_warp::lane()];
      box = shared.box[cuda_warp::lane()];
    }
    __syncwarp();
    join_over_warp(box);
    flush(box);
    forget();
  }

 private:
  /// Resets the accumulator: its set was merged into another thread's accumulator.
  __device__ void forget() noexcept {
    set_ = ~0u;
    count_ = 0;
    seen_ = bounding_box<Scalar, Dim>::empty();
  }

  /// Merges the lanes into lane 0 if all have the same set; otherwise every lane flushes.
  __device__ void join_over_warp(box_type& box) noexcept {
    std::uint32_t const first = cuda_warp::max(count_ == 0 ? 0 : set_ + 1);
    if (cuda_warp::ballot(count_ == 0 || set_ + 1 == first) != ~0u) return flush(box);
    set_ = first - 1;
    box.reduce_over_warp();
    count_ = cuda_warp::sum(count_);
    if (cuda_warp::lane() != 0) count_ = 0;
  }
  __device__ void flush(box_type const& box) noexcept {
    if (count_ > 0) sets_[set_].grow(box, count_);
    count_ = 0;
  }

  Set* sets_;
  std::uint32_t set_ = ~0u;
  std::uint32_t count_ = 0;
  bounding_box<Scalar, Dim> seen_ = bounding_box<Scalar, Dim>::empty();
};

}  // namespace detail
FARPOINT_END_NAMESPACE

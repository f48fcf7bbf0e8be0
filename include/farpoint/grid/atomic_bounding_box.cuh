/// @file
/// Bounding boxes that many threads grow together.
#pragma once

#include <farpoint/core/math.hpp>
#include <farpoint/core/ordered_bits.hpp>
#include <farpoint/warp/cuda_warp.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

__device__ inline void atomic_max(std::uint32_t* at, std::uint32_t value) noexcept {
  atomicMax(at, value);
}
__device__ inline void atomic_max(std::uint64_t* at, std::uint64_t value) noexcept {
  atomicMax(reinterpret_cast<unsigned long long*>(at), static_cast<unsigned long long>(value));
}

/// A box of halved coordinates that grows by maxima, from all bits zero.
template <class Scalar>
struct atomic_bounding_box {
  using word = lane_word<Scalar>;
  word high[3];
  word minus_low[3];

  __device__ void reduce_over_warp() noexcept {
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      high[axis] = cuda_warp::max(high[axis]);
      minus_low[axis] = cuda_warp::max(minus_low[axis]);
    }
  }
  /// Other threads may do the same.
  __device__ void grow(atomic_bounding_box& shared) const noexcept {
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      atomic_max(&shared.high[axis], high[axis]);
      atomic_max(&shared.minus_low[axis], minus_low[axis]);
    }
  }
  __device__ vec<Scalar, 3> lowest() const noexcept {
    return {{-ordered_value<Scalar>(minus_low[0]), -ordered_value<Scalar>(minus_low[1]),
             -ordered_value<Scalar>(minus_low[2])}};
  }
  __device__ vec<Scalar, 3> highest() const noexcept {
    return {{ordered_value<Scalar>(high[0]), ordered_value<Scalar>(high[1]), ordered_value<Scalar>(high[2])}};
  }
};

/// A box that one thread grows, from around nothing.
template <class Scalar>
struct thread_bounding_box {
  vec<Scalar, 3> high = {{-infinity<Scalar>, -infinity<Scalar>, -infinity<Scalar>}};
  vec<Scalar, 3> low = {{infinity<Scalar>, infinity<Scalar>, infinity<Scalar>}};

  __device__ void add(vec<Scalar, 3> const& p) noexcept {
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      high[axis] = max_number(high[axis], p[axis]);
      low[axis] = min_number(low[axis], p[axis]);
    }
  }
  __device__ atomic_bounding_box<Scalar> halved() const noexcept {
    atomic_bounding_box<Scalar> box;
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      box.high[axis] = ordered_word(high[axis] * Scalar(0.5));
      box.minus_low[axis] = ordered_word(low[axis] * Scalar(-0.5));
    }
    return box;
  }
};

/// What one thread has seen of the points of a set, until it meets a point of another. Sets have grow(box, count).
template <class Scalar, class Set, int BlockSize>
class set_accumulator {
 public:
  /// Shared memory of a block.
  struct storage {
    atomic_bounding_box<Scalar> box[BlockSize / cuda_warp::lanes];
    std::uint32_t set[BlockSize / cuda_warp::lanes];
    std::uint32_t count[BlockSize / cuda_warp::lanes];
  };

  __device__ explicit set_accumulator(Set* sets) noexcept : sets_{sets} {}

  __device__ void add(std::uint32_t set, vec<Scalar, 3> const& p) noexcept {
    if (set != set_) {
      flush(seen_.halved());
      seen_ = {};
      set_ = set;
    }
    seen_.add(p);
    ++count_;
  }
  /// All threads call it: what all have of one set goes out together.
  __device__ void flush_over_block(storage& shared) noexcept {
    constexpr int warps = BlockSize / cuda_warp::lanes;
    auto const warp = static_cast<int>(threadIdx.x) / cuda_warp::lanes;
    __syncwarp();
    atomic_bounding_box<Scalar> box = seen_.halved();
    join_over_warp(box);
    if (cuda_warp::lane() == 0) {
      shared.box[warp] = box;
      shared.set[warp] = set_;
      shared.count[warp] = count_;
    }
    __syncthreads();
    if (warp != 0) return;
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
  }

 private:
  /// Lane 0 takes over what all lanes have, if it is of one set; else it goes out.
  __device__ void join_over_warp(atomic_bounding_box<Scalar>& box) noexcept {
    std::uint32_t const first = cuda_warp::max(count_ == 0 ? 0 : set_ + 1);
    if (cuda_warp::ballot(count_ == 0 || set_ + 1 == first) != ~0u) return flush(box);
    set_ = first - 1;
    box.reduce_over_warp();
    count_ = cuda_warp::sum(count_);
    if (cuda_warp::lane() != 0) count_ = 0;
  }
  __device__ void flush(atomic_bounding_box<Scalar> const& box) noexcept {
    if (count_ > 0) sets_[set_].grow(box, count_);
    count_ = 0;
  }

  Set* sets_;
  std::uint32_t set_ = ~0u;
  std::uint32_t count_ = 0;
  thread_bounding_box<Scalar> seen_;
};

}  // namespace detail
FARPOINT_END_NAMESPACE

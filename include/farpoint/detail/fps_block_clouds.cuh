/// @file
/// Where a block keeps its cloud while it samples: in registers, or in global memory.
///
/// Both have load(), position(), lower(), best() and take(). Thread t owns the points t, t + BlockSize, t + 2 *
/// BlockSize, ... and visits them by ascending index, so "greater than the best so far" already means "lowest index
/// first".
#pragma once

#include <farpoint/block/block_argmax.hpp>
#include <farpoint/core/math.hpp>
#include <farpoint/detail/dynamic_shared.cuh>
#include <farpoint/detail/fps_block_task.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Distance that a point starts with: infinite, or none for a point that must never be picked.
template <class Scalar, int Dim>
__device__ Scalar fps_start(vec<Scalar, Dim> const& point) noexcept {
  return is_finite(point) ? fps_unseen<Scalar> : fps_taken<Scalar>;
}

/// A cloud of at most BlockSize * PointsPerThread points in the registers of a block, with a copy in shared memory
/// where the launch gave some: every thread needs the coordinates of each sample.
template <class Points, int BlockSize, int PointsPerThread>
class fps_registers {
 public:
  using scalar = typename Points::scalar;
  using point_type = typename Points::point;

  __device__ fps_registers(fps_block_task<Points> const& task, Points const& cloud) noexcept
      : cloud_{cloud}, copy_{task.has_shared_copy ? shared_copy() : nullptr} {}

  /// Returns how many of my points are not finite. Ends with a barrier.
  __device__ unsigned load() noexcept {
    unsigned bad = 0;
#pragma unroll
    for (int i = 0; i < PointsPerThread; ++i) {
      bool const real = index_of(i) < cloud_.size();
      point_[i] = real ? cloud_[index_of(i)] : point_type{};
      nearest_[i] = real ? fps_start(point_[i]) : fps_taken<scalar>;
      if (real && copy_ != nullptr) copy_[index_of(i)] = point_[i];
      bad += real && nearest_[i] < 0;
    }
    __syncthreads();
    return bad;
  }

  __device__ point_type position(std::int32_t index) const noexcept {
    return copy_ != nullptr ? copy_[index] : cloud_[index];
  }

  /// Lowers my points' distances to a new sample; returns my best candidate.
  __device__ scored<scalar> lower(point_type const& sample) noexcept {
#pragma unroll
    for (int i = 0; i < PointsPerThread; ++i) nearest_[i] = min_number(distance2(point_[i], sample), nearest_[i]);
    return best();
  }

  __device__ scored<scalar> best() const noexcept {
    scalar score = nearest_[0];
    int slot = 0;
#pragma unroll
    for (int i = 1; i < PointsPerThread; ++i) {
      slot = nearest_[i] > score ? i : slot;
      score = nearest_[i] > score ? nearest_[i] : score;
    }
    return {score, index_of(slot)};
  }

  /// Makes a point no candidate any more.
  __device__ void take(std::int32_t index) noexcept {
    if (static_cast<unsigned>(index) % BlockSize != threadIdx.x) return;
    // Registers have no addresses: the one that is meant is found by comparison, in one warp only. Selected, not stored
    // under a condition: the compiler makes an indexed store of that, and all points leave the registers.
    int const slot = static_cast<int>(static_cast<unsigned>(index) / BlockSize);
#pragma unroll
    for (int i = 0; i < PointsPerThread; ++i) nearest_[i] = i == slot ? fps_taken<scalar> : nearest_[i];
  }

 private:
  __device__ static std::int32_t index_of(int i) noexcept {
    return static_cast<int>(threadIdx.x) + i * BlockSize;
  }

  __device__ static point_type* shared_copy() noexcept { return static_cast<point_type*>(dynamic_shared()); }

  Points cloud_;
  point_type* copy_;
  point_type point_[PointsPerThread];
  scalar nearest_[PointsPerThread];
};

/// Scalars of the workspace that fps_stream takes for a point.
template <class Points>
inline constexpr int fps_stream_scalars = Points::dim + 1;

/// A cloud of any size in global memory, as arrays that a warp reads without gaps.
template <class Points, int BlockSize>
class fps_stream {
 public:
  using scalar = typename Points::scalar;
  using point_type = typename Points::point;
  static constexpr int dim = Points::dim;

  __device__ fps_stream(fps_block_task<Points> const& task, Points const& cloud) noexcept
      : cloud_{cloud},
        size_{static_cast<std::uint32_t>(cloud.size())},
        pitch_{task.clouds.points().size()},
        arrays_{task.arrays + task.clouds.begin_of(blockIdx.x)} {}

  /// @copydoc fps_registers::load
  __device__ unsigned load() noexcept {
    unsigned bad = 0;
    for (std::uint32_t i = threadIdx.x; i < size_; i += BlockSize) {
      point_type const point = cloud_[i];
      scalar const start = fps_start(point);
      for (int axis = 0; axis < dim; ++axis) arrays_[axis * pitch_ + i] = point[axis];
      arrays_[dim * pitch_ + i] = start;
      bad += start < 0;
    }
    return bad;
  }

  /// @copydoc fps_registers::position
  __device__ point_type position(std::int32_t index) const noexcept { return cloud_[index]; }

  /// @copydoc fps_registers::lower
  __device__ scored<scalar> lower(point_type const& sample) noexcept {
    scored<scalar> best{fps_taken<scalar>, no_index};
    // Unsigned: the last step of a cloud of 2^31 - 1 points goes beyond what a signed index can hold.
    std::uint32_t i = threadIdx.x;
    for (; i + (ahead - 1) * BlockSize < size_; i += ahead * BlockSize) lower_some<ahead>(i, sample, best);
    for (; i < size_; i += BlockSize) lower_some<1>(i, sample, best);
    return best;
  }

  /// @copydoc fps_registers::best
  __device__ scored<scalar> best() const noexcept {
    scored<scalar> best{fps_taken<scalar>, no_index};
    for (std::uint32_t i = threadIdx.x; i < size_; i += BlockSize) {
      scalar const nearest = arrays_[dim * pitch_ + i];
      if (nearest > best.score) best = {nearest, static_cast<std::int32_t>(i)};
    }
    return best;
  }

  /// @copydoc fps_registers::take
  __device__ void take(std::int32_t index) noexcept {
    if (static_cast<unsigned>(index) % BlockSize == threadIdx.x) arrays_[dim * pitch_ + index] = fps_taken<scalar>;
  }

 private:
  /// Points whose loads are in flight together.
  static constexpr int ahead = 4;

  /// lower() for the points i, i + BlockSize, ...: loads all before it stores any, which the compiler may not do by
  /// itself.
  template <int Count>
  __device__ void lower_some(std::uint32_t i, point_type const& sample, scored<scalar>& best) noexcept {
    point_type point[Count];
    scalar old[Count];
#pragma unroll
    for (int k = 0; k < Count; ++k) {
#pragma unroll
      for (int axis = 0; axis < dim; ++axis) point[k][axis] = (arrays_ + axis * pitch_)[i + k * BlockSize];
      old[k] = (arrays_ + dim * pitch_)[i + k * BlockSize];
    }
#pragma unroll
    for (int k = 0; k < Count; ++k) {
      std::uint32_t const at = i + k * BlockSize;
      scalar const lowered = min_number(distance2(point[k], sample), old[k]);
      if (lowered < old[k]) (arrays_ + dim * pitch_)[at] = lowered;
      if (lowered > best.score) best = {lowered, static_cast<std::int32_t>(at)};
    }
  }

  Points cloud_;
  std::uint32_t size_;
  index_t pitch_;
  scalar* arrays_;
};

}  // namespace detail
FARPOINT_END_NAMESPACE

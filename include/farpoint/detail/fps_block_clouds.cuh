/// @file
/// Where a block keeps its cloud while it samples: in registers, or in global memory.
///
/// Both have load(), lower(), best() and take(). Thread t owns the points t, t + BlockSize, t + 2 * BlockSize, ... and
/// visits them by ascending index, so "greater than the best so far" already means "lowest index first".
#pragma once

#include <farpoint/block/block_argmax.hpp>
#include <farpoint/core/math.hpp>
#include <farpoint/detail/fps_block_task.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Distance that a point starts with: infinite, or none for a point that must never be picked.
template <class Scalar, int Dim>
__device__ Scalar fps_start(vec<Scalar, Dim> const& point) noexcept {
  return is_finite(point) ? fps_unseen<Scalar> : fps_taken<Scalar>;
}

/// A cloud of at most BlockSize * PointsPerThread points in the registers of a block.
template <class Points, int BlockSize, int PointsPerThread>
class fps_registers {
 public:
  using scalar = typename Points::scalar;
  using point_type = typename Points::point;

  __device__ explicit fps_registers(fps_block_task<Points> const&) noexcept {}

  /// Returns how many of my points are not finite.
  __device__ unsigned load(Points const& cloud) noexcept {
    unsigned bad = 0;
#pragma unroll
    for (int i = 0; i < PointsPerThread; ++i) {
      bool const real = index_of(i) < cloud.size();
      point_[i] = real ? cloud[index_of(i)] : point_type{};
      nearest_[i] = real ? fps_start(point_[i]) : fps_taken<scalar>;
      bad += real && nearest_[i] < 0;
    }
    return bad;
  }

  /// Lowers my points' distances to a new sample; returns my best candidate.
  __device__ scored<scalar> lower(point_type const& sample) noexcept {
#pragma unroll
    for (int i = 0; i < PointsPerThread; ++i) {
      scalar const d = distance2(point_[i], sample);
      nearest_[i] = d < nearest_[i] ? d : nearest_[i];
    }
    return best();
  }

  __device__ scored<scalar> best() const noexcept {
    scored<scalar> best{fps_taken<scalar>, no_index};
#pragma unroll
    for (int i = 0; i < PointsPerThread; ++i) {
      if (nearest_[i] > best.score) best = {nearest_[i], index_of(i)};
    }
    return best;
  }

  /// Makes a point no candidate any more.
  __device__ void take(std::int32_t index) noexcept {
    if (index % BlockSize != static_cast<int>(threadIdx.x)) return;
      // Registers have no addresses: the one that is meant is found by comparison, in one warp only. Selected, not stored
    // under a condition: the compiler makes an indexed store of that, and all points leave the registers.
    int const slot = index / BlockSize;
#pragma unroll
    for (int i = 0; i < PointsPerThread; ++i) nearest_[i] = i == slot ? fps_taken<scalar> : nearest_[i];
  }

 private:
  __device__ static std::int32_t index_of(int i) noexcept {
    return static_cast<int>(threadIdx.x) + i * BlockSize;
  }

  point_type point_[PointsPerThread];
  scalar nearest_[PointsPerThread];
};

/// A cloud of any size in global memory, as arrays that a warp reads without gaps.
template <class Points, int BlockSize>
class fps_stream {
 public:
  using scalar = typename Points::scalar;
  using point_type = typename Points::point;
  static constexpr int dim = Points::dim;

  __device__ explicit fps_stream(fps_block_task<Points> const& task) noexcept
      : pitch_{task.clouds.points().size()}, arrays_{task.arrays + task.clouds.begin_of(blockIdx.x)} {}

  /// @copydoc fps_registers::load
  __device__ unsigned load(Points const& cloud) noexcept {
    size_ = static_cast<std::uint32_t>(cloud.size());
    unsigned bad = 0;
    for (std::uint32_t i = threadIdx.x; i < size_; i += BlockSize) {
      point_type const point = cloud[i];
      scalar const start = fps_start(point);
      for (int axis = 0; axis < dim; ++axis) arrays_[axis * pitch_ + i] = point[axis];
      arrays_[dim * pitch_ + i] = start;
      bad += start < 0;
    }
    return bad;
  }

  /// @copydoc fps_registers::lower
  __device__ scored<scalar> lower(point_type const& sample) noexcept {
    scored<scalar> best{fps_taken<scalar>, no_index};
    // Unsigned: the last step of a cloud of 2^31 - 1 points goes beyond what a signed index can hold.
#pragma unroll 4
    for (std::uint32_t i = threadIdx.x; i < size_; i += BlockSize) {
      point_type point;
#pragma unroll
      for (int axis = 0; axis < dim; ++axis) point[axis] = arrays_[axis * pitch_ + i];
      scalar const old = arrays_[dim * pitch_ + i];
      scalar const d = distance2(point, sample);
      scalar const lowered = d < old ? d : old;
      if (d < old) arrays_[dim * pitch_ + i] = d;
      if (lowered > best.score) best = {lowered, static_cast<std::int32_t>(i)};
    }
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
    if (index % BlockSize == static_cast<int>(threadIdx.x)) arrays_[dim * pitch_ + index] = fps_taken<scalar>;
  }

 private:
  index_t pitch_;
  scalar* arrays_;
  std::uint32_t size_ = 0;
};

}  // namespace detail
FARPOINT_END_NAMESPACE

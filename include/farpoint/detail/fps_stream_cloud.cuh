/// @file
/// A cloud in global memory, for the block that samples it.
///
/// The workspace holds the points as arrays that a warp reads without gaps, and their distances. Where that would be
/// more than 40 bytes a point (from 10 floats or 5 doubles on), it holds the distances alone, and the points are read
/// where they are, through their view.
///
/// Thread t owns the points t, t + BlockSize, t + 2 * BlockSize, ... and visits them by ascending index, so "greater
/// than the best so far" already means "lowest index first".
#pragma once

#include <farpoint/block/block_argmax.hpp>
#include <farpoint/core/math.hpp>
#include <farpoint/detail/fps_block_task.hpp>
#include <farpoint/detail/fps_start.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Bytes of workspace that fps() takes for a point at most, beside what it takes for a cloud.
inline constexpr std::size_t fps_most_point_bytes = 40;

/// True when the points stay where they are.
template <class Points>
inline constexpr bool fps_streams_in_place = (Points::dim + 1) * sizeof(typename Points::scalar) > fps_most_point_bytes;

/// Scalars of the workspace that fps_stream takes for a point; the last is the distance.
template <class Points>
inline constexpr int fps_stream_scalars = fps_streams_in_place<Points> ? 1 : Points::dim + 1;

/// A cloud of any size in global memory.
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
        arrays_{task.arrays + task.clouds.begin_of(blockIdx.x)},
        distances_{arrays_ + (fps_stream_scalars<Points> - 1) * pitch_} {}

  /// Fills the arrays. Returns how many of my points are not finite.
  __device__ unsigned load() noexcept {
    unsigned bad = 0;
    for (std::uint32_t i = threadIdx.x; i < size_; i += BlockSize) {
      point_type const point = cloud_[i];
      scalar const start = fps_start(point);
      if constexpr (!fps_streams_in_place<Points>) {
        for (int axis = 0; axis < dim; ++axis) arrays_[axis * pitch_ + i] = point[axis];
      }
      distances_[i] = start;
      bad += start < 0;
    }
    return bad;
  }

  /// A point of the cloud.
  __device__ point_type position(std::int32_t index) const noexcept { return cloud_[index]; }

  /// Lowers my points' distances to a new sample; returns my best candidate.
  __device__ scored<scalar> lower(point_type const& sample) noexcept {
    scored<scalar> best{fps_taken<scalar>, no_index};
    // Unsigned: the last step of a cloud of 2^31 - 1 points goes beyond what a signed index can hold.
    std::uint32_t i = threadIdx.x;
    for (; i + (ahead - 1) * BlockSize < size_; i += ahead * BlockSize) lower_some<ahead>(i, sample, best);
    for (; i < size_; i += BlockSize) lower_some<1>(i, sample, best);
    return best;
  }

  /// My best candidate.
  __device__ scored<scalar> best() const noexcept {
    scored<scalar> best{fps_taken<scalar>, no_index};
    for (std::uint32_t i = threadIdx.x; i < size_; i += BlockSize) {
      scalar const nearest = distances_[i];
      if (nearest > best.score) best = {nearest, static_cast<std::int32_t>(i)};
    }
    return best;
  }

  /// Makes a point no candidate any more.
  __device__ void take(std::int32_t index) noexcept {
    if (static_cast<unsigned>(index) % BlockSize == threadIdx.x) distances_[index] = fps_taken<scalar>;
  }

 private:
  /// Points whose loads are in flight together: four, or as many as 32 registers hold.
  static constexpr int fitting = 32 * 4 / (dim * int{sizeof(scalar)});
  static constexpr int ahead = fitting < 1 ? 1 : fitting < 4 ? fitting : 4;

  __device__ point_type point_at(std::uint32_t i) const noexcept {
    if constexpr (fps_streams_in_place<Points>) {
      return cloud_[i];
    } else {
      point_type point;
#pragma unroll
      for (int axis = 0; axis < dim; ++axis) point[axis] = (arrays_ + axis * pitch_)[i];
      return point;
    }
  }

  /// lower() for the points i, i + BlockSize, ...: loads all before it stores any, which the compiler may not do by
  /// itself.
  template <int Count>
  __device__ void lower_some(std::uint32_t i, point_type const& sample, scored<scalar>& best) noexcept {
    point_type point[Count];
    scalar old[Count];
#pragma unroll
    for (int k = 0; k < Count; ++k) {
      point[k] = point_at(i + k * BlockSize);
      old[k] = distances_[i + k * BlockSize];
    }
#pragma unroll
    for (int k = 0; k < Count; ++k) {
      std::uint32_t const at = i + k * BlockSize;
      scalar const lowered = min_number(distance2(point[k], sample), old[k]);
      if (lowered < old[k]) distances_[at] = lowered;
      if (lowered > best.score) best = {lowered, static_cast<std::int32_t>(at)};
    }
  }

  Points cloud_;
  std::uint32_t size_;
  index_t pitch_;
  scalar* arrays_;
  scalar* distances_;
};

}  // namespace detail
FARPOINT_END_NAMESPACE

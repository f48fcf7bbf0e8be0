/// @file
/// fps() by one block per cloud, in global memory, one sample per step: for every architecture, dimension and size.
///
/// The workspace stores the coordinates of all points as arrays, which a warp reads without gaps, and their distances.
/// If a point has 10 floats, 5 doubles or more, it stores the first coordinates only, with the distance at most 40
/// bytes. Their part of a distance is a lower bound, so that the other coordinates are read, from the cloud itself,
/// only for the few points that a sample may be nearest to.
///
/// Thread t owns the points t, t + BlockSize, t + 2 * BlockSize, ... and visits them by ascending index, so that the
/// first of several points at the largest distance is the best candidate.
#pragma once

#include <farpoint/block/block_argmax.hpp>
#include <farpoint/block/cuda_block.cuh>
#include <farpoint/detail/fps/kernel_args.cuh>
#include <farpoint/grid/kernel_launcher.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Maximum number of bytes of workspace per point.
inline constexpr std::size_t fps_max_point_bytes = 40;

/// Number of scalars of the workspace per point: coordinates, then the distance.
template <class Points>
inline constexpr int fps_global_memory_scalars =
    (Points::dim + 1) * sizeof(typename Points::scalar) <= fps_max_point_bytes
        ? Points::dim + 1
        : static_cast<int>(fps_max_point_bytes / sizeof(typename Points::scalar));

template <class Points>
struct fps_global_memory_args {
  using scalar = typename Points::scalar;

  fps_args<Points> call;
  scalar* arrays;  ///< `[fps_global_memory_scalars, points of the batch]`
};

/// A cloud of any size in global memory, for the block that samples it.
template <class Points, int BlockSize>
class fps_in_global_memory {
 public:
  using scalar = typename Points::scalar;
  using point_type = typename Points::point;
  static constexpr int dim = Points::dim;
  static constexpr int copied = fps_global_memory_scalars<Points> - 1;  ///< number of coordinates in the arrays

  __device__ fps_in_global_memory(fps_global_memory_args<Points> const& args, Points const& cloud) noexcept
      : cloud_{cloud},
        size_{static_cast<std::uint32_t>(cloud.size())},
        pitch_{args.call.clouds.points().size()},
        arrays_{args.arrays + args.call.clouds.begin_of(blockIdx.x)},
        distances_{arrays_ + copied * pitch_} {}

  /// Fills the arrays. Returns the number of the calling thread's points that are not finite.
  __device__ unsigned load() noexcept {
    unsigned bad = 0;
    for (std::uint32_t i = threadIdx.x; i < size_; i += BlockSize) {
      point_type const point = cloud_[i];
      scalar const start = fps_start(point);
      for (int axis = 0; axis < copied; ++axis) arrays_[axis * pitch_ + i] = point[axis];
      distances_[i] = start;
      bad += start < 0;
    }
    return bad;
  }

  /// Returns a point of the cloud.
  __device__ point_type position(std::int32_t index) const noexcept { return cloud_[index]; }

  /// Lowers the distances of the calling thread's points by a sample; returns the thread's best candidate.
  __device__ scored<scalar> lower(point_type const& sample) noexcept {
    scored<scalar> best{no_candidate<scalar>, no_winner};
    // Unsigned: the last step of a cloud of 2^31 - 1 points goes beyond what a signed index can hold.
    std::uint32_t i = threadIdx.x;
    for (; i + (ahead - 1) * BlockSize < size_; i += ahead * BlockSize) lower_some<ahead>(i, sample, best);
    for (; i < size_; i += BlockSize) lower_some<1>(i, sample, best);
    return best;
  }

  /// Returns the calling thread's best candidate.
  __device__ scored<scalar> best() const noexcept {
    scored<scalar> best{no_candidate<scalar>, no_winner};
    for (std::uint32_t i = threadIdx.x; i < size_; i += BlockSize) {
      scalar const nearest = distances_[i];
      if (nearest > best.score) best = {nearest, static_cast<std::int32_t>(i)};
    }
    return best;
  }

  /// Removes a point from the candidates; the thread that owns it acts.
  __device__ void take(std::int32_t index) noexcept {
    if (static_cast<unsigned>(index) % BlockSize == threadIdx.x) distances_[index] = no_candidate<scalar>;
  }

 private:
  /// Number of points whose loads are in flight together, limited by registers.
  static constexpr int ahead = copied < dim ? 2 : 4;

  /// Lowers the distances of the points i, i + BlockSize, ...: loads all before it stores any, an order that the
  /// compiler must not choose by itself.
  template <int Count>
  __device__ void lower_some(std::uint32_t i, point_type const& sample, scored<scalar>& best) noexcept {
    point_type point[Count];
    scalar old[Count];
#pragma unroll
    for (int k = 0; k < Count; ++k) {
#pragma unroll
      for (int axis = 0; axis < copied; ++axis) point[k][axis] = (arrays_ + axis * pitch_)[i + k * BlockSize];
      old[k] = distances_[i + k * BlockSize];
    }
    scalar distance[Count];
#pragma unroll
    for (int k = 0; k < Count; ++k) distance[k] = add_distance2<0, copied>(scalar(0), point[k], sample);
    if constexpr (copied < dim) {
#pragma unroll
      for (int k = 0; k < Count; ++k) {
        if (distance[k] < old[k]) {
          distance[k] = add_distance2<copied, dim>(distance[k], cloud_[i + k * BlockSize], sample);
        }
      }
    }
#pragma unroll
    for (int k = 0; k < Count; ++k) {
      std::uint32_t const at = i + k * BlockSize;
      scalar const lowered = min_number(distance[k], old[k]);
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

/// Returns the first sample of cloud b, or one with the score of no candidate.
template <class Points, class Cloud, class Argmax, class Group>
__device__ scored<typename Points::scalar> fps_take_first(fps_args<Points> const& args, index_t b, Points const& cloud,
                                                          Cloud& mine, Argmax argmax, Group const& block) noexcept {
  using scalar = typename Points::scalar;
  bool const any = fps_for_each_chosen(args, b, cloud, [&](index_t index) {
    mine.take(static_cast<std::int32_t>(index));
    mine.lower(cloud[index]);
  });
  if (any) return argmax.reduce(block, mine.best());
  if (cloud.size() == 0) return {no_candidate<scalar>, no_winner};
  fps_first const first = fps_first_sample(args, b, cloud, threadIdx.x == 0);
  if (!first.has_cloud) return {no_candidate<scalar>, no_winner};
  if (first.index >= 0) return {not_yet_measured<scalar>, static_cast<std::int32_t>(first.index)};
  return argmax.reduce(block, mine.best());
}

/// Writes the samples of a cloud. Thread t keeps the samples t, t + BlockSize, ... until all threads have one, and then
/// all write together: a thread that wrote each sample at once would delay the block every time.
template <class Points, int BlockSize>
class fps_writer {
 public:
  using scalar = typename Points::scalar;

  __device__ fps_writer(fps_args<Points> const& args, index_t b) noexcept : args_{args}, b_{b} {}

  __device__ void add(index_t slot, scored<scalar> const& sample) noexcept {
    if (turn_ == static_cast<int>(threadIdx.x)) kept_ = sample;
    if (++turn_ < BlockSize) return;
    turn_ = 0;
    write(slot - (BlockSize - 1) + threadIdx.x);
  }

  /// Writes the samples that are kept, of `count` in all, and padding behind them.
  __device__ void finish(index_t count) const noexcept {
    if (static_cast<int>(threadIdx.x) < turn_) write(count - turn_ + threadIdx.x);
    fps_finish<BlockSize>(args_, b_, count);
  }

 private:
  __device__ void write(index_t slot) const noexcept { args_.write(b_, slot, kept_.index, kept_.score); }

  fps_args<Points> const& args_;
  index_t b_;
  scored<scalar> kept_{no_candidate<scalar>, -1};
  int turn_ = 0;
};

/// Samples cloud blockIdx.x.
template <class Points, int BlockSize>
__global__ void __launch_bounds__(BlockSize) fps_global_memory_kernel(fps_global_memory_args<Points> const args) {
  using scalar = typename Points::scalar;
  using argmax_type = block_argmax<scalar, BlockSize>;
  __shared__ typename argmax_type::storage storage;
  argmax_type const argmax{storage};
  cuda_block<BlockSize> const block;

  if (fps_has_bad_offsets<BlockSize>(args.call, true)) return fps_leave_empty<BlockSize>(args.call);
  index_t const b = blockIdx.x;
  Points const cloud = args.call.clouds[b];
  fps_in_global_memory<Points, BlockSize> mine{args, cloud};
  fps_writer<Points, BlockSize> writer{args.call, b};
  count_in_report(args.call.output.report, &fps_report::non_finite, mine.load());
  scored<scalar> sample = fps_take_first(args.call, b, cloud, mine, argmax, block);

  index_t count = 0;
  // The score of no candidate is negative and stop2 is not: running out of points ends the loop too.
  while (!(sample.score < args.call.stop2)) {
    auto const position = mine.position(sample.index);
    mine.take(sample.index);
    writer.add(count, sample);
    if (++count == args.call.params.samples) break;
    sample = argmax.reduce_in_turn(block, mine.lower(position), static_cast<int>(count));
  }
  writer.finish(count);
}

/// Enqueues the kernel. A separate function can be compiled once for several files.
template <class Points, int BlockSize>
FARPOINT_HIDDEN void fps_enqueue_global_memory(kernel_launcher& launcher,
                                               fps_global_memory_args<Points> const& args) noexcept {
  launcher.launch(fps_global_memory_kernel<Points, BlockSize>, static_cast<unsigned>(args.call.clouds.size()),
                  BlockSize, args);
}

}  // namespace detail
FARPOINT_END_NAMESPACE

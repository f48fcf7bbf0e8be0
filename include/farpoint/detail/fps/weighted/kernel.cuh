/// @file
/// fps_weighted() by one block per cloud, in global memory, one sample per step.
#pragma once

#include <farpoint/block/block_argmax.hpp>
#include <farpoint/block/cuda_block.cuh>
#include <farpoint/core/cuda_exec.cuh>
#include <farpoint/core/workspace.hpp>
#include <farpoint/detail/fps/kernel_args.cuh>
#include <farpoint/detail/fps/no_samples.cuh>
#include <farpoint/detail/fps/weighted/args.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Threads per block. A step loads every point of the cloud and ends with a barrier, so that it takes the time of the
/// slowest thread.
inline constexpr int fps_weighted_block_size = 1024;

template <class Points>
struct fps_weighted_kernel_args : fps_weighted_args<Points> {
  typename Points::scalar* arrays;  ///< `[dim + 1, points of the view]`: coordinates, and distances
};

/// Points of a cloud in global memory. Thread t owns the points t, t + BlockSize, ...
template <class Points>
class fps_weighted_in_memory {
 public:
  using scalar = typename Points::scalar;
  using point_type = typename Points::point;
  static constexpr int step = fps_weighted_block_size;

  __device__ fps_weighted_in_memory(fps_weighted_kernel_args<Points> const& args, index_t b,
                                    Points const& cloud) noexcept
      : args_{args},
        cloud_{cloud},
        weights_{args.weights_of(b)},
        arrays_{args.arrays + args.call.clouds.begin_of(b)},
        pitch_{args.call.clouds.points().size()},
        distances_{arrays_ + Points::dim * pitch_} {}

  /// Loads the calling thread's points; returns the number of points that the report counts.
  __device__ unsigned load() const noexcept {
    unsigned bad = 0;
    for (index_t i = threadIdx.x; i < cloud_.size(); i += step) {
      point_type const point = cloud_[i];
      for (int axis = 0; axis < Points::dim; ++axis) arrays_[axis * pitch_ + i] = point[axis];
      distances_[i] = args_.is_candidate(point, weights_[i]) ? not_yet_measured<scalar> : no_candidate<scalar>;
      bad += args_.is_bad(point, weights_[i]) ? 1 : 0;
    }
    return bad;
  }

  /// Returns the calling thread's best candidate, after lowering its distances by a sample if `Lowers` is true.
  template <bool Lowers>
  __device__ scored<scalar> best_after(point_type const& sample) const noexcept {
    scored<scalar> best{no_candidate<scalar>, no_winner};
    for (index_t i = threadIdx.x; i < cloud_.size(); i += step) {
      scalar distance = distances_[i];
      if (distance < 0) continue;
      if constexpr (Lowers) {
        point_type point;
#pragma unroll
        for (int axis = 0; axis < Points::dim; ++axis) point[axis] = (arrays_ + axis * pitch_)[i];
        scalar const lowered = args_.lowered(distance, distance2(point, sample));
        if (lowered < distance) distances_[i] = lowered;
        distance = lowered;
      }
      // Indices ascend, so that the lowest index of equal scores stays.
      scalar const score = args_.score(weights_[i], distance);
      if (score > best.score) best = {score, static_cast<std::int32_t>(i)};
    }
    return best;
  }

  /// Removes a point from the candidates, and writes it as sample `slot` of cloud b unless `slot` is negative. The
  /// thread that owns the point acts.
  __device__ void take(index_t index, index_t b, index_t slot) const noexcept {
    if (index % step != threadIdx.x) return;
    if (slot >= 0) args_.call.write(b, slot, index, distances_[index]);
    distances_[index] = no_candidate<scalar>;
  }

  __device__ bool is_candidate(index_t index) const noexcept {
    return args_.is_candidate(cloud_[index], weights_[index]);
  }

 private:
  fps_weighted_kernel_args<Points> const& args_;
  Points cloud_;
  scalar const* weights_;
  scalar* arrays_;
  index_t pitch_;
  scalar* distances_;
};

/// Lowers the distances by the chosen points, and returns the calling thread's best candidate for the first sample. All
/// threads return the same point if the caller named a valid first sample.
template <class Points>
__device__ scored<typename Points::scalar> fps_weighted_first(fps_args<Points> const& call, index_t b,
                                                              Points const& cloud,
                                                              fps_weighted_in_memory<Points> const& mine) noexcept {
  using scalar = typename Points::scalar;
  bool const any = fps_for_each_chosen(call, b, cloud, [&](index_t index) {
    mine.take(index, b, -1);
    static_cast<void>(mine.template best_after<true>(cloud[index]));
  });
  if (!any && cloud.size() > 0) {
    fps_first const first = fps_first_sample(call, b, cloud, threadIdx.x == 0);
    if (!first.has_cloud) return {no_candidate<scalar>, no_winner};
    if (first.index >= 0 && mine.is_candidate(first.index)) {
      return {not_yet_measured<scalar>, static_cast<std::int32_t>(first.index)};
    }
  }
  return mine.template best_after<false>({});
}

/// Samples cloud blockIdx.x.
template <class Points>
__global__ void __launch_bounds__(fps_weighted_block_size)
    fps_weighted_kernel(fps_weighted_kernel_args<Points> const args) {
  using scalar = typename Points::scalar;
  constexpr int threads = fps_weighted_block_size;
  using argmax_type = block_argmax<scalar, threads>;
  __shared__ typename argmax_type::storage storage;
  argmax_type const argmax{storage};
  cuda_block<threads> const block;
  auto const& call = args.call;
  index_t const b = blockIdx.x;
  if (fps_has_bad_offsets<threads>(call, true)) return fps_finish<threads>(call, b, 0);

  Points const cloud = call.clouds[b];
  fps_weighted_in_memory<Points> const mine{args, b, cloud};
  count_in_report(call.output.report, &fps_report::non_finite, mine.load());
  index_t const wanted = call.samples_of(b);
  scored<scalar> sample = argmax.reduce(block, fps_weighted_first(call, b, cloud, mine));
  index_t count = 0;
  while (sample.score >= 0 && count < wanted) {
    mine.take(sample.index, b, count);
    if (++count == wanted) break;
    scored<scalar> const best = mine.template best_after<true>(cloud[sample.index]);
    sample = argmax.reduce_in_turn(block, best, static_cast<int>(count));
  }
  fps_finish<threads>(call, b, count);
}

template <class Points>
std::size_t fps_weighted_cuda_bytes(index_t points) noexcept {
  return static_cast<std::size_t>(bounded_points(points)) * (Points::dim + 1) * sizeof(typename Points::scalar);
}

template <class Points>
FARPOINT_HIDDEN result fps_weighted_cuda(cuda_exec exec, fps_weighted_args<Points> const& args,
                                         bytes workspace) noexcept {
  auto const& call = args.call;
  std::size_t const needed = fps_weighted_cuda_bytes<Points>(call.clouds.points().size());
  if (result const checked = check_workspace(workspace, needed, FARPOINT_WORKSPACE_OF("fps_weighted")); !checked)
    return checked;
  kernel_launcher launcher{exec.stream};
  if (call.output.report != nullptr) launcher.clear(call.output.report, sizeof(fps_report));
  if (call.clouds.size() > 0 && call.params.samples > 0) {
    launcher.launch(fps_weighted_kernel<Points>, static_cast<unsigned>(call.clouds.size()), fps_weighted_block_size,
                    {args, reinterpret_cast<typename Points::scalar*>(workspace.data())});
  } else {
    fps_enqueue_no_samples(launcher, call.clouds, call.output);
  }
  return cuda_failure(launcher.error(), "fps_weighted: a kernel or a memset could not be enqueued");
}

}  // namespace detail
FARPOINT_END_NAMESPACE

/// @file
/// fps() by one block a cloud, in registers, several samples a step: for every architecture and dimension.
#pragma once

#include <farpoint/core/batch.hpp>
#include <farpoint/detail/fps/block_task.hpp>
#include <farpoint/detail/fps/count.cuh>
#include <farpoint/detail/fps/multi_sample_step.cuh>
#include <farpoint/detail/fps/start.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// A cloud of at most BlockSize * PointsPerThread points, and its samples so far.
template <class Points, int BlockSize, int PointsPerThread>
class fps_registers {
 public:
  using scalar = typename Points::scalar;
  using steps_type = multi_sample_step<scalar, Points::dim, PointsPerThread, BlockSize>;
  using storage = typename steps_type::storage;

  __device__ fps_registers(fps_block_args<Points> const& task, index_t b, Points const& cloud, storage& shared) noexcept
      : task_{task}, b_{b}, cloud_{cloud}, steps_{shared} {}

  __device__ void run() noexcept {
    load();
    steps_.prepare();
    bool const any = lower_to_chosen();
    bool more = cloud_.size() > 0 && (any || take_first());
    // The first step finds out how far the farthest point is.
    steps_.restart(not_yet_measured<scalar>);
    constexpr candidate_threshold<scalar> nothing{no_candidate<scalar> / 2, 0};
    while (more && count_ < task_.params.samples) {
      index_t const room = task_.params.samples - count_;
      auto const step = steps_.step(nothing, task_.stop2, static_cast<unsigned>(room < 32 ? room : 32),
                                    [&](unsigned place, auto const&, scalar distance, std::uint32_t index) {
                                      write(count_ + place, static_cast<std::int32_t>(index), distance);
                                    });
      count_ += step.count;
      more = !step.too_near && (step.more || step.count > 0);
    }
    finish();
  }

 private:
  __device__ void load() noexcept {
    unsigned bad = 0;
#pragma unroll
    for (int i = 0; i < PointsPerThread; ++i) {
      unsigned const index = steps_type::number_of(i);
      if (index >= static_cast<std::uint32_t>(cloud_.size())) continue;
      auto const point = cloud_[index];
      scalar const start = fps_start(point);
      bad += start < 0;
      steps_.set(i, point, start, index);
    }
    bad = cuda_warp::sum(bad);
    if (cuda_warp::lane() == 0) fps_count(task_.output.report, &fps_report::non_finite, bad);
  }

  /// Counts the chosen points as samples; false when there is none. All threads see the same.
  __device__ bool lower_to_chosen() noexcept {
    index_t const each = task_.params.chosen.size() / task_.clouds.size();
    bool any = false;
    for (index_t i = 0; i < each; ++i) {
      index_t const index = task_.params.chosen[b_ * each + i];
      if (index < -1 || index >= cloud_.size()) {
        if (threadIdx.x == 0) fps_count(task_.output.report, &fps_report::chosen_out_of_range, 1);
      } else if (index >= 0 && is_finite(cloud_[index])) {
        sample(index);
        any = true;
      }
    }
    return any;
  }

  /// False when there must be no sample.
  __device__ bool take_first() noexcept {
    index_t const first = task_.params.firsts.empty() ? task_.params.first : task_.params.firsts[b_];
    if (first < 0 || first >= cloud_.size()) {
      if (threadIdx.x == 0) fps_count(task_.output.report, &fps_report::first_out_of_range, 1);
      return false;
    }
    // A point that is not finite is passed over: the first step takes the lowest index then.
    if (!is_finite(cloud_[first])) return true;
    if (threadIdx.x == 0) write(0, first, not_yet_measured<scalar>);
    sample(first);
    count_ = 1;
    return true;
  }

  __device__ void sample(index_t index) noexcept {
    steps_.lower_to(cloud_[index]);
    steps_.take(static_cast<unsigned>(index));
  }

  __device__ void finish() const noexcept {
    for (index_t slot = count_ + threadIdx.x; slot < task_.params.samples; slot += BlockSize) {
      write(slot, -1, scalar(-1));
    }
    if (threadIdx.x == 0 && !task_.output.counts.empty()) task_.output.counts.set(b_, count_);
  }

  __device__ void write(index_t slot, index_t index, scalar distance) const noexcept {
    index_t const at = b_ * task_.params.samples + slot;
    task_.output.indices.set(at, index);
    if (!task_.output.distances.empty()) task_.output.distances[static_cast<std::size_t>(at)] = distance;
  }

  fps_block_args<Points> const& task_;
  index_t b_;
  Points const& cloud_;
  steps_type steps_;
  index_t count_ = 0;
};

/// Samples cloud blockIdx.x.
template <class Points, int BlockSize, int PointsPerThread>
__global__ void __launch_bounds__(BlockSize) fps_registers_kernel(fps_block_args<Points> const task) {
  using registers = fps_registers<Points, BlockSize, PointsPerThread>;
  __shared__ typename registers::storage storage;
  index_t const b = blockIdx.x;
  Points const cloud = task.clouds[b];
  if (cloud.size() <= task.above || cloud.size() > task.up_to) return;
  registers{task, b, cloud, storage}.run();
}

}  // namespace detail
FARPOINT_END_NAMESPACE

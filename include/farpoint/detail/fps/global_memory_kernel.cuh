/// @file
/// fps() by one block a cloud, in global memory, one sample a step: for every architecture, dimension and size.
#pragma once

#include <farpoint/block/block_argmax.hpp>
#include <farpoint/block/cuda_block.cuh>
#include <farpoint/detail/fps/count.cuh>
#include <farpoint/detail/fps/global_memory_cloud.cuh>
#include <farpoint/grid/kernel_launcher.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Counts the chosen points of cloud b as samples; false when there is none. All threads see the same.
template <class Points, class Cloud>
__device__ bool fps_lower_to_chosen(fps_block_args<Points> const& task, index_t b, Points const& cloud,
                                    Cloud& mine) noexcept {
  index_t const each = task.params.chosen.size() / task.clouds.size();
  bool any = false;
  for (index_t i = 0; i < each; ++i) {
    index_t const index = task.params.chosen[b * each + i];
    if (index < -1 || index >= cloud.size()) {
      if (threadIdx.x == 0) fps_count(task.output.report, &fps_report::chosen_out_of_range, 1);
      continue;
    }
    if (index == -1 || !is_finite(cloud[index])) continue;
    mine.take(static_cast<std::int32_t>(index));
    mine.lower(cloud[index]);
    any = true;
  }
  return any;
}

/// The sample that cloud b starts with, or one with the score of no candidate.
template <class Points, class Cloud, class Argmax, class Group>
__device__ scored<typename Points::scalar> fps_first_sample(fps_block_args<Points> const& task, index_t b,
                                                            Points const& cloud, Cloud& mine, Argmax argmax,
                                                            Group const& block) noexcept {
  using scalar = typename Points::scalar;
  if (fps_lower_to_chosen(task, b, cloud, mine)) return argmax.reduce(block, mine.best());
  index_t const first = task.params.firsts.empty() ? task.params.first : task.params.firsts[b];
  if (cloud.size() == 0) return {no_candidate<scalar>, no_winner};
  if (first < 0 || first >= cloud.size()) {
    if (threadIdx.x == 0) fps_count(task.output.report, &fps_report::first_out_of_range, 1);
    return {no_candidate<scalar>, no_winner};
  }
  if (is_finite(cloud[first])) return {not_yet_measured<scalar>, static_cast<std::int32_t>(first)};
  return argmax.reduce(block, mine.best());
}

/// Writes one cloud's samples: thread t keeps the samples t, t + BlockSize, ... until all threads have one, and then
/// all write together. One thread that writes each sample at once would hold up its warp, and so the block, every time.
template <class Points, int BlockSize>
class fps_writer {
 public:
  using scalar = typename Points::scalar;

  __device__ fps_writer(fps_block_args<Points> const& task, index_t b) noexcept
      : task_{task}, row_{b * task.params.samples} {}

  __device__ void add(index_t slot, scored<scalar> const& sample) noexcept {
    if (turn_ == static_cast<int>(threadIdx.x)) kept_ = sample;
    if (++turn_ < BlockSize) return;
    turn_ = 0;
    write(slot - (BlockSize - 1) + threadIdx.x, kept_.index, kept_.score);
  }

  /// Writes what is kept of `count` samples, and pads the rest of the row.
  __device__ void finish(index_t count) const noexcept {
    index_t const written = count - turn_;
    for (index_t slot = written + threadIdx.x; slot < task_.params.samples; slot += BlockSize) {
      bool const is_kept = slot < count;
      write(slot, is_kept ? kept_.index : -1, is_kept ? kept_.score : scalar(-1));
    }
  }

 private:
  __device__ void write(index_t slot, std::int32_t index, scalar distance) const noexcept {
    task_.output.indices.set(row_ + slot, index);
    if (!task_.output.distances.empty()) task_.output.distances[row_ + slot] = distance;
  }

  fps_block_args<Points> const& task_;
  index_t row_;
  scored<scalar> kept_{no_candidate<scalar>, -1};
  int turn_ = 0;
};

/// Samples cloud blockIdx.x.
template <class Points, int BlockSize>
__global__ void __launch_bounds__(BlockSize) fps_global_memory_kernel(fps_block_args<Points> const task) {
  using scalar = typename Points::scalar;
  using argmax_type = block_argmax<scalar, BlockSize>;
  __shared__ typename argmax_type::storage storage;
  argmax_type const argmax{storage};
  cuda_block<BlockSize> const block;

  index_t const b = blockIdx.x;
  Points const cloud = task.clouds[b];
  if (cloud.size() <= task.above || cloud.size() > task.up_to) return;

  fps_in_global_memory<Points, BlockSize> mine{task, cloud};
  fps_writer<Points, BlockSize> writer{task, b};
  fps_count(task.output.report, &fps_report::non_finite, mine.load());
  scored<scalar> sample = fps_first_sample(task, b, cloud, mine, argmax, block);

  index_t count = 0;
  // The score of no candidate is negative and stop2 is not: running out of points ends the loop too.
  while (!(sample.score < task.stop2)) {
    auto const position = mine.position(sample.index);
    mine.take(sample.index);
    writer.add(count, sample);
    if (++count == task.params.samples) break;
    sample = argmax.reduce_in_turn(block, mine.lower(position), static_cast<int>(count));
  }
  writer.finish(count);
  if (block.rank() == 0 && !task.output.counts.empty()) task.output.counts.set(b, count);
}

/// Enqueues the kernel, one block per cloud.
template <class Points, int BlockSize>
FARPOINT_HIDDEN cudaError_t fps_launch_stream(fps_block_args<Points> const& task, cudaStream_t stream) noexcept {
  cudaLaunchConfig_t launch{};
  launch.gridDim = dim3(static_cast<unsigned>(task.clouds.size()));
  launch.blockDim = dim3(BlockSize);
  launch.stream = stream;
  return launch_kernel(fps_global_memory_kernel<Points, BlockSize>, launch, task);
}

}  // namespace detail
FARPOINT_END_NAMESPACE

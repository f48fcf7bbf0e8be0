/// @file
/// Builds the BVHs of all clouds of a batch in one launch.
#pragma once

#include <farpoint/core/workspace.hpp>
#include <farpoint/detail/bvh/build_levels.cuh>
#include <farpoint/detail/bvh/order_points.cuh>
#include <farpoint/grid/device_properties.cuh>
#include <farpoint/grid/kernel_launcher.cuh>
#include <farpoint/tuning/knn.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Sorts the points, then fills leaves and boxes. The blocks are all resident and synchronise between the steps: for a
/// cloud of a hundred thousand points, launches would take longer than most of the steps.
template <class Points, int Threads, int Items, int Blocks>
__global__ void __launch_bounds__(Threads, Blocks) point_bvh_kernel(bvh_build_args<Points> const args) {
  using sorter = bvh_point_sorter<Points, Threads, Items>;
  __shared__ typename sorter::storage shared;
  grid_barrier barrier{static_cast<int>(blockIdx.x), static_cast<int>(gridDim.x), &args.state->arrivals};
  sorter{args, barrier, shared}.sort();
  bvh_level_builder<Points>{args, barrier}.fill();
}

/// Lays out the memory of BVHs and of building them, and enqueues.
template <class Selector, class Points>
class bvh_plan {
 public:
  using scalar = typename Points::scalar;
  using args_type = bvh_build_args<Points>;

  explicit bvh_plan(batch<Points> const& points) noexcept : points_{points} {}

  /// @param cutter  of the memory, at its start: what must be zero comes first
  args_type cut(workspace_cutter& cutter) const noexcept {
    index_t const size = points_.points().size();
    index_t const clouds = points_.size();
    args_type args{points_, {}, nullptr, nullptr, nullptr, {}, {}, nullptr, nullptr, {}};
    args.state = cutter.take<bvh_build_state>(1);
    args.extents = cutter.take<bvh_extent<scalar>>(clouds);
    args.index = cut_point_bvh<scalar>(cutter, size, clouds, points_.largest());
    args.order = cutter.take<std::uint32_t>(size);
    std::uint32_t* const words = reinterpret_cast<std::uint32_t*>(args.index.leaves);
    std::size_t const n = words == nullptr ? 0 : static_cast<std::size_t>(size);
    args.words[0] = {words, words + n};
    args.words[1] = {words + 2 * n, words + 3 * n};
    index_t const runs = size / (bvh_run_points + 1) + 1;
    for (auto& of_level : args.runs) of_level = cutter.take<bvh_run<scalar>>(runs);
    args.pieces = cutter.take<bvh_piece>(runs + size / bvh_piece_points);
    args.counters = cutter.take<std::uint32_t>(cooperative_radix_sort_workspace_words(useful_blocks()));
    args.bits = bvh_key_bits::of(static_cast<std::uint32_t>(points_.is_ragged() ? clouds + 1 : clouds), 8);
    return args;
  }

  /// Enqueues the build.
  cudaError_t launch(args_type const& args, cudaStream_t stream) const noexcept {
    auto const* const end = reinterpret_cast<unsigned char const*>(args.extents + points_.size());
    auto* const begin = reinterpret_cast<unsigned char*>(args.state);
    kernel_launcher launcher{stream};
    launcher.clear(begin, static_cast<std::size_t>(end - begin));
    launcher.then([&] {
      return points_.points().size() <= Selector::small_points ? launch_build<Selector::small_items>(args, stream)
                                                               : launch_build<Selector::large_items>(args, stream);
    });
    return launcher.error();
  }

 private:
  /// More blocks than any device holds at a time.
  static constexpr index_t most_blocks = 1024;

  /// Blocks that there is work for, and memory to count in.
  index_t useful_blocks() const noexcept {
    index_t const blocks = divide_up(points_.points().size(), index_t{Selector::build_points});
    return smaller(larger(blocks, index_t{1}), most_blocks);
  }

  // Defined outside of the class, so that it can be compiled once for several files: the kernel takes seconds.
  template <int Items>
  cudaError_t launch_build(args_type const& args, cudaStream_t stream) const noexcept;

  batch<Points> points_;
};

template <class Selector, class Points>
template <int Items>
cudaError_t bvh_plan<Selector, Points>::launch_build(args_type const& args, cudaStream_t stream) const noexcept {
  constexpr int threads = Selector::build_threads;
  constexpr auto kernel = point_bvh_kernel<Points, threads, Items, Selector::build_blocks>;
  int resident = 0;
  cudaError_t const error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, threads, 0);
  if (error != cudaSuccess) return error;
  index_t const most = index_t{device_properties::multiprocessor_count()} * resident;
  cudaLaunchAttribute cooperative{};
  cooperative.id = cudaLaunchAttributeCooperative;
  cooperative.val.cooperative = 1;
  cudaLaunchConfig_t config = launch_config(static_cast<unsigned>(smaller(useful_blocks(), most)), threads, stream);
  config.attrs = &cooperative;
  config.numAttrs = 1;
  return launch_kernel(kernel, config, args);
}

}  // namespace detail
FARPOINT_END_NAMESPACE

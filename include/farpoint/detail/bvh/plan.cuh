/// @file
/// Builds the BVHs of all clouds of a batch in one launch.
#pragma once

#include <farpoint/core/cuda_exec.cuh>
#include <farpoint/core/workspace.hpp>
#include <farpoint/detail/bvh/build_levels.cuh>
#include <farpoint/detail/bvh/crowded_cells.cuh>
#include <farpoint/detail/bvh/point_keys.cuh>
#include <farpoint/grid/device_properties.cuh>
#include <farpoint/grid/kernel_launcher.cuh>
#include <farpoint/tuning/knn.hpp>

#include <iterator>
#include <utility>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Puts points in order. The blocks of a grid share the phases; all threads of all blocks call every function, in step.
///
/// Points are sorted by cloud and by cell, 256 cells to the longest side of a cloud. Runs of more than
/// bvh_run_points points that are in one cell are sorted again, by cells of their own. So a stray point far away, or a
/// dense part of a cloud, costs another sort of some points, and not the order.
/// @tparam Sorter  a phased_radix_sort
template <class Points, int Threads, class Sorter>
class bvh_point_sorter {
  using keys_type = bvh_point_keys<Points, Threads, Sorter>;
  using cells_type = bvh_crowded_cells<Points, Threads, Sorter>;

 public:
  /// Maximum number of phases.
  static constexpr int phase_count =
      keys_type::phase_count + (bvh_levels + 1) * (radix_passes(32) + cells_type::phase_count);

  struct storage {
    union {
      typename Sorter::storage sorter;
      typename keys_type::storage keys;
    };
    std::uint64_t curve[hilbert_table::ways];
  };

  __device__ bvh_point_sorter(bvh_build_args<Points> const& args, grid_phases& phases, storage& shared) noexcept
      : args_{args}, phases_{phases}, shared_{shared}, sorter_{args.counters, shared.sorter}, curve_{shared.curve} {
    if (threadIdx.x < hilbert_table::ways)
      shared.curve[threadIdx.x] = hilbert_table::row(static_cast<int>(threadIdx.x));
  }

  __device__ void sort() noexcept {
    // An even number of passes ends where it began.
    bool const is_even = radix_passes(args_.bits.all()) % 2 == 0;
    radix_words const home{args_.words[0].keys, args_.order};
    radix_words from = is_even ? home : args_.words[1];
    radix_words to = is_even ? args_.words[1] : home;
    bvh_sort_context<Points, Sorter> const build{args_, phases_, sorter_, curve_};
    keys_type keys{build};
    keys.measure(shared_.keys);
    keys.make(from.keys);
    cells_type cells{build};
    typename cells_type::level now{home, args_.size(), args_.bits, nullptr};
#pragma unroll 1
    for (int l = 0; true; ++l) {
      sorter_.sort(phases_, from, to, now.size, now.bits.all(), l > 0);
      if (!cells.find(now, l)) return;
      cells.gather(now, l);
      from = now.words;
      to = from.keys == args_.words[0].keys ? args_.words[1] : args_.words[0];
      if (radix_passes(now.bits.all()) % 2 != 0) now.words = to;
    }
  }

 private:
  bvh_build_args<Points> const& args_;
  grid_phases& phases_;
  storage& shared_;
  Sorter sorter_;
  hilbert_table curve_;
};

/// Sorts the points, then fills leaves and boxes, in phases that all blocks share. Separate launches would take longer
/// than most of the phases for a cloud of 100,000 points.
template <class Points, int Threads, int Items, int Blocks, int Window>
__global__ void __launch_bounds__(Threads, Blocks)
    point_bvh_kernel(__grid_constant__ bvh_build_args<Points> const args) {
  using sorter = bvh_point_sorter<Points, Threads, phased_radix_sort<Threads, Items, Window>>;
  __shared__ union {
    typename sorter::storage sorter;
    typename bvh_level_builder<Points, Threads>::storage builder;
  } shared;
  __shared__ grid_phases::storage phase;
  grid_phases phases{args.phases, phase};
  sorter{args, phases, shared.sorter}.sort();
  bvh_level_builder<Points, Threads>{args, phases, shared.builder}.fill();
}

/// Lays out the memory of BVHs and of their build, and enqueues the build.
template <class Selector, class Points>
class bvh_plan {
 public:
  using scalar = typename Points::scalar;
  using args_type = bvh_build_args<Points>;

  explicit bvh_plan(batch<Points> const& points) noexcept : points_{points} {}

  /// @param cutter  at the start of its memory: arrays that must be zero come first
  args_type cut(workspace_cutter& cutter) const noexcept {
    index_t const size = points_.points().size();
    index_t const clouds = points_.size();
    args_type args{points_, {}, nullptr, nullptr, nullptr, nullptr, {}, {}, nullptr, nullptr, nullptr, {}};
    args.state = cutter.take<bvh_build_state>(1);
    args.phases = cutter.take<grid_phase>(max_phases);
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
    args.counters = cutter.take<std::uint32_t>(sort_words(size));
    // A batch of several clouds gets the order, too, although only a single cloud uses it: the workspace of a batch
    // then suffices for one cloud with the batch's points.
    index_t const packets = size < Selector::packet_order_from ? 0 : max_packets(static_cast<std::uint32_t>(size));
    auto* const order = cutter.take<std::uint32_t>(packets);
    auto* const spreads = cutter.take<std::uint8_t>(packets);
    if (packets > 0 && clouds == 1 && args.index.boxes[bvh_packet_level] != nullptr) {
      args.index.packets = order;
      args.spreads = spreads;
    }
    args.bits = bvh_key_bits::of(static_cast<std::uint32_t>(points_.is_ragged() ? clouds + 1 : clouds), 8);
    return args;
  }

  /// Enqueues the build.
  cudaError_t launch(args_type const& args, cuda_exec exec) const noexcept {
    auto const* const end = reinterpret_cast<unsigned char const*>(args.extents + points_.size());
    auto* const begin = reinterpret_cast<unsigned char*>(args.state);
    kernel_launcher launcher{exec.stream};
    launcher.clear(begin, static_cast<std::size_t>(end - begin));
    launcher.then([&] { return launch_shape(args, exec, std::make_index_sequence<shapes>{}); });
    return launcher.error();
  }

 private:
  static constexpr std::size_t shapes = std::size(Selector::builds);
  /// Number of phases of a build, for every shape.
  static constexpr index_t max_phases = bvh_point_sorter<Points, 256, phased_radix_sort<256, 1, 1>>::phase_count +
                                        bvh_level_builder<Points, 256>::phase_count;

  static constexpr std::size_t shape_of(index_t points) noexcept {
    std::size_t shape = 0;
    while (shape + 1 < shapes && points >= Selector::builds[shape + 1].from) ++shape;
    return shape;
  }

  /// Words of the largest sort workspace for `points` or fewer points. Smaller clouds may have a shape with smaller
  /// tiles, which needs more words.
  static constexpr index_t sort_words(index_t points) noexcept {
    index_t most = 0;
    for (std::size_t shape = 0; shape <= shape_of(points); ++shape) {
      bool const is_last = shape == shape_of(points);
      index_t const size = is_last ? points : Selector::builds[shape + 1].from - 1;
      most = larger(most, phased_radix_sort_workspace_words(size, Selector::builds[shape].tile_size()));
    }
    return most;
  }

  template <std::size_t... Shape>
  cudaError_t launch_shape(args_type const& args, cuda_exec exec, std::index_sequence<Shape...>) const noexcept {
    cudaError_t error = cudaSuccess;
    static_cast<void>(
        ((shape_of(points_.points().size()) == Shape && (error = launch_build<Shape>(args, exec), true)) || ...));
    return error;
  }

  // Defined outside of the class so that one file can instantiate it for several files: the kernel compiles for
  // seconds.
  template <std::size_t Shape>
  cudaError_t launch_build(args_type const& args, cuda_exec exec) const noexcept;

  batch<Points> points_;
};

template <class Selector, class Points>
template <std::size_t Shape>
cudaError_t bvh_plan<Selector, Points>::launch_build(args_type const& args, cuda_exec exec) const noexcept {
  constexpr bvh_build_tuning tuning = Selector::builds[Shape];
  constexpr auto kernel = point_bvh_kernel<Points, tuning.block_size, tuning.items_per_thread,
                                           tuning.blocks_per_multiprocessor, tuning.window>;
  kernel_launcher launcher{exec.stream};
  index_t const useful = divide_up(points_.points().size(), index_t{Selector::build_points});
  // Further blocks than the device holds at once would do no harm, but would find no work.
  int const most = larger(device_properties::of(exec).multiprocessors, 1) * tuning.blocks_per_multiprocessor;
  launcher.launch(kernel, blocks_for(useful, 1, static_cast<unsigned>(most)), tuning.block_size, args);
  return launcher.error();
}

}  // namespace detail
FARPOINT_END_NAMESPACE

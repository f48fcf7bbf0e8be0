/// @file
/// fps() of clouds that are too large for one block's shared memory: sort all, then sample with the blocks of a grid.
#pragma once

#include <farpoint/core/limits.hpp>
#include <farpoint/core/workspace.hpp>
#include <farpoint/detail/fps/grid_kernel.cuh>
#include <farpoint/detail/fps/phased_order.cuh>
#include <farpoint/grid/kernel_launcher.cuh>
#include <farpoint/grid/radix_sort.cuh>
#include <farpoint/tuning/fps.hpp>
#include <farpoint/tuning/point_order.hpp>

#include <iterator>
#include <utility>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Lays out the workspace, and enqueues.
template <class Selector, class Points>
class fps_multi_block_plan {
 public:
  using config = fps_rounds_config<Points, Selector::group_block_size, Selector::group_list_size,
                                   fps_chunking<Selector::chunks.points, Selector::chunks.per_group>>;
  using scalar = typename Points::scalar;
  static constexpr int dim = Points::dim;
  using chunking = typename config::chunking;
  using partition = typename config::partition;

  fps_multi_block_plan(batch<Points> const& clouds, device_properties const& device) noexcept
      : clouds_{clouds}, device_{device}, points_{clouds.points().size()} {
    index_t const worth = larger<index_t>(points_ / Selector::grid_points_per_block, 1);
    blocks_ = static_cast<int>(smaller<index_t>(worth, larger(device.multiprocessors, 1)));
    groups_ = smaller<index_t>(clouds.size(), larger(blocks_ / 2, 1));
    plan_shared_memory();
  }

  /// Enough also on any part of this device that has some_multiprocessors or more.
  std::size_t bytes() const noexcept { return layout_of(cutter{}).size; }

  /// Enough for all batches within the limits.
  static std::size_t bytes_at_most(batch_limits const& limits, device_properties const& device) noexcept {
    fps_multi_block_plan plan{largest_batch<Points>(limits), device};
    plan.for_smaller_ = true;
    plan.global_boxes_ = 0;
    // Most chunks one block can get: with many lightly loaded blocks, or with the few of a small part of the device.
    index_t const few = 2 * divide_up(Selector::grid_points_per_block, index_t{chunking::chunk}) + 1;
    int const blocks = smaller(plan.blocks_, some_multiprocessors);
    index_t const fair = divide_up(chunking::chunks(limits.points), index_t{blocks});
    plan.blocks_ = larger(plan.blocks_, device.multiprocessors);
    plan.plan_global_boxes(4 * larger(few, fair) + 1, plan.shared_limit());
    return plan.bytes();
  }

  cudaError_t launch(fps_args<Points> const& args, unsigned char* workspace, cudaStream_t stream) const noexcept {
    arrays const a = layout_of(cutter{workspace});
    kernel_launcher launcher{stream};
    launcher.clear(workspace, a.zeros);
    enqueue_sort(launcher, a, args.output.report);
    fps_multi_block_args<config> common{args, {a.order, a.points, points_, a.boxes}, shared_bytes_};
    common.call.bad_offsets = a.bad_offsets;
    fps_grid_args<config> const all{common, a.meeting_points, a.exchanges, Selector::grid_points_per_block};
    cudaLaunchConfig_t how = launch_config(static_cast<unsigned>(blocks_), config::block_size, stream);
    how.dynamicSmemBytes = shared_bytes_;
    cudaLaunchAttribute cooperative{};
    cooperative.id = cudaLaunchAttributeCooperative;
    cooperative.val.cooperative = 1;
    how.attrs = &cooperative;
    how.numAttrs = 1;
    launcher.launch(fps_grid_kernel<config>, how, all);
    return launcher.error();
  }

 private:
  using cutter = basic_workspace_cutter<workspace_alignment>;

  struct arrays {
    fps_extent<dim>* extents;
    grid_exchange<scalar>* meeting_points;
    unsigned* bad_offsets;
    grid_phase* phases;
    std::size_t zeros;  ///< bytes of these four, at the front
    std::uint32_t* order;
    std::uint32_t* scratch;         ///< three words a point, for sorting
    std::uint32_t* sort_workspace;  ///< behind them
    scalar* points;                 ///< in the same place, when the scratch is not needed any more
    scalar* boxes;
    typename config::exchange* exchanges;
    std::size_t size;
  };

  arrays layout_of(cutter memory) const noexcept {
    arrays a{};
    a.extents = memory.template take<fps_extent<dim>>(clouds_.size());
    a.meeting_points = memory.template take<grid_exchange<scalar>>(groups_);
    a.bad_offsets = memory.template take<unsigned>(1);
    a.phases = memory.template take<grid_phase>(fps_order_phases);
    a.zeros = memory.used();
    a.order = memory.template take<std::uint32_t>(points_);
    cutter points = memory;
    cutter sorting = memory;
    a.points = points.template take<scalar>(points_ * (dim + 1));
    a.scratch = sorting.template take<std::uint32_t>(3 * points_);
    a.sort_workspace = sorting.template take<std::uint32_t>(sort_workspace_words());
    memory = points.used() > sorting.used() ? points : sorting;
    a.boxes = memory.template take<scalar>(global_boxes_);
    a.exchanges = memory.template take<typename config::exchange>(groups_);
    a.size = memory.used();
    return a;
  }

  static constexpr std::size_t order_shapes = std::size(Selector::order_blocks);

  bool is_order_phased() const noexcept {
    return points_ <= Selector::most_points_in_phases && clouds_.size() <= Selector::most_clouds_in_phases;
  }
  /// Shape of the blocks that find the order in phases: the first of which the device holds a block for each tile.
  std::size_t order_shape() const noexcept {
    std::size_t shape = 0;
    while (shape + 1 < order_shapes && points_ > fps_order_wave * Selector::order_blocks[shape].capacity()) ++shape;
    return shape;
  }
  /// Of all ways to put as many points in order, or fewer.
  index_t most_sort_workspace_words() const noexcept {
    auto most = static_cast<index_t>(radix_sort_workspace_words(static_cast<std::size_t>(points_)));
    for (std::size_t shape = 0; shape < order_shapes; ++shape) {
      index_t const capacity = Selector::order_blocks[shape].capacity();
      index_t const size = shape + 1 < order_shapes ? fps_order_wave * capacity : Selector::most_points_in_phases;
      most = larger(most, phased_radix_sort_workspace_words(smaller(points_, size), capacity));
    }
    return most;
  }
  index_t sort_workspace_words() const noexcept {
    if (for_smaller_) return most_sort_workspace_words();
    if (!is_order_phased()) {
      return static_cast<index_t>(radix_sort_workspace_words(static_cast<std::size_t>(points_)));
    }
    return phased_radix_sort_workspace_words(points_, Selector::order_blocks[order_shape()].capacity());
  }

  void enqueue_sort(kernel_launcher& launcher, arrays const& a, fps_report* report) const noexcept {
    // Points outside of all clouds of a ragged batch have numbers of their own.
    auto const bits = fps_key_bits::of<dim>(clouds_.is_ragged() ? clouds_.size() + 2 : clouds_.size());
    std::uint32_t* const other = a.scratch + 2 * points_;
    // An odd number of passes ends in the other buffer: the order must come out in its own array.
    bool const in_first = radix_sort_result(bits.all()) == 0;
    radix_words const from{a.scratch, in_first ? a.order : other};
    radix_words const to{a.scratch + points_, in_first ? other : a.order};
    unsigned long long* const reported = report == nullptr ? nullptr : &report->bad_offsets;
    point_order_args<Points> const args{clouds_, a.extents, from.keys, from.values, a.bad_offsets, reported, bits};
    if (is_order_phased()) {
      return enqueue_phases(launcher, {args, a.phases, a.sort_workspace, to}, std::make_index_sequence<order_shapes>{});
    }
    fps_enqueue_keys(launcher, args);
    launcher.then([&] {
      return radix_sort({{from.keys, to.keys},
                         {from.values, to.values},
                         a.sort_workspace,
                         static_cast<std::uint32_t>(points_),
                         bits.all()},
                        launcher.stream());
    });
  }

  template <std::size_t... Shape>
  void enqueue_phases(kernel_launcher& launcher, fps_phased_order_args<Points> const& args,
                      std::index_sequence<Shape...>) const noexcept {
    static_cast<void>(((order_shape() == Shape && (enqueue_phases_of<Shape>(launcher, args), true)) || ...));
  }
  template <std::size_t Shape>
  static void enqueue_phases_of(kernel_launcher& launcher, fps_phased_order_args<Points> const& args) noexcept {
    constexpr fps_block_tuning shape = Selector::order_blocks[Shape];
    fps_enqueue_order<Points, shape.block_size, shape.points_per_thread>(launcher, args);
  }

  /// Fewer are not worth workspace that all would have to have.
  static constexpr int some_multiprocessors = 8;

  /// Most chunks of a block's share of a cloud, of `blocks` in a grid.
  index_t most_chunks(int blocks) const noexcept {
    if (clouds_.size() == 1) return divide_up(chunking::chunks(clouds_.largest()), index_t{blocks});
    // Half of the blocks are shared out by points, rounded down: up to four times a fair share.
    return 4 * divide_up(chunking::chunks(points_), index_t{blocks}) + 1;
  }

  /// Bytes of shared memory that a block has for its share.
  std::size_t shared_limit() const noexcept {
    std::size_t const fixed = sizeof(typename config::shared) + 1024;
    auto const device = static_cast<std::size_t>(device_.shared_bytes);
    return device > fixed ? device - fixed : 0;
  }

  /// A block's share of a cloud goes into shared memory, or else its boxes, or else nothing.
  void plan_shared_memory() noexcept {
    std::size_t const limit = shared_limit();
    index_t const most = most_chunks(blocks_);
    std::size_t const all = partition::bytes(most);
    std::size_t const boxes = partition::box_bytes(most);
    bool const by_points = clouds_.size() > 1;
    shared_bytes_ = all <= limit ? all : by_points && boxes <= limit ? limit : boxes <= limit ? boxes : 0;
    plan_global_boxes(most_chunks(smaller(blocks_, some_multiprocessors)), limit);
  }

  /// Memory for boxes, if shared memory does not hold those of so many chunks.
  void plan_global_boxes(index_t chunks, std::size_t limit) noexcept {
    if (partition::box_bytes(chunks) > limit) {
      index_t const groups = fps_sorted_points<config>::groups_before(points_, clouds_.size(), blocks_);
      global_boxes_ = static_cast<index_t>(partition::box_bytes(groups * chunking::group) / sizeof(scalar));
    }
  }

  batch<Points> clouds_;
  device_properties device_;
  index_t points_;
  int blocks_ = 1;
  index_t groups_ = 0;            ///< of several blocks, that a grid can have
  std::size_t shared_bytes_ = 0;  ///< dynamic
  bool for_smaller_ = false;      ///< the memory is for all smaller batches, too
  index_t global_boxes_ = 0;      ///< scalars, for boxes that shared memory does not hold
};

}  // namespace detail
FARPOINT_END_NAMESPACE

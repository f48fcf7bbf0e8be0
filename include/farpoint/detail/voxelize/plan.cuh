/// @file
/// Which kernels serve a call of voxelize(), in which memory.
#pragma once

#include <farpoint/core/workspace.hpp>
#include <farpoint/detail/voxelize/bitmap_kernels.cuh>
#include <farpoint/detail/voxelize/sort_kernels.cuh>
#include <farpoint/grid/device_properties.cuh>
#include <farpoint/grid/kernel_launcher.cuh>
#include <farpoint/grid/radix_sort.cuh>
#include <farpoint/tuning/voxelize.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// Lays out the workspace, and enqueues. At least one cloud and one point.
template <class Selector, class Points>
class voxelize_plan {
 public:
  using scalar = typename Points::scalar;
  static constexpr int block_size = Selector::block_size;

  voxelize_plan(batch<Points> const& clouds, voxelize_params<scalar> const& params,
                voxelize_output<scalar> const& output) noexcept
      : task_{clouds, params, output}, multiprocessors_{device_properties::current().multiprocessors} {
    auto const points = static_cast<std::uint32_t>(clouds.points().size());
    task_.cells = params.grid.cells();
    std::uint64_t const keys = task_.cells * static_cast<std::uint64_t>(clouds.size());
    wide_ = keys >= 0xffffffffu;
    key_bits_ = bits_of(keys - 1);

    bool const has_lists = !output.list_points.empty() || !output.list_offsets.empty();
    bool const few_points = params.mode.max_points <= voxel_most_selected && !has_lists;
    voxelize_case c{points, clouds.size(), params.mode.max_points, few_points, multiprocessors_};
    c.bitmap_works = try_bitmap(points, !few_points);
    if (!c.bitmap_works || Selector::number(c) != voxelize_numbering::bitmap) limit_rows(points, false);
    c.select_works = few_points && (params.order != voxel_order::grid || task_.ranked);
    task_.sorted = !c.select_works || Selector::choose(c) == voxelize_algorithm::sort;
  }

  std::size_t bytes() const noexcept {
    voxelize_args<Points> task = task_;
    return lay_out(task, nullptr).end;
  }

  cudaError_t launch(unsigned char* workspace, cudaStream_t stream) const noexcept {
    return wide_ ? launch_keys<std::uint64_t>(workspace, stream) : launch_keys<std::uint32_t>(workspace, stream);
  }

 private:
  using task_type = voxelize_args<Points>;
  using kernel_type = void (*)(task_type const);

  /// Memory that two sorts use in turn.
  struct sort_memory {
    std::uint32_t* keys[2];
    std::uint32_t* values[2];
    std::uint32_t* workspace;  ///< of the sort
    std::size_t end;           ///< of the whole workspace
  };

  static int bits_of(std::uint64_t number) noexcept {
    int bits = 1;
    while (number >> bits != 0 && bits < 63) ++bits;
    return bits;
  }

  /// How many rows there can be, and how many voxels it takes to know all of them.
  void limit_rows(std::uint32_t points, bool bitmap) noexcept {
    index_t const each = task_.params.mode.max_voxels;
    index_t const clouds = task_.clouds.size();
    index_t const allowed = each > index_t{points} / clouds ? points : each * clouds;
    index_t const rows = task_.output.capacity < allowed ? task_.output.capacity : allowed;
    task_.row_limit = static_cast<std::uint32_t>(rows < index_t{points} ? rows : points);
    task_.no_row = (1u << bits_of(std::uint64_t{task_.row_limit} + 1)) - 1;
    task_.insert_blocks = blocks(points);
    std::uint64_t const in_flight = std::uint64_t{task_.insert_blocks} * block_size;
    bool const is_grid = task_.params.order == voxel_order::grid;
    bool const has_report = task_.output.report != nullptr;
    // Everything has to be found for the order of the grid, and counted for the report. And the first voxels of all
    // clouds are not the rows where each cloud has a limit.
    bool const first_are_rows = !is_grid && (clouds == 1 || each >= index_t{task_.row_limit});
    bool const stops_early =
        first_are_rows && task_.row_limit + in_flight < points && (!has_report || (bitmap && clouds == 1));
    task_.ranked = bitmap && is_grid;
    task_.counts_dropped = stops_early && has_report;
    task_.key_limit = stops_early ? task_.row_limit : voxel_none;
    task_.most_keys = stops_early ? static_cast<std::uint32_t>(task_.row_limit + in_flight) : points;
    if (task_.ranked && clouds == 1) task_.most_keys = task_.row_limit;
  }

  /// Plans for a bitmap.
  /// @return false if it is of no use, or its memory is not within the bound
  bool try_bitmap(std::uint32_t points, bool sorted) noexcept {
    limit_rows(points, !wide_);
    if (!task_.ranked && !task_.counts_dropped) return false;
    task_.sorted = sorted;
    index_t const groups = all_groups();
    is_flat_ = groups <= Selector::most_flat_groups;
    if (task_.counts_dropped) return is_flat_ && bytes() <= most_bytes();
    is_flat_ = is_flat_ && static_cast<double>(groups) <= Selector::flat_groups_per_point * points;
    if (is_flat_ && bytes() <= most_bytes()) return true;
    is_flat_ = false;
    return bytes() <= most_bytes();
  }

  /// What voxelize_workspace_bytes() promises.
  std::size_t most_bytes() const noexcept {
    auto const points = static_cast<std::size_t>(task_.clouds.points().size());
    return 64 * points + 8 * static_cast<std::size_t>(task_.clouds.size()) + 65536;
  }

  index_t all_cells() const noexcept { return static_cast<index_t>(task_.cells) * task_.clouds.size(); }
  index_t all_groups() const noexcept { return occupancy_bitmap::all_groups(all_cells()); }

  /// Blocks for `items` threads' worth of work: no more than stay on the device together.
  /// @param most  of a multiprocessor, if the kernel's registers allow no more
  unsigned blocks(std::uint64_t items, int most = Selector::blocks_per_multiprocessor) const noexcept {
    std::uint64_t const all = (items + block_size - 1) / block_size;
    int const each = most < Selector::blocks_per_multiprocessor ? most : Selector::blocks_per_multiprocessor;
    auto const together =
        static_cast<std::uint64_t>(multiprocessors_ > 0 ? multiprocessors_ : 1) * static_cast<unsigned>(each);
    return static_cast<unsigned>(all < 1 ? 1 : all < together ? all : together);
  }

  /// Groups of cells that a bitmap has a place for.
  index_t placed_groups() const noexcept {
    index_t const points = task_.clouds.points().size();
    return is_flat_ || all_groups() < points ? all_groups() : points;
  }

  /// What tells voxels apart: a table, a bitmap, or both.
  void lay_out_numbering(task_type& task, workspace_cutter& cutter) const noexcept {
    index_t const keys = task.most_keys;
    if (task.ranked) {
      task.cursors = cutter.take<std::uint32_t>(keys);
      index_t const words = is_flat_ ? 0 : occupancy_bitmap::top_words(all_cells());
      task.bitmap.top = cutter.take<std::uint64_t>(words);
      task.bitmap.top_ranks = cutter.take<std::uint32_t>(words);
      task.bitmap.groups = cutter.take<cell_group>(placed_groups());
      task.bitmap.ranks = cutter.take<std::uint32_t>(placed_groups() + 1);
      if (is_flat_) task.bitmap.top = nullptr;
      return;
    }
    index_t const table_buckets = wide_ ? keys : (2 * keys + 3) / 4;
    task.buckets = cutter.take<hash_map_bucket>(table_buckets);
    task.cursors = cutter.take<std::uint32_t>(table_buckets * (wide_ ? 2 : 4));
    task.bitmap.groups = cutter.take<cell_group>(task.counts_dropped ? all_groups() : 0);
  }

  sort_memory lay_out(task_type& task, unsigned char* workspace) const noexcept {
    index_t const points = task.clouds.points().size();
    index_t const clouds = task.clouds.size();
    index_t const keys = task.most_keys;
    index_t const key_words = wide_ ? 2 : 1;
    bool const drawn = task.params.points == voxel_points::random_subset;
    auto const tiles_of = [](index_t items) { return items / block_size + 1; };
    workspace_cutter cutter{workspace};
    task.state = cutter.take<voxelize_state>(1);
    task.tiles = cutter.take<std::uint64_t>(tiles_of(points));
    task.more_tiles = cutter.take<std::uint64_t>(task.sorted ? tiles_of(points) : 0);
    if (task.ranked) {
      task.group_tiles = cutter.take<std::uint64_t>(is_flat_ ? 0 : tiles_of(occupancy_bitmap::top_words(all_cells())));
      task.cell_tiles = cutter.take<std::uint64_t>(tiles_of(placed_groups()));
    }
    task.cloud_begin = cutter.take<std::uint32_t>(clouds + 1);
    task.cloud_row = cutter.take<std::uint32_t>(clouds + 1);
    task.pieces_done = cutter.take<std::uint32_t>(points / voxel_large + 1);
    task.slots = cutter.take<std::uint32_t>(points);
    task.places = cutter.take<std::uint32_t>(task.ranked && !task.sorted ? points : 0);
    task.voxel_keys = cutter.take<std::uint32_t>(keys * key_words);
    task.offsets = cutter.take<std::uint32_t>(keys + 1);
    workspace_cutter after = cutter;

    lay_out_numbering(task, cutter);
    if (!task.sorted) {
      // The bitmap has done its work when these are written; the table and the cursors have not.
      if (task.ranked) after.take<std::uint32_t>(keys);
      workspace_cutter& last = task.ranked ? after : cutter;
      task.large = last.take<std::uint32_t>(drawn ? points / 2 + 1 : points / voxel_small + 1);
      task.pieces = last.take<voxel_piece>(2 * points / voxel_large + 1);
      task.members = last.take<std::uint32_t>(points);
      return {{}, {}, nullptr, last.used() > cutter.used() ? last.used() : cutter.used()};
    }

    // The table, or the bitmap and the cursors, have done their work when these are written.
    task.row_keys = after.take<std::uint32_t>(index_t{task.row_limit} * key_words);
    task.row_of = after.take<std::uint32_t>(keys);
    task.row_offsets = after.take<std::uint32_t>(index_t{task.row_limit} + 1);
    task.large = after.take<std::uint32_t>(points / voxel_listed + 1);
    task.drawn = after.take<std::uint32_t>(drawn ? points / 2 + 1 : 1);
    sort_memory memory{};
    for (auto& buffer : memory.keys) buffer = after.take<std::uint32_t>(points);
    for (auto& buffer : memory.values) buffer = after.take<std::uint32_t>(points);
    memory.workspace =
        after.take<std::uint32_t>(static_cast<index_t>(radix_sort_workspace_words(static_cast<std::size_t>(points))));
    memory.end = after.used() > cutter.used() ? after.used() : cutter.used();
    return memory;
  }

  template <class Key>
  cudaError_t launch_keys(unsigned char* workspace, cudaStream_t stream) const noexcept {
    task_type task = task_;
    sort_memory const memory = lay_out(task, workspace);
    auto const points = static_cast<std::uint64_t>(task.clouds.points().size());
    launcher launch{stream};
    if (task.ranked) {
      launch_bitmap(launch, task);
    } else {
      launch_table<Key>(launch, task);
    }
    if (task.sorted) {
      launch_sort<Key>(launch, task, memory);
      return launch.error;
    }
    launch(voxelize_scatter_kernel<Points, block_size>, blocks(points) + 1, task);
    launch(voxelize_select_kernel<Points, Key, block_size>, blocks(points * voxel_group, select_blocks(block_size)),
           task);
    if (!task.output.point_voxel.empty()) {
      launch(voxelize_map_kernel<Points, Key, block_size>, blocks(points), task);
    }
    return launch.error;
  }

  /// Enqueues one kernel after another, until one is refused.
  struct launcher {
    cudaStream_t stream;
    cudaError_t error = cudaSuccess;

    void operator()(kernel_type kernel, unsigned grid, task_type const& task) noexcept {
      if (error != cudaSuccess) return;
      cudaLaunchConfig_t launch{};
      launch.gridDim = dim3(grid);
      launch.blockDim = dim3(block_size);
      launch.stream = stream;
      error = launch_kernel(kernel, launch, task);
    }
  };

  template <class Key>
  void launch_table(launcher& launch, task_type const& task) const noexcept {
    auto const points = static_cast<std::uint64_t>(task.clouds.points().size());
    launch(voxelize_clear_kernel<Points, Key, block_size>, blocks(2 * std::uint64_t{task.most_keys}), task);
    launch(voxelize_insert_kernel<Points, Key, block_size>, task.insert_blocks, task);
    if (task.key_limit != voxel_none) {
      launch(voxelize_find_kernel<Points, Key, block_size>, blocks(points), task);
    }
    launch(voxelize_number_kernel<Points, Key, block_size>, blocks(points / number_items), task);
  }

  void launch_bitmap(launcher& launch, task_type const& task) const noexcept {
    auto const points = static_cast<std::uint64_t>(task.clouds.points().size());
    auto const groups = static_cast<std::uint64_t>(placed_groups());
    unsigned const grid = blocks(points);
    launch(voxelize_clear_bits_kernel<Points, block_size>, blocks(is_flat_ ? 2 * groups : points), task);
    launch(voxelize_mark_kernel<Points, block_size>, grid, task);
    if (!is_flat_) {
      auto const words = static_cast<std::uint64_t>(occupancy_bitmap::top_words(all_cells()));
      launch(voxelize_rank_groups_kernel<Points, block_size>, blocks(words), task);
      launch(voxelize_mark_cells_kernel<Points, block_size>, grid, task);
    }
    launch(voxelize_rank_cells_kernel<Points, block_size>, blocks(groups / rank_items), task);
    launch(voxelize_count_kernel<Points, block_size>, grid, task);
    launch(voxelize_place_kernel<Points, block_size>, blocks(task.most_keys), task);
  }

  template <class Key>
  void launch_sort(launcher& launch, task_type task, sort_memory const& memory) const noexcept {
    auto const points = static_cast<std::uint32_t>(task.clouds.points().size());
    unsigned const grid = blocks(points);
    auto const sort = [&](std::uint32_t size, int bits, std::uint32_t const* device_size) {
      if (launch.error == cudaSuccess) {
        launch.error = radix_sort({{memory.keys[0], memory.keys[1]},
                                   {memory.values[0], memory.values[1]},
                                   memory.workspace,
                                   size,
                                   bits,
                                   device_size},
                                  launch.stream);
      }
      return radix_sort_result(bits);
    };
    if (!task.ranked) launch(voxelize_resolve_kernel<Points, Key, block_size>, grid, task);
    if (task.params.order == voxel_order::grid && !task.ranked) {
      // By the low half of the keys, then by the high one.
      int result = 0;
      for (task.shift = 0; task.shift < key_bits_; task.shift += 32) {
        int const bits = key_bits_ - task.shift < 32 ? key_bits_ - task.shift : 32;
        task.sort_keys = memory.keys[0];
        task.sort_values = memory.values[0];
        if (result != 0) {
          // A sort begins in the first buffers.
          if (launch.error == cudaSuccess) {
            launch.error = cudaMemcpyAsync(memory.values[0], memory.values[1], std::size_t{task.most_keys} * 4,
                                           cudaMemcpyDeviceToDevice, launch.stream);
          }
        }
        launch(voxelize_grid_keys_kernel<Points, Key, block_size>, grid, task);
        result = sort(task.most_keys, bits, &task.state->voxels);
      }
      task.order = memory.values[result];
    }
    launch(voxelize_arrange_kernel<Points, Key, block_size>, blocks(task.most_keys) + 1, task);
    task.sort_keys = memory.keys[0];
    task.sort_values = memory.values[0];
    launch(voxelize_point_keys_kernel<Points, block_size>, grid, task);
    task.members = memory.values[sort(points, bits_of(task.no_row), &task.state->sorted)];
    if (!task.output.list_points.empty() || !task.output.point_voxel.empty()) {
      launch(voxelize_lists_kernel<Points, block_size>, grid, task);
    }
    if (task.params.points == voxel_points::random_subset && !task.params.mode.is_dynamic()) {
      bool const few = task.params.mode.max_points <= voxel_most_selected;
      launch(few ? voxelize_draw_few_kernel<Points, block_size> : voxelize_draw_many_kernel<Points, block_size>, grid,
             task);
    }
    launch(voxelize_rows_kernel<Points, Key, block_size>, blocks(std::uint64_t{points} * voxel_group), task);
  }

  task_type task_;
  int multiprocessors_;
  int key_bits_ = 1;
  bool wide_ = false;
  bool is_flat_ = false;
};

}  // namespace detail
FARPOINT_END_NAMESPACE

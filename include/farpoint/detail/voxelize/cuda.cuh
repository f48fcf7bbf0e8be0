/// @file
/// The CUDA backend of voxelize(): checks the arguments, and enqueues the kernels of the plan.
#pragma once

#include <farpoint/core/cuda_exec.cuh>
#include <farpoint/core/profile_range.cuh>
#include <farpoint/detail/voxelize/bitmap_kernels.cuh>
#include <farpoint/detail/voxelize/check.hpp>
#include <farpoint/detail/voxelize/plan.cuh>
#include <farpoint/detail/voxelize/sort_kernels.cuh>
#include <farpoint/grid/bad_offsets.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// True for a call whose outputs are empty whatever the data are.
template <class Points>
bool voxelizes_nothing(batch<Points> const& clouds) noexcept {
  return clouds.size() == 0 || clouds.points().size() == 0;
}

/// Clears the outputs of a call without points.
template <class Points, class Scalar>
void clear_voxelize_output(kernel_launcher& launcher, batch<Points> const& clouds,
                           voxelize_output<Scalar> const& output) noexcept {
  auto const zero = [&launcher](index_span const& span, index_t count) {
    if (!span.empty()) launcher.clear(span.data(), static_cast<std::size_t>(count) * (span.wide() ? 8 : 4));
  };
  zero(output.voxel_count, 1);
  zero(output.voxel_offsets, clouds.size() + 1);
  zero(output.list_offsets, 1);
  if (output.report != nullptr) {
    launcher.clear(output.report, sizeof(voxelize_report));
    count_bad_offsets(launcher, clouds, nullptr, &output.report->bad_offsets);
  }
  // Every byte of -1 is 0xff. Points of a view that no cloud has are in no voxel.
  std::size_t const size = output.point_voxel.empty()
                               ? 0
                               : static_cast<std::size_t>(clouds.points().size()) * (output.point_voxel.wide() ? 8 : 4);
  if (size == 0) return;
  launcher.then([&] { return cudaMemsetAsync(output.point_voxel.data(), 0xff, size, launcher.stream()); });
}

/// Enqueues the kernels of a plan.
/// @tparam Key  of voxels: 32 bits, or 64 where the plan is wide
template <class Selector, class Points, class Key>
class voxelize_enqueue {
 public:
  static constexpr int block_size = Selector::block_size;
  using plan_type = voxelize_plan<Selector, Points>;

  voxelize_enqueue(plan_type const& plan, unsigned char* workspace, kernel_launcher& launcher) noexcept
      : plan_{plan}, layout_{plan.lay_out(workspace)}, launcher_{launcher} {}

  FARPOINT_HIDDEN void all() const noexcept {
    if (layout_.args.ranked) {
      number_by_bitmap();
    } else {
      number_by_table();
    }
    if (layout_.args.sorted) {
      write_sorted_rows();
    } else {
      write_selected_rows();
    }
  }

 private:
  index_t points() const noexcept { return layout_.args.clouds.points().size(); }

  template <class Args>
  FARPOINT_HIDDEN void launch(void (*kernel)(Args), unsigned blocks,
                              std::remove_const_t<Args> const& args) const noexcept {
    launcher_.launch(kernel, blocks, block_size, args);
  }

  FARPOINT_HIDDEN void number_by_table() const noexcept {
    voxelize_table_args<Points> const args{layout_.args, layout_.table};
    launch(voxelize_clear_kernel<Points, Key, block_size>, plan_.blocks(2 * index_t{args.most_keys}), args);
    launch(voxelize_insert_kernel<Points, Key, block_size>, args.insert_blocks, args);
    if (args.key_limit != voxel_none) {
      launch(voxelize_find_kernel<Points, Key, block_size>, plan_.blocks(points()), args);
    }
    launch(voxelize_number_kernel<Points, Key, block_size>, plan_.blocks(points() / voxel_number_items), args);
  }

  FARPOINT_HIDDEN void number_by_bitmap() const noexcept {
    voxelize_bitmap_args<Points> const args{layout_.args, layout_.bitmap};
    index_t const groups = plan_.placed_groups();
    unsigned const grid = plan_.blocks(points());
    launch(voxelize_clear_bits_kernel<Points, block_size>, plan_.blocks(plan_.is_flat() ? 2 * groups : points()), args);
    launch(voxelize_mark_kernel<Points, block_size>, grid, args);
    if (!plan_.is_flat()) {
      index_t const words = occupancy_bitmap::top_words(plan_.all_cells());
      launch(voxelize_rank_groups_kernel<Points, block_size>, plan_.blocks(words), args);
      launch(voxelize_mark_cells_kernel<Points, block_size>, grid, args);
    }
    launch(voxelize_rank_cells_kernel<Points, block_size>, plan_.blocks(groups / voxel_rank_items), args);
    launch(voxelize_count_kernel<Points, block_size>, grid, args);
    launch(voxelize_place_kernel<Points, block_size>, plan_.blocks(args.most_keys), args);
  }

  /// voxelize_algorithm::select.
  FARPOINT_HIDDEN void write_selected_rows() const noexcept {
    auto const& args = layout_.args;
    launch(voxelize_scatter_kernel<Points, block_size>, plan_.blocks(points()) + 1, args);
    auto select = &voxelize_select_kernel<Points, Key, block_size, false>;
    if constexpr (std::is_same_v<typename Points::scalar, double>) {
      if (has_double_features(args.output)) select = &voxelize_select_kernel<Points, Key, block_size, true>;
    }
    launch(select, plan_.blocks(points() * voxel_group, select_blocks(block_size)), args);
    if (!args.output.point_voxel.empty()) {
      launch(voxelize_map_kernel<Points, Key, block_size>, plan_.blocks(points()), args);
    }
  }

  /// voxelize_algorithm::sort.
  FARPOINT_HIDDEN void write_sorted_rows() const noexcept {
    voxelize_sort_args<Points> args{layout_.args, layout_.sort};
    auto const& memory = layout_.sort_memory;
    unsigned const grid = plan_.blocks(points());
    if (!args.ranked) launch(voxelize_resolve_kernel<Points, Key, block_size>, grid, args);
    if (args.params.order == voxel_order::grid && !args.ranked) args.order = sort_voxels(args);
    launch(voxelize_arrange_kernel<Points, Key, block_size>, plan_.blocks(args.most_keys) + 1, args);
    args.sort_keys = memory.keys[0];
    args.sort_values = memory.values[0];
    launch(voxelize_point_keys_kernel<Points, block_size>, grid, args);
    args.members = memory.values[sort(points(), bits_of(args.no_row), &args.state->sorted)];
    if (!args.output.list_points.empty() || !args.output.point_voxel.empty()) {
      launch(voxelize_lists_kernel<Points, block_size>, grid, args);
    }
    if (args.params.points == voxel_points::random_subset && !args.params.mode.is_dynamic()) {
      bool const few = args.params.mode.max_points <= voxel_most_selected;
      launch(few ? &voxelize_draw_few_kernel<Points, block_size> : &voxelize_draw_many_kernel<Points, block_size>, grid,
             args);
    }
    launch(voxelize_rows_kernel<Points, Key, block_size>, plan_.blocks(points() * voxel_group), args);
  }

  /// Sorts voxels by their keys: by the low half, then by the high one.
  /// @return the voxels in the order of the grid
  FARPOINT_HIDDEN std::uint32_t* sort_voxels(voxelize_sort_args<Points> args) const noexcept {
    auto const& memory = layout_.sort_memory;
    int result = 0;
    args.sort_keys = memory.keys[0];
    args.sort_values = memory.values[0];
    for (args.shift = 0; args.shift < plan_.key_bits(); args.shift += 32) {
      if (result != 0) {
        // A sort begins in the first buffers.
        launcher_.then([&] {
          return cudaMemcpyAsync(memory.values[0], memory.values[1], std::size_t{args.most_keys} * 4,
                                 cudaMemcpyDeviceToDevice, launcher_.stream());
        });
      }
      launch(voxelize_grid_keys_kernel<Points, Key, block_size>, plan_.blocks(points()), args);
      result = sort(args.most_keys, smaller(plan_.key_bits() - args.shift, 32), &args.state->voxels);
    }
    return memory.values[result];
  }

  /// Sorts by the lowest bits of the keys.
  /// @return which of the buffers has the result
  int sort(index_t size, int bits, std::uint32_t const* device_size) const noexcept {
    auto const& memory = layout_.sort_memory;
    launcher_.then([&] {
      return radix_sort({{memory.keys[0], memory.keys[1]},
                         {memory.values[0], memory.values[1]},
                         memory.sort_workspace,
                         static_cast<std::uint32_t>(size),
                         bits,
                         device_size},
                        launcher_.stream());
    });
    return radix_sort_result(bits);
  }

  plan_type const& plan_;
  voxelize_layout<Points> const layout_;
  kernel_launcher& launcher_;
};

/// voxelize() for cuda_exec.
/// @param notes  of one cloud by first occurrence: what else is wanted; with room for the rows of the output
template <class Selector, class Points>
result voxelize_cuda(cuda_exec exec, batch<Points> const& clouds,
                     voxelize_params<typename Points::scalar> const& params,
                     voxelize_output<typename Points::scalar> const& output, bytes workspace,
                     voxelize_row_notes const& notes = {}) noexcept {
  if (result const checked = check_voxelize(clouds, params, output); !checked) return checked;
  if (clouds.points().size() > voxelize_most_points || clouds.size() > voxelize_most_points) {
    return reject("voxelize: cuda_exec takes at most 2^30 points and clouds");
  }
  kernel_launcher launcher{exec.stream};
  if (voxelizes_nothing(clouds)) {
    clear_voxelize_output(launcher, clouds, output);
    return cuda_failure(launcher.error(), "voxelize: the outputs could not be cleared");
  }
  voxelize_plan<Selector, Points> const plan{clouds, params, output, notes};
  if (result const checked = check_workspace(workspace, plan.bytes(), FARPOINT_WORKSPACE_OF("voxelize")); !checked)
    return checked;
  if (plan.is_wide()) {
    voxelize_enqueue<Selector, Points, std::uint64_t>{plan, workspace.data(), launcher}.all();
  } else {
    voxelize_enqueue<Selector, Points, std::uint32_t>{plan, workspace.data(), launcher}.all();
  }
  return cuda_failure(launcher.error(), "voxelize: a kernel could not be launched");
}

}  // namespace detail
FARPOINT_END_NAMESPACE

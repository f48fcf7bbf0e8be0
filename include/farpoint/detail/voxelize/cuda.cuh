/// @file
/// The CUDA backend of voxelize(): checks the arguments, and enqueues the kernels of the plan.
#pragma once

#include <farpoint/core/cuda_exec.cuh>
#include <farpoint/core/profile_range.cuh>
#include <farpoint/detail/voxelize/bitmap_kernels.cuh>
#include <farpoint/detail/voxelize/check.hpp>
#include <farpoint/detail/voxelize/choose.hpp>
#include <farpoint/detail/voxelize/number_kernel.cuh>
#include <farpoint/detail/voxelize/select_kernel.cuh>
#include <farpoint/detail/voxelize/sort_kernels.cuh>
#include <farpoint/detail/voxelize/sorted_rows_kernels.cuh>
#include <farpoint/grid/bad_offsets.cuh>
#include <farpoint/grid/radix_sort.cuh>

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

/// Request and choice of a call, and its kernels. Requires at least one cloud and one point.
template <class Selector, class Points>
class voxelize_plan {
 public:
  static constexpr int block_size = Selector::block_size;
  static_assert(is_block_size(block_size),
                "farpoint: voxelize_selector::block_size must be whole warps, 32 to 1,024 threads");
  using scalar = typename Points::scalar;

  voxelize_plan(batch<Points> const& clouds, voxelize_params<scalar> const& params,
                voxelize_output<scalar> const& output) noexcept
      : params_{params}, output_{output}, input_{clouds, params.grid, params.grid.cells(), nullptr} {
    index_t const points = clouds.points().size();
    bool const has_lists = !output.list_points.empty() || !output.list_offsets.empty();
    request_ = {points,       clouds.size(), input_.cells, output.capacity,         params.mode,
                params.order, params.points, has_lists,    output.report != nullptr};
    request_.multiprocessors = device_properties::current().multiprocessors;
    request_.insert_blocks = blocks(points);
    request_.radix_sort_words = radix_sort_workspace_words(static_cast<std::size_t>(points));
    choice_ = choose<Selector>(request_);
  }

  std::size_t bytes() const noexcept { return lay_out(request_, choice_, nullptr).bytes; }

  /// Enqueues the kernels.
  /// @param memory  bytes() bytes
  FARPOINT_HIDDEN void enqueue(unsigned char* memory, kernel_launcher& launcher,
                               voxelize_row_notes const& notes) noexcept {
    layout_ = lay_out(request_, choice_, memory);
    launcher_ = &launcher;
    input_.state = layout_.state;
    if (choice_.has_bitmap()) {
      number_by_bitmap();
    } else {
      if (request_.has_wide_keys()) {
        fill_table<std::uint64_t>();
      } else {
        fill_table<std::uint32_t>();
      }
      number_by_table(notes);
    }
    if (choice_.sorts()) {
      write_sorted_rows();
    } else {
      write_selected_rows();
    }
  }

 private:
  /// Number of blocks for `threads` threads, at most the number that runs at once.
  /// @param most  maximum number of blocks of a multiprocessor, given the kernel's registers
  unsigned blocks(index_t threads, int most = Selector::blocks_per_multiprocessor) const noexcept {
    int const each = larger(1, smaller(most, int{Selector::blocks_per_multiprocessor}));
    return blocks_for(threads, block_size, static_cast<unsigned>(larger(request_.multiprocessors, 1) * each));
  }

  template <class View>
  FARPOINT_HIDDEN void launch(void (*kernel)(View), unsigned blocks,
                              std::remove_const_t<View> const& view) const noexcept {
    launcher_->launch(kernel, blocks, block_size, view);
  }
  /// Launches a kernel with a thread for each point, or with a stride.
  template <class View>
  FARPOINT_HIDDEN void launch_for_points(void (*kernel)(View), std::remove_const_t<View> const& view) const noexcept {
    launch(kernel, blocks(request_.points), view);
  }

  bool draws() const noexcept { return params_.points == voxel_points::random_subset; }
  bool maps_points() const noexcept { return !output_.point_voxel.empty(); }
  insertion_limit limit() const noexcept { return {layout_.state, choice_.key_limit, request_.insert_blocks}; }
  large_voxels large() const noexcept {
    // Eight lanes do not choose among more points than they hold.
    index_t const most = draws() ? smaller(params_.mode.max_points, index_t{voxel_small}) : voxel_small;
    return {layout_.state, layout_.selection.large, layout_.selection.pieces, static_cast<std::uint32_t>(most)};
  }
  voxel_numbers numbers() const noexcept {
    return {layout_.voxel_tiles, layout_.cells, layout_.offsets, layout_.cloud_begin, choice_.numbered_voxels, large()};
  }
  cloud_rows rows() const noexcept {
    return {layout_.state,     request_.clouds,       params_.mode.max_voxels, choice_.row_limit, layout_.cloud_begin,
            layout_.cloud_row, output_.voxel_offsets, output_.voxel_count,     output_.report};
  }
  row_view<Points> row() const noexcept {
    return {input_, rows(), params_.features, params_.mode.max_points, params_.points, params_.seed, output_};
  }

  /// @tparam Key  of voxels: 64 bits if the request has wide keys
  template <class Key>
  FARPOINT_HIDDEN void fill_table() const noexcept {
    auto const seed = hash_seed_of(params_);
    insert_view<Points> const view{
        input_,        output_.report,       limit(),        layout_.zeroed,      layout_.buckets,
        seed,          choice_.table_voxels, layout_.bitmap, layout_.point_voxel, layout_.counters,
        layout_.labels};
    launch(voxelize_clear_kernel<Points, Key, block_size>, blocks(2 * index_t{choice_.table_voxels}), view);
    launch(voxelize_insert_kernel<Points, Key, block_size>, request_.insert_blocks, view);
    if (choice_.key_limit != voxel_none) launch_for_points(voxelize_find_kernel<Points, Key, block_size>, view);
  }

  FARPOINT_HIDDEN void number_by_table(voxelize_row_notes const& notes) const noexcept {
    bool const has_readers = choice_.sorts() || maps_points();
    number_view<Points> const view{input_,         limit(), numbers(),         layout_.point_voxel, layout_.counters,
                                   layout_.labels, notes,   choice_.row_limit, choice_.sorts(),     has_readers};
    launch(voxelize_number_kernel<Points, block_size>, blocks(request_.points / voxel_number_items), view);
  }

  FARPOINT_HIDDEN void number_by_bitmap() const noexcept {
    auto* const point_voxel = layout_.point_voxel;
    bitmap_view<Points> const view{input_,
                                   output_.report,
                                   layout_.zeroed,
                                   numbers(),
                                   layout_.bitmap,
                                   request_.all_groups(),
                                   request_.top_words(),
                                   layout_.group_tiles,
                                   layout_.cell_tiles,
                                   layout_.counters,
                                   layout_.counter_sectors,
                                   point_voxel,
                                   point_voxel,
                                   layout_.point_rank};
    bool const is_flat = choice_.finder == voxel_finder::flat_bitmap;
    index_t const groups = choice_.bitmap_groups(request_);
    launch(voxelize_clear_bits_kernel<Points, block_size>, blocks(is_flat ? 2 * groups : request_.points), view);
    launch_for_points(voxelize_mark_kernel<Points, block_size>, view);
    if (!is_flat) {
      launch(voxelize_rank_groups_kernel<Points, block_size>, blocks(view.top_words), view);
      launch_for_points(voxelize_mark_cells_kernel<Points, block_size>, view);
    }
    launch(voxelize_rank_cells_kernel<Points, block_size>, blocks(groups / voxel_rank_items), view);
    launch_for_points(voxelize_count_kernel<Points, block_size>, view);
    launch(voxelize_place_kernel<Points, block_size>, blocks(choice_.numbered_voxels), view);
  }

  /// voxelize_algorithm::select.
  FARPOINT_HIDDEN void write_selected_rows() const noexcept {
    auto const& arrays = layout_.selection;
    scatter_view<Points> const scatter{input_,          rows(),           layout_.point_voxel, layout_.point_rank,
                                       layout_.offsets, layout_.counters, arrays.members};
    launch(voxelize_scatter_kernel<Points, block_size>, blocks(request_.points) + 1, scatter);
    select_view<Points> const view{row(), layout_.cells, layout_.offsets, arrays.members, large(), layout_.pieces_done};
    auto select = &voxelize_select_kernel<Points, block_size, false>;
    if constexpr (std::is_same_v<scalar, double>) {
      if (has_double_features(output_)) select = &voxelize_select_kernel<Points, block_size, true>;
    }
    launch(select, blocks(request_.points * voxel_group, select_blocks(block_size)), view);
    if (maps_points()) {
      launch_for_points(voxelize_map_kernel<Points, block_size>,
                        map_view<Points>{view, layout_.point_voxel, layout_.labels});
    }
  }

  /// voxelize_algorithm::sort.
  FARPOINT_HIDDEN void write_sorted_rows() const noexcept {
    auto const& arrays = layout_.sorting;
    arrange_view<Points> arrange{
        row(), arrays, layout_.cells, layout_.offsets, layout_.row_tiles, layout_.point_voxel, layout_.labels};
    if (choice_.has_bitmap()) {
      arrange.labels = nullptr;
    } else if (params_.order == voxel_order::grid) {
      arrange.order = request_.has_wide_keys() ? sort_voxels<std::uint64_t>() : sort_voxels<std::uint32_t>();
    }
    if (maps_points()) arrange.point_row = layout_.point_voxel;
    launch(voxelize_arrange_kernel<Points, block_size>, blocks(choice_.numbered_voxels) + 1, arrange);
    launch_for_points(voxelize_point_keys_kernel<Points, block_size>, arrange);
    int const sorted = sort(request_.points, bits_of(arrays.no_row), &layout_.state->totals.sorted);
    sorted_rows_view<Points> const view{row(), arrays, arrays.values[sorted], arrange.point_row};
    if (!output_.list_points.empty() || maps_points()) {
      launch_for_points(voxelize_lists_kernel<Points, block_size>, view);
    }
    if (draws() && !params_.mode.is_dynamic()) {
      bool const few = params_.mode.max_points <= voxel_max_selected;
      launch_for_points(
          few ? &voxelize_draw_few_kernel<Points, block_size> : &voxelize_draw_many_kernel<Points, block_size>, view);
    }
    launch(voxelize_rows_kernel<Points, block_size>, blocks(request_.points * voxel_group), view);
  }

  /// Sorts voxels by their keys: by the low half, then by the high one.
  /// @return the voxels in the order of the grid
  template <class Key>
  FARPOINT_HIDDEN std::uint32_t* sort_voxels() const noexcept {
    auto const& arrays = layout_.sorting;
    index_t const voxels = choice_.numbered_voxels;
    int result = 0;
    for (int shift = 0; shift < request_.key_bits(); shift += 32) {
      if (result != 0) {
        // A sort begins in the first buffers.
        launcher_->then([&] {
          return cudaMemcpyAsync(arrays.values[0], arrays.values[1], static_cast<std::size_t>(voxels) * 4,
                                 cudaMemcpyDeviceToDevice, launcher_->stream());
        });
      }
      launch_for_points(
          voxelize_grid_keys_kernel<Points, Key, block_size>,
          grid_keys_view<Points>{input_, layout_.cells.first_points, arrays.keys[0], arrays.values[0], shift});
      result = sort(voxels, smaller(request_.key_bits() - shift, 32), &layout_.state->totals.voxels);
    }
    return arrays.values[result];
  }

  /// Sorts by the lowest bits of the keys.
  /// @return which of the buffers has the result
  int sort(index_t size, int bits, std::uint32_t const* device_size) const noexcept {
    auto const& arrays = layout_.sorting;
    launcher_->then([&] {
      return radix_sort({{arrays.keys[0], arrays.keys[1]},
                         {arrays.values[0], arrays.values[1]},
                         arrays.workspace,
                         static_cast<std::uint32_t>(size),
                         bits,
                         device_size},
                        launcher_->stream());
    });
    return radix_sort_result(bits);
  }

  voxelize_params<scalar> const& params_;
  voxelize_output<scalar> const& output_;
  voxel_input<Points> input_;
  voxelize_request request_;
  voxelize_choice choice_;
  voxelize_layout layout_;
  kernel_launcher* launcher_ = nullptr;
};

/// voxelize() for cuda_exec.
/// @param notes  of one cloud by first occurrence: what else is wanted; with room for the rows of the output
template <class Selector, class Points>
result voxelize_cuda(cuda_exec exec, batch<Points> const& clouds,
                     voxelize_params<typename Points::scalar> const& params,
                     voxelize_output<typename Points::scalar> const& output, bytes workspace,
                     voxelize_row_notes const& notes = {}) noexcept {
  if (result const checked = check_voxelize(clouds, params, output); !checked) return checked;
  if (clouds.points().size() > voxelize_max_points || clouds.size() > voxelize_max_points) {
    return reject("voxelize: cuda_exec takes at most 2^30 points and clouds");
  }
  kernel_launcher launcher{exec.stream};
  if (voxelizes_nothing(clouds)) {
    clear_voxelize_output(launcher, clouds, output);
    return cuda_failure(launcher.error(), "voxelize: the outputs could not be cleared");
  }
  voxelize_plan<Selector, Points> plan{clouds, params, output};
  if (result const checked = check_workspace(workspace, plan.bytes(), FARPOINT_WORKSPACE_OF("voxelize")); !checked)
    return checked;
  plan.enqueue(workspace.data(), launcher, notes);
  return cuda_failure(launcher.error(), "voxelize: a kernel could not be launched");
}

}  // namespace detail
FARPOINT_END_NAMESPACE

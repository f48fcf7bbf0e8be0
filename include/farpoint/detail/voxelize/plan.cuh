/// @file
/// Choice of the kernels of a call of voxelize(), and the layout of its workspace.
#pragma once

#include <farpoint/core/workspace.hpp>
#include <farpoint/detail/voxelize/kernel_args.cuh>
#include <farpoint/grid/device_properties.cuh>
#include <farpoint/grid/kernel_launcher.cuh>
#include <farpoint/grid/radix_sort.cuh>
#include <farpoint/tuning/voxelize.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Memory that the sorts of a call share.
struct voxelize_sort_memory {
  std::uint32_t* keys[2] = {};
  std::uint32_t* values[2] = {};
  std::uint32_t* sort_workspace = nullptr;
};

/// Arguments of the kernels, with their arrays in the workspace.
template <class Points>
struct voxelize_layout {
  voxelize_args<Points> args;
  voxelize_table_part table = {};
  voxelize_bitmap_part bitmap = {};
  voxelize_sort_part sort = {};
  voxelize_sort_memory sort_memory = {};
  std::size_t bytes = 0;  ///< bytes of the workspace
};

/// Number of bits of a number, 1 to 63.
constexpr int bits_of(std::uint64_t number) noexcept {
  int bits = 1;
  while (number >> bits != 0 && bits < 63) ++bits;
  return bits;
}

/// Upper bound of workspace bytes that voxelize_workspace_bytes() documents.
constexpr std::size_t voxelize_most_bytes(index_t points, index_t clouds) noexcept {
  return 64 * static_cast<std::size_t>(points) + 8 * static_cast<std::size_t>(clouds) + 65536;
}

/// Chooses the kernels and lays out the workspace. Requires at least one cloud and one point.
template <class Selector, class Points>
class voxelize_plan {
 public:
  using scalar = typename Points::scalar;
  static constexpr int block_size = Selector::block_size;
  static_assert(is_block_size(block_size),
                "farpoint: voxelize_selector::block_size must be whole warps, 32 to 1,024 threads");

  voxelize_plan(batch<Points> const& clouds, voxelize_params<scalar> const& params,
                voxelize_output<scalar> const& output, voxelize_row_notes const& notes = {}) noexcept
      : args_{clouds, params, output}, multiprocessors_{device_properties::current().multiprocessors} {
    auto const points = static_cast<std::uint32_t>(clouds.points().size());
    args_.params.hash_seed = hash_seed_of(params);
    args_.notes = notes;
    args_.cells = params.grid.cells();
    std::uint64_t const keys = args_.cells * static_cast<std::uint64_t>(clouds.size());
    wide_ = keys >= 0xffffffffu;
    key_bits_ = bits_of(keys - 1);

    bool const has_lists = !output.list_points.empty() || !output.list_offsets.empty();
    bool const few_points = params.mode.max_points <= voxel_most_selected && !has_lists;
    voxelize_case c{points, clouds.size(), params.mode.max_points, few_points, multiprocessors_};
    c.bitmap_works = try_bitmap(points, !few_points);
    if (!c.bitmap_works || Selector::number(c) != voxelize_numbering::bitmap) limit_rows(points, false);
    c.select_works = few_points && (params.order != voxel_order::grid || args_.ranked);
    args_.sorted = !c.select_works || Selector::choose(c) == voxelize_algorithm::sort;
  }

  std::size_t bytes() const noexcept { return lay_out(nullptr).bytes; }

  /// True if the keys of voxels need 64 bits.
  bool is_wide() const noexcept { return wide_; }
  int key_bits() const noexcept { return key_bits_; }
  /// True if every group of cells has a slot in the bitmap.
  bool is_flat() const noexcept { return is_flat_; }
  index_t all_cells() const noexcept { return static_cast<index_t>(args_.cells) * args_.clouds.size(); }
  /// Number of groups of cells for which the bitmap has slots.
  index_t placed_groups() const noexcept {
    return is_flat_ ? all_groups() : smaller(all_groups(), args_.clouds.points().size());
  }

  /// Number of blocks for `threads` threads, at most the number that runs at once.
  /// @param most  maximum number of blocks of a multiprocessor, given the kernel's registers
  unsigned blocks(index_t threads, int most = Selector::blocks_per_multiprocessor) const noexcept {
    int const each = larger(1, smaller(most, int{Selector::blocks_per_multiprocessor}));
    return blocks_for(threads, block_size, static_cast<unsigned>(larger(multiprocessors_, 1) * each));
  }

  voxelize_layout<Points> lay_out(unsigned char* workspace) const noexcept {
    voxelize_layout<Points> layout{args_, table_};
    auto& args = layout.args;
    index_t const points = args.clouds.points().size();
    index_t const clouds = args.clouds.size();
    index_t const keys = args.most_keys;
    workspace_cutter cutter{workspace};
    args.state = cutter.take<voxelize_state>(1);
    args.tiles = cutter.take<std::uint64_t>(tiles_of(points));
    args.row_tiles = cutter.take<std::uint64_t>(args.sorted ? tiles_of(points) : 0);
    if (args.ranked) {
      index_t const words = is_flat_ ? 0 : tiles_of(occupancy_bitmap::top_words(all_cells()));
      layout.bitmap.group_tiles = cutter.take<std::uint64_t>(words);
      layout.bitmap.cell_tiles = cutter.take<std::uint64_t>(tiles_of(placed_groups()));
    }
    args.cloud_begin = cutter.take<std::uint32_t>(clouds + 1);
    args.cloud_row = cutter.take<std::uint32_t>(clouds + 1);
    args.select.pieces_done = cutter.take<std::uint32_t>(points / voxel_large + 1);
    args.ids = cutter.take<std::uint32_t>(points);
    args.select.places = cutter.take<std::uint32_t>(args.ranked && !args.sorted ? points : 0);
    args.voxel_keys = cutter.take<std::uint32_t>(keys * key_words());
    args.offsets = cutter.take<std::uint32_t>(keys + 1);

    workspace_cutter after = cutter;
    if (args.ranked) {
      lay_out_bitmap(layout, cutter);
    } else {
      lay_out_table(layout, cutter);
    }
    if (args.sorted) {
      // The table, or the bitmap and the cursors, are no longer needed when these arrays are written.
      lay_out_sort(layout, after);
    } else if (args.ranked) {
      // The bitmap is no longer needed when these arrays are written, but the cursors are.
      after.take<std::uint32_t>(keys);
      lay_out_select(args, after);
    } else {
      lay_out_select(args, cutter);
    }
    layout.bytes = larger(after.used(), cutter.used());
    return layout;
  }

 private:
  /// Sets the maximum number of rows, and the number of voxels that must be found to know all rows.
  void limit_rows(std::uint32_t points, bool bitmap) noexcept {
    index_t const each = args_.params.mode.max_voxels;
    index_t const clouds = args_.clouds.size();
    index_t const allowed = each > index_t{points} / clouds ? points : each * clouds;
    index_t const rows = smaller(args_.output.capacity, allowed);
    args_.row_limit = static_cast<std::uint32_t>(smaller(rows, index_t{points}));
    table_.insert_blocks = blocks(points);
    std::uint64_t const in_flight = std::uint64_t{table_.insert_blocks} * block_size;
    bool const is_grid = args_.params.order == voxel_order::grid;
    bool const has_report = args_.output.report != nullptr;
    // The insertion may stop early if the first voxels are the rows. They are not in the order of the grid, nor if
    // several clouds have limits of their own. A report needs the number of all voxels, which a bitmap counts.
    bool const first_are_rows = !is_grid && (clouds == 1 || each >= index_t{args_.row_limit});
    bool const stops_early =
        first_are_rows && args_.row_limit + in_flight < points && (!has_report || (bitmap && clouds == 1));
    args_.ranked = bitmap && is_grid;
    table_.counts_dropped = stops_early && has_report;
    table_.key_limit = stops_early ? args_.row_limit : voxel_none;
    args_.most_keys = stops_early ? static_cast<std::uint32_t>(args_.row_limit + in_flight) : points;
    if (args_.ranked && clouds == 1) args_.most_keys = args_.row_limit;
  }

  /// Plans the use of a bitmap.
  /// @return false if a bitmap has no use, or exceeds the bound on memory
  bool try_bitmap(std::uint32_t points, bool sorted) noexcept {
    limit_rows(points, !wide_);
    if (!args_.ranked && !table_.counts_dropped) return false;
    args_.sorted = sorted;
    index_t const groups = all_groups();
    is_flat_ = groups <= Selector::most_flat_groups;
    if (table_.counts_dropped) return is_flat_ && bytes() <= most_bytes();
    is_flat_ = is_flat_ && static_cast<double>(groups) <= Selector::flat_groups_per_point * points;
    if (is_flat_ && bytes() <= most_bytes()) return true;
    is_flat_ = false;
    return bytes() <= most_bytes();
  }

  std::size_t most_bytes() const noexcept {
    return voxelize_most_bytes(args_.clouds.points().size(), args_.clouds.size());
  }

  index_t all_groups() const noexcept { return occupancy_bitmap::all_groups(all_cells()); }
  index_t key_words() const noexcept { return wide_ ? 2 : 1; }
  bool is_drawn() const noexcept { return args_.params.points == voxel_points::random_subset; }
  static index_t tiles_of(index_t items) noexcept { return items / block_size + 1; }

  void lay_out_bitmap(voxelize_layout<Points>& layout, workspace_cutter& cutter) const noexcept {
    auto& bitmap = layout.bitmap.bitmap;
    layout.args.cursors = cutter.take<std::uint32_t>(layout.args.most_keys);
    index_t const words = is_flat_ ? 0 : occupancy_bitmap::top_words(all_cells());
    bitmap.top = cutter.take<std::uint64_t>(words);
    bitmap.top_ranks = cutter.take<std::uint32_t>(words);
    bitmap.groups = cutter.take<cell_group>(placed_groups());
    bitmap.ranks = cutter.take<std::uint32_t>(placed_groups() + 1);
    if (is_flat_) bitmap.top = nullptr;
  }

  void lay_out_table(voxelize_layout<Points>& layout, workspace_cutter& cutter) const noexcept {
    index_t const keys = layout.args.most_keys;
    index_t const buckets = wide_ ? keys : (2 * keys + 3) / 4;
    layout.args.buckets = cutter.take<hash_map_bucket>(buckets);
    index_t const points = layout.args.clouds.points().size();
    layout.args.cursors = cutter.take<std::uint32_t>(cursors_for(points));
    layout.args.lowest = cutter.take<std::uint32_t>(divide_up(points, index_t{4}) * 4);
    layout.table.bitmap.groups = cutter.take<cell_group>(table_.counts_dropped ? all_groups() : 0);
  }

  void lay_out_select(voxelize_args<Points>& args, workspace_cutter& cutter) const noexcept {
    index_t const points = args.clouds.points().size();
    args.select.large = cutter.take<std::uint32_t>(is_drawn() ? points / 2 + 1 : points / voxel_small + 1);
    args.select.pieces = cutter.take<voxel_piece>(2 * points / voxel_large + 1);
    args.select.members = cutter.take<std::uint32_t>(points);
  }

  void lay_out_sort(voxelize_layout<Points>& layout, workspace_cutter& cutter) const noexcept {
    index_t const points = layout.args.clouds.points().size();
    index_t const rows = layout.args.row_limit;
    auto& sort = layout.sort;
    sort.no_row = (1u << bits_of(static_cast<std::uint64_t>(rows) + 1)) - 1;
    sort.row_keys = cutter.take<std::uint32_t>(rows * key_words());
    sort.row_of = cutter.take<std::uint32_t>(layout.args.most_keys);
    sort.row_offsets = cutter.take<std::uint32_t>(rows + 1);
    sort.long_rows = cutter.take<std::uint32_t>(points / voxel_listed + 1);
    sort.drawn = cutter.take<std::uint32_t>(is_drawn() ? points / 2 + 1 : 1);
    auto& memory = layout.sort_memory;
    for (auto& buffer : memory.keys) buffer = cutter.take<std::uint32_t>(points);
    for (auto& buffer : memory.values) buffer = cutter.take<std::uint32_t>(points);
    memory.sort_workspace =
        cutter.take<std::uint32_t>(static_cast<index_t>(radix_sort_workspace_words(static_cast<std::size_t>(points))));
  }

  voxelize_args<Points> args_;
  voxelize_table_part table_ = {};
  int multiprocessors_;
  int key_bits_ = 1;
  bool wide_ = false;
  bool is_flat_ = false;
};

}  // namespace detail
FARPOINT_END_NAMESPACE

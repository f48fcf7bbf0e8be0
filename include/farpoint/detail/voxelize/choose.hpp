/// @file
/// Selection of the kernels of a call of voxelize() on a GPU: a function of the request alone.
#pragma once

#include <farpoint/detail/voxelize/layout.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Maximum number of rows: at most max_voxels for each cloud, and the capacity of the outputs.
constexpr std::uint32_t row_limit_of(voxelize_request const& request) noexcept {
  index_t const each = request.mode.max_voxels;
  index_t const allowed = each > request.points / request.clouds ? request.points : each * request.clouds;
  return static_cast<std::uint32_t>(smaller(smaller(request.capacity, allowed), request.points));
}

/// Maximum number of voxels in a table whose insertion ends once it has the voxels of all rows, or voxel_none if it
/// must not end. Rows must be the first voxels: they are not in the order of the grid, nor if several clouds have
/// limits of their own.
template <class Selector>
constexpr std::uint32_t limited_table_voxels(voxelize_request const& request) noexcept {
  std::uint32_t const rows = row_limit_of(request);
  index_t const in_flight = index_t{request.insert_blocks} * Selector::block_size;
  bool const first_are_rows = request.order == voxel_order::first_occurrence &&
                              (request.clouds == 1 || request.mode.max_voxels >= index_t{rows});
  return first_are_rows && rows + in_flight < request.points ? static_cast<std::uint32_t>(rows + in_flight)
                                                             : voxel_none;
}

/// True if a finder with a bitmap has a use for the call, and its size is reasonable. Keys must have 32 bits.
template <class Selector>
constexpr bool suits(voxel_finder finder, voxelize_request const& request) noexcept {
  auto const groups = static_cast<double>(request.all_groups());
  bool const is_grid = request.order == voxel_order::grid;
  bool const is_small = request.all_groups() <= Selector::max_flat_groups;
  if (request.has_wide_keys()) return false;
  if (finder == voxel_finder::deep_bitmap) return is_grid;
  if (finder == voxel_finder::flat_bitmap) {
    return is_grid && is_small && groups <= Selector::flat_groups_per_point * static_cast<double>(request.points);
  }
  // A report needs the number of all voxels, although the insertion ends early.
  return is_small && request.has_report && request.clouds == 1 && limited_table_voxels<Selector>(request) != voxel_none;
}

/// Inputs of the selector for a finder.
template <class Selector>
constexpr voxelize_case case_of(voxel_finder finder, voxelize_request const& request, bool bitmap_works) noexcept {
  bool const numbers_by_grid = finder == voxel_finder::flat_bitmap || finder == voxel_finder::deep_bitmap;
  bool const is_grid = request.order == voxel_order::grid;
  bool const select_works =
      request.mode.max_points <= voxel_max_selected && !request.has_lists && (!is_grid || numbers_by_grid);
  index_t const table_voxels = smaller(index_t{limited_table_voxels<Selector>(request)}, request.points);
  return {request.points, request.clouds, request.mode.max_points, select_works, request.multiprocessors, bitmap_works,
          is_grid,        table_voxels};
}

/// Choice for a finder that suits the call.
template <class Selector>
constexpr voxelize_choice choice_with(voxel_finder finder, voxelize_request const& request,
                                      bool bitmap_works) noexcept {
  auto const points = static_cast<std::uint32_t>(request.points);
  voxelize_case const c = case_of<Selector>(finder, request, bitmap_works);
  voxelize_choice choice;
  choice.finder = finder;
  choice.block_size = Selector::block_size;
  choice.row_limit = row_limit_of(request);
  if (c.select_works) choice.algorithm = Selector::choose(c);
  if (choice.has_bitmap()) {
    choice.numbered_voxels = request.clouds == 1 ? choice.row_limit : points;
    return choice;
  }
  bool const ends_early = limited_table_voxels<Selector>(request) != voxel_none &&
                          (!request.has_report || finder == voxel_finder::counting_table);
  if (ends_early) choice.key_limit = choice.row_limit;
  choice.table_voxels = ends_early ? limited_table_voxels<Selector>(request) : points;
  choice.numbered_voxels = choice.table_voxels;
  return choice;
}

/// Chooses the kernels of a call: a bitmap if one is useful, fits the bound on memory, and the selector prefers it; a
/// table otherwise.
template <class Selector>
voxelize_choice choose(voxelize_request const& request) noexcept {
  for (voxel_finder const finder :
       {voxel_finder::counting_table, voxel_finder::flat_bitmap, voxel_finder::deep_bitmap}) {
    if (!suits<Selector>(finder, request)) continue;
    voxelize_choice const choice = choice_with<Selector>(finder, request, true);
    if (lay_out(request, choice, nullptr).bytes > voxelize_max_bytes(request.points, request.clouds)) continue;
    bool const is_preferred = Selector::number(case_of<Selector>(finder, request, true)) == voxelize_numbering::bitmap;
    return is_preferred ? choice : choice_with<Selector>(voxel_finder::table, request, true);
  }
  return choice_with<Selector>(voxel_finder::table, request, false);
}

}  // namespace detail
FARPOINT_END_NAMESPACE

/// @file
/// Tuning of voxelize() on a GPU and on the host. It affects the speed, never a result.
#pragma once

#include <farpoint/core/types.hpp>

#include <cstdint>

FARPOINT_BEGIN_NAMESPACE

/// Method that gathers the points of each voxel; see docs/design/voxelize.md.
enum class voxelize_algorithm {
  select,  ///< scatters points to their voxel in any order and selects by index; up to 32 points per voxel
  sort     ///< sorts points by voxel; any number of points, and lists
};

constexpr char const* to_string(voxelize_algorithm algorithm) noexcept {
  return algorithm == voxelize_algorithm::select ? "select" : "sort";
}

/// Method that identifies voxels; see docs/design/voxelize.md.
enum class voxelize_numbering {
  table,  ///< hash table; grid order then needs a sort, and a report needs all voxels in the table
  bitmap  ///< one bit per cell of the grid: numbers voxels in grid order, and counts dropped voxels
};

constexpr char const* to_string(voxelize_numbering numbering) noexcept {
  return numbering == voxelize_numbering::table ? "table" : "bitmap";
}

/// Inputs of a selector's choice.
struct voxelize_case {
  index_t points;  ///< number of points of all clouds
  index_t clouds;
  index_t max_points;  ///< maximum number of points that a voxel keeps
  bool select_works;   ///< max_points is at most 32, no lists are requested, and the order needs no sort
  int multiprocessors;
  bool bitmap_works = false;   ///< a bitmap is useful for the call, and fits the bound of a workspace
  bool in_grid_order = false;  ///< rows are in the order of the grid; otherwise a bitmap only counts dropped voxels
  /// Maximum number of voxels in a table whose insertion ends early, which a report prevents without a bitmap; `points`
  /// if it cannot end early.
  index_t table_voxels = 0;

  friend constexpr bool operator==(voxelize_case const& a, voxelize_case const& b) noexcept {
    return a.points == b.points && a.clouds == b.clouds && a.max_points == b.max_points &&
           a.select_works == b.select_works && a.multiprocessors == b.multiprocessors &&
           a.bitmap_works == b.bitmap_works && a.in_grid_order == b.in_grid_order && a.table_voxels == b.table_voxels;
  }
  friend constexpr bool operator!=(voxelize_case const& a, voxelize_case const& b) noexcept { return !(a == b); }
  template <class Stream>
  friend Stream& operator<<(Stream& stream, voxelize_case const& c) {
    stream << "{points " << c.points << ", clouds " << c.clouds << ", max_points " << c.max_points << ", select_works "
           << c.select_works << ", multiprocessors " << c.multiprocessors << ", bitmap_works " << c.bitmap_works
           << ", in_grid_order " << c.in_grid_order << ", table_voxels " << c.table_voxels << '}';
    return stream;
  }
};

/// Default choice on a GPU. To change it, derive a struct, hide members, and pass it as voxelize()'s first template
/// argument.
struct voxelize_selector {
  /// Threads per block, in whole warps.
  static constexpr int block_size = 256;
  /// Blocks per multiprocessor: enough to keep loads in flight.
  static constexpr int blocks_per_multiprocessor = 8;

  /// Selects the algorithm. A choice that does not work for a call is ignored; `sort` and `table` always work.
  static constexpr voxelize_algorithm choose(voxelize_case const& c) noexcept {
    return c.select_works ? voxelize_algorithm::select : voxelize_algorithm::sort;
  }
  static constexpr voxelize_numbering number(voxelize_case const& c) noexcept {
    bool const is_fast = c.in_grid_order || static_cast<double>(c.points) >=
                                                min_points_per_table_voxel * static_cast<double>(c.table_voxels);
    return c.bitmap_works && is_fast ? voxelize_numbering::bitmap : voxelize_numbering::table;
  }
  /// Points per voxel of the table from which a bitmap that counts dropped voxels is faster than a table of all voxels.
  /// h200, us with a report, bitmap and table: 1 M points (2.3 per voxel) of a sweep 126.8 and 116.6, uniform 99.5 and
  /// 97.5; 10 M (23) 323 and 991.
  static constexpr double min_points_per_table_voxel = 2.5;
  /// Limits on the size of a flat bitmap, which saves two launches: groups of 256 cells per point of the view, and in
  /// total. A larger one would cost a small frame in a large view too much.
  static constexpr double flat_groups_per_point = 1.25;  // h200: 271,156 points 66 us, else 80; 10 M 331, else 707
  static constexpr index_t max_flat_groups = index_t{1} << 20;
};

/// Distribution of a host call over threads.
struct voxelize_host_tuning {
  index_t points_per_thread = 20000;  ///< starting a thread takes as long as a few thousand points
  index_t chunk_points = 4096;        ///< minimum number of points per chunk, the unit of a pass over the points

  static constexpr int max_threads = 64;
  static constexpr int chunks_per_thread = 4;
  static constexpr index_t slots_per_point = 4;   ///< capacity of the table, which grows with the voxels
  static constexpr int block_points = 128;        ///< points whose slots are prefetched together
  static constexpr index_t rows_per_unit = 2048;  ///< output rows per unit of work

  friend constexpr bool operator==(voxelize_host_tuning const& a, voxelize_host_tuning const& b) noexcept {
    return a.points_per_thread == b.points_per_thread && a.chunk_points == b.chunk_points;
  }
  friend constexpr bool operator!=(voxelize_host_tuning const& a, voxelize_host_tuning const& b) noexcept {
    return !(a == b);
  }
  template <class Stream>
  friend Stream& operator<<(Stream& stream, voxelize_host_tuning const& t) {
    stream << "{points_per_thread " << t.points_per_thread << ", chunk_points " << t.chunk_points << '}';
    return stream;
  }
};

namespace detail {

/// Number of lanes that write a short row together.
inline constexpr int voxel_group = 8;
/// Maximum number of points of a voxel for a group of lanes, and for a warp.
inline constexpr std::uint32_t voxel_small = 16;
inline constexpr std::uint32_t voxel_large = 2048;
/// Maximum number of kept points of a row that eight lanes write after a sort.
inline constexpr std::uint32_t voxel_listed = 32;
/// Number of columns of a long row that a block sums at a time.
inline constexpr int voxel_long_columns = 8;

/// Number of points per thread when voxels are numbered. h100: 30,000 points 5.4 us, with 4 6.4, with 1 5.5; a million
/// uniform 25, with 4 and 1 28.
inline constexpr int voxel_number_items = 2;
/// Number of cell groups per thread when a bitmap is counted. h200, 324,000 groups: 7.9 us, with 4 9.3, with 1 9.4.
inline constexpr std::uint32_t voxel_rank_items = 2;

}  // namespace detail
FARPOINT_END_NAMESPACE

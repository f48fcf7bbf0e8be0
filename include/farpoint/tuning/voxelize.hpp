/// @file
/// What makes voxelize() fast, on a GPU and on the host. Nothing here changes a result.
#pragma once

#include <farpoint/core/types.hpp>

#include <cstdint>

FARPOINT_BEGIN_NAMESPACE

/// How the points of each voxel are brought together; see docs/design/voxelize.md.
enum class voxelize_algorithm {
  select,  ///< scattered to their voxel in any order, the kept ones selected by index; up to 32 points per voxel
  sort     ///< sorted by voxel; any number of points, and lists
};

constexpr char const* to_string(voxelize_algorithm algorithm) noexcept {
  return algorithm == voxelize_algorithm::select ? "select" : "sort";
}

/// How voxels are told apart; see docs/design/voxelize.md.
enum class voxelize_numbering {
  table,  ///< a hash table of voxels; the order of the grid is a sort then, and a report wants all voxels in the table
  bitmap  ///< a bit for each cell of the grid: numbers the voxels in the order of the grid, and counts those dropped
};

constexpr char const* to_string(voxelize_numbering numbering) noexcept {
  return numbering == voxelize_numbering::table ? "table" : "bitmap";
}

/// What a choice goes by.
struct voxelize_case {
  index_t points;  ///< of all clouds
  index_t clouds;
  index_t max_points;  ///< a voxel keeps
  bool select_works;   ///< max_points is at most 32, no lists are asked for, and nothing has to be sorted for the order
  int multiprocessors;
  bool bitmap_works = false;  ///< the call has a use for a bitmap, and its memory is within the bound of a workspace

  friend constexpr bool operator==(voxelize_case const& a, voxelize_case const& b) noexcept {
    return a.points == b.points && a.clouds == b.clouds && a.max_points == b.max_points &&
           a.select_works == b.select_works && a.multiprocessors == b.multiprocessors &&
           a.bitmap_works == b.bitmap_works;
  }
  friend constexpr bool operator!=(voxelize_case const& a, voxelize_case const& b) noexcept { return !(a == b); }
  template <class Stream>
  friend Stream& operator<<(Stream& stream, voxelize_case const& c) {
    stream << "{points " << c.points << ", clouds " << c.clouds << ", max_points " << c.max_points << ", select_works "
           << c.select_works << ", multiprocessors " << c.multiprocessors << ", bitmap_works " << c.bitmap_works << '}';
    return stream;
  }
};

/// The default choice on a GPU. Derive a struct from it, hide what you want to change, and pass it as voxelize()'s
/// first template argument.
struct voxelize_selector {
  /// Threads of a block, in whole warps.
  static constexpr int block_size = 256;
  /// Blocks that a multiprocessor is given: what keeps enough loads in flight.
  static constexpr int blocks_per_multiprocessor = 8;

  /// A choice that does not work for a call is ignored; `sort` and `table` always work.
  static constexpr voxelize_algorithm choose(voxelize_case const& c) noexcept {
    return c.select_works ? voxelize_algorithm::select : voxelize_algorithm::sort;
  }
  static constexpr voxelize_numbering number(voxelize_case const& c) noexcept {
    return c.bitmap_works ? voxelize_numbering::bitmap : voxelize_numbering::table;
  }
  /// A bitmap is flat, two launches less, up to so many groups of 256 cells for each point of the view and altogether:
  /// more cost a small frame in a large view too much.
  static constexpr double flat_groups_per_point = 1.25;  // h200: 271,156 points 66 us, else 80; 10 M 331, else 707
  static constexpr index_t most_flat_groups = index_t{1} << 20;
};

/// How a call on the host is shared out among threads.
struct voxelize_host_tuning {
  index_t points_per_thread = 20000;  ///< starting a thread takes as long as a few thousand points
  index_t chunk_points = 4096;        ///< least points of a chunk, the unit of a pass over the points

  static constexpr int most_threads = 64;
  static constexpr int chunks_per_thread = 4;
  static constexpr index_t slots_per_point = 4;   ///< room for the table, which grows with the voxels
  static constexpr int block_points = 128;        ///< whose slots in the table are prefetched together
  static constexpr index_t rows_per_unit = 2048;  ///< of the outputs

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

/// Lanes that write a short row together.
inline constexpr int voxel_group = 8;
/// Largest number of points of a voxel that such a group handles, and that a warp does.
inline constexpr std::uint32_t voxel_small = 16;
inline constexpr std::uint32_t voxel_large = 2048;
/// Most kept points of a row that eight lanes write, after a sort.
inline constexpr std::uint32_t voxel_listed = 32;
/// Columns of a long row that a block adds up at a time.
inline constexpr int voxel_long_columns = 8;

/// Points that a thread looks at when voxels are numbered. h100: 30,000 points 5.4 us, with 4 6.4, with 1 5.5; a
/// million uniform 25, with 4 and 1 28.
inline constexpr int voxel_number_items = 2;
/// Groups of cells that a thread of a bitmap counts. h200, 324,000 groups: 7.9 us, with 4 9.3, with 1 9.4.
inline constexpr std::uint32_t voxel_rank_items = 2;

}  // namespace detail
FARPOINT_END_NAMESPACE

/// @file
/// Request and choice of a call of voxelize() on a GPU, and the layout of its workspace: values, which need no GPU.
///
/// A voxel has three names:
///
/// - *key*: its cell over the grids of all clouds.
/// - *id*: index of the point whose thread inserts the key into the hash table, the voxel's creator. It depends on the
///   order of threads. Ids make the arrays indexed by them local: a voxel's entry lies near the entries of its
///   creator's neighbors, which are mostly the points that access it.
/// - *number*: by first occurrence if a table finds the voxels, by key if a bitmap does.
///
/// Points are indexed from the first point of the first cloud, and voxels are numbered over all clouds.
#pragma once

#include <farpoint/container/hash_map_layout.hpp>
#include <farpoint/container/occupancy_bitmap.hpp>
#include <farpoint/core/workspace.hpp>
#include <farpoint/tuning/voxelize.hpp>
#include <farpoint/types/voxelize.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Marks a point without a voxel, a voxel without a row, and the absence of a limit.
inline constexpr std::uint32_t voxel_none = 0xffffffffu;

/// Maximum number of points of a voxel that voxelize_algorithm::select keeps: one per lane.
inline constexpr index_t voxel_max_selected = 32;

/// Number of bits of a number, 1 to 63.
constexpr int bits_of(std::uint64_t number) noexcept {
  int bits = 1;
  while (number >> bits != 0 && bits < 63) ++bits;
  return bits;
}

/// Upper bound of workspace bytes that voxelize_workspace_bytes() documents.
constexpr std::size_t voxelize_max_bytes(index_t points, index_t clouds) noexcept {
  return 64 * static_cast<std::size_t>(points) + 8 * static_cast<std::size_t>(clouds) + 65536;
}

/// Facts about a call that its kernels and its workspace depend on. At least one cloud and one point.
struct voxelize_request {
  index_t points = 1;
  index_t clouds = 1;
  std::uint64_t cells = 1;  ///< number of cells of one cloud's grid
  index_t capacity = 0;     ///< number of rows of the outputs
  voxel_mode mode = dynamic{};
  voxel_order order = voxel_order::first_occurrence;
  voxel_points kept_points = voxel_points::first;
  bool has_lists = false;
  bool has_report = false;
  int multiprocessors = 1;
  unsigned insert_blocks = 1;        ///< number of blocks of the kernel that fills the table
  std::size_t radix_sort_words = 0;  ///< size of the workspace of a radix sort of all points

  /// Keys are numbers of cells over the grids of all clouds.
  constexpr index_t all_cells() const noexcept { return static_cast<index_t>(cells) * clouds; }
  constexpr bool has_wide_keys() const noexcept { return all_cells() >= index_t{voxel_none}; }
  constexpr int key_bits() const noexcept { return bits_of(static_cast<std::uint64_t>(all_cells()) - 1); }
  constexpr index_t all_groups() const noexcept { return occupancy_bitmap::all_groups(all_cells()); }
  constexpr index_t top_words() const noexcept { return occupancy_bitmap::top_words(all_cells()); }
};

/// Structures that find the voxels.
enum class voxel_finder {
  table,           ///< hash table
  counting_table,  ///< hash table of the first voxels; a flat bitmap counts the others
  flat_bitmap,     ///< bitmap with an entry for each group of cells
  deep_bitmap      ///< bitmap with entries for groups with points only
};

/// Kernels of a call, and the limits that they observe.
struct voxelize_choice {
  voxel_finder finder = voxel_finder::table;
  voxelize_algorithm algorithm = voxelize_algorithm::sort;
  int block_size = 0;
  std::uint32_t row_limit = 0;  ///< maximum number of rows that are written
  /// Number of voxels in the table that ends the insertion, as voxels of later points are not written; voxel_none: all
  /// points are inserted.
  std::uint32_t key_limit = voxel_none;
  std::uint32_t table_voxels = 0;     ///< maximum number of voxels in the table; 0 without a table
  std::uint32_t numbered_voxels = 0;  ///< maximum number of voxels with a number; the others have no rows

  constexpr bool has_bitmap() const noexcept {
    return finder == voxel_finder::flat_bitmap || finder == voxel_finder::deep_bitmap;
  }
  constexpr bool sorts() const noexcept { return algorithm == voxelize_algorithm::sort; }
  /// Number of groups of cells for which the bitmap has entries.
  constexpr index_t bitmap_groups(voxelize_request const& request) const noexcept {
    return finder == voxel_finder::deep_bitmap ? smaller(request.all_groups(), request.points) : request.all_groups();
  }

  friend constexpr bool operator==(voxelize_choice const& a, voxelize_choice const& b) noexcept {
    return a.finder == b.finder && a.algorithm == b.algorithm && a.block_size == b.block_size &&
           a.row_limit == b.row_limit && a.key_limit == b.key_limit && a.table_voxels == b.table_voxels &&
           a.numbered_voxels == b.numbered_voxels;
  }
};

/// Word of 31 bits and a tag in the highest bit, so that one atomic access reads or replaces both.
/// @tparam Tag  enumeration with the values 0 and 1
template <class Tag>
struct tagged_word {
  std::uint32_t bits;

  FARPOINT_HD static constexpr tagged_word of(Tag tag, std::uint32_t value) noexcept {
    return {static_cast<std::uint32_t>(tag) << 31 | value};
  }
  FARPOINT_HD constexpr Tag tag() const noexcept { return static_cast<Tag>(bits >> 31); }
  FARPOINT_HD constexpr std::uint32_t value() const noexcept { return bits & 0x7fffffffu; }
};

/// Tags of a voxel's label. A label of voxel_none marks a voxel whose creator is its first point; numbers stay below.
enum class voxel_label : std::uint32_t {
  first_point,  ///< lowest point of the voxel, below its creator
  number        ///< number of the voxel
};

/// Tags of the word that says where a voxel's next member is written. An addition of points keeps the tag, as a call
/// has at most 2^30 points.
enum class voxel_end : std::uint32_t {
  open,    ///< index in members of the next point
  dropped  ///< the voxel gets no row
};

/// Part of a voxel with more than voxel_large points.
struct voxel_piece {
  std::uint32_t voxel;
  std::uint32_t piece;
  std::uint32_t number;  ///< index of the voxel among the voxels that are cut into pieces
};

/// Counters between the kernels.
struct voxelize_state {
  /// Progress of the insertion into the table.
  struct {
    /// One word, so that a block that takes a tile reads both halves at once. High half: tiles taken, without the first
    /// tile of each block. Low half: voxels created by finished tiles.
    std::uint64_t progress;
    std::uint32_t tiles;  ///< number of tiles inserted, without the first tile of each block; voxel_none: all tiles
  } insertion;
  /// Numbers of tiles taken by the scans.
  struct {
    std::uint32_t groups, cells, voxels, rows;
  } tickets;
  /// Results of numbering.
  struct {
    std::uint32_t bad_offsets;
    /// Deep bitmap: number of groups with an entry. Flat bitmap: number of leading groups up to and including the group
    /// of the first voxel without a number; voxel_none if all voxels have numbers.
    std::uint32_t groups;
    std::uint32_t voxels;      ///< number of numbered voxels
    std::uint32_t points;      ///< number of points in numbered voxels
    std::uint32_t unnumbered;  ///< number of voxels without a number
    std::uint32_t rows;        ///< number of rows written
    std::uint32_t sorted;      ///< number of points to sort
  } totals;
  /// Sizes of lists of voxels or rows with many points.
  struct {
    std::uint32_t large, pieces, cut, drawn;
  } lists;
};

/// Sources of the cells of voxels or of rows; one of the arrays exists.
struct voxel_cells {
  std::uint32_t* keys = nullptr;          ///< bitmap
  std::uint32_t* first_points = nullptr;  ///< table: the voxel's lowest point, from which its cell follows

  static voxel_cells take(workspace_cutter& cutter, bool are_keys, index_t size) noexcept {
    auto* const words = cutter.take<std::uint32_t>(size);
    return are_keys ? voxel_cells{words, nullptr} : voxel_cells{nullptr, words};
  }
};

/// Words that the first kernel of a call sets to zero.
struct zeroed_words {
  std::uint64_t* words = nullptr;
  index_t size = 0;

  /// The calling thread is thread `first` of `step` threads.
  FARPOINT_HD void clear(index_t first, index_t step) const noexcept {
    for (index_t i = first; i < size; i += step) words[i] = 0;
  }
};

/// Bits of a voxel's id or number that counter_of() exchanges with the next five.
inline constexpr std::uint32_t counter_sectors = 0xf8;
/// Number of voxels from which a bitmap swizzles its counters. Fewer are rarely crowded, and the bound of a workspace
/// has no room for a whole block of counters.
inline constexpr index_t voxel_swizzled = 8192;

/// Position of the counter of a voxel in an array by id or by number: swizzled, so that eight neighbors share a
/// 32-byte sector, and the next eight lie 1 KiB further, in another part of the L2 cache.
///
/// Crowded voxels are created by the first points of a cloud. Without the swizzle, many crowded voxels have
/// neighboring counters, to which all points add. Two ids per sector are faster for 200,000 points in 64 voxels (59 us
/// instead of 62), but slower for a sweep of a million points (129 us instead of 121, H200).
/// @param sectors  counter_sectors, or 0 for counters that are not swizzled
FARPOINT_HD FARPOINT_ALWAYS_INLINE constexpr std::uint32_t counter_of(
    std::uint32_t voxel, std::uint32_t sectors = counter_sectors) noexcept {
  return (voxel & ~(sectors << 5 | sectors)) | (voxel & sectors) << 5 | (voxel >> 5 & sectors);
}
/// Number of counters for voxels below `voxels`, a multiple of four.
FARPOINT_HD constexpr index_t counters_for(index_t voxels, std::uint32_t sectors = counter_sectors) noexcept {
  index_t const block = sectors == 0 ? 4 : 8192;
  return divide_up(voxels, block) * block;
}

/// Arrays of a call. Arrays that the choice has no use for are null or empty.
struct voxelize_layout {
  voxelize_state* state = nullptr;

  // The words of `zeroed` are these arrays.
  zeroed_words zeroed = {};
  std::uint64_t* voxel_tiles = nullptr;  ///< scan that numbers voxels, or reserves their members
  std::uint64_t* row_tiles = nullptr;    ///< scan over rows
  std::uint64_t* group_tiles = nullptr;  ///< scan over groups of cells
  std::uint64_t* cell_tiles = nullptr;   ///< scan over cells
  std::uint32_t* pieces_done = nullptr;  ///< by voxel that is cut: number of pieces done

  // Arrays of all phases.
  std::uint32_t* cloud_begin = nullptr;  ///< `[clouds + 1]`: first voxel of each cloud
  std::uint32_t* cloud_row = nullptr;    ///< `[clouds + 1]`: first row of each cloud
  std::uint32_t* point_voxel = nullptr;  ///< by point: key of its voxel, id or number; voxel_none if it has none
  std::uint32_t* point_rank = nullptr;   ///< by point, with a bitmap: rank of the point in its voxel
  voxel_cells cells = {};                ///< by number
  std::uint32_t* offsets = nullptr;      ///< by number: first entry in members; the next voxel's is the end

  std::uint32_t* labels = nullptr;  ///< by id, of a table: tagged_word<voxel_label>

  /// By counter_of() of an id or number: number of points of a voxel, and where its next member is written. Used until
  /// voxels have their numbers, in voxelize_algorithm::select until points are scattered.
  std::uint32_t* counters = nullptr;
  std::uint32_t counter_sectors = 0;  ///< argument of counter_of()

  // Arrays that find the voxels.
  hash_map_bucket* buckets = nullptr;
  occupancy_bitmap bitmap = {};

  /// Arrays of voxelize_algorithm::select, in the memory of the table or bitmap.
  struct selection_arrays {
    std::uint32_t* large = nullptr;    ///< voxels of more points than eight lanes take
    voxel_piece* pieces = nullptr;     ///< parts of the largest voxels
    std::uint32_t* members = nullptr;  ///< points by voxel
  } selection;

  /// Arrays of voxelize_algorithm::sort, in the memory of the counters, and of the table or bitmap.
  struct sorting_arrays {
    std::uint32_t no_row = 0;              ///< sort key of points without a row, above all rows
    voxel_cells cells = {};                ///< by row
    std::uint32_t* voxel_row = nullptr;    ///< by voxel: its row, or no_row
    std::uint32_t* row_offsets = nullptr;  ///< by row: first entry in members
    std::uint32_t* long_rows = nullptr;    ///< rows with more than voxel_listed kept points
    std::uint32_t* drawn_rows = nullptr;   ///< rows whose points are a random subset
    std::uint32_t* keys[2] = {};
    std::uint32_t* values[2] = {};
    std::uint32_t* workspace = nullptr;
  } sorting;

  std::size_t bytes = 0;  ///< size of the workspace
};

/// Cuts a workspace into the arrays of a choice. Without memory, the result has the size only.
inline voxelize_layout lay_out(voxelize_request const& request, voxelize_choice const& choice,
                               unsigned char* memory) noexcept {
  index_t const points = request.points;
  index_t const numbered = choice.numbered_voxels;
  bool const has_bitmap = choice.has_bitmap();
  bool const is_deep = choice.finder == voxel_finder::deep_bitmap;
  bool const has_groups = choice.finder != voxel_finder::table;
  index_t const groups = has_groups ? choice.bitmap_groups(request) : 0;
  index_t const top_words = is_deep ? request.top_words() : 0;
  index_t const max_drawn = request.kept_points == voxel_points::random_subset ? points / 2 + 1 : 0;
  auto const tiles_of = [&choice](index_t items) { return items == 0 ? 0 : items / choice.block_size + 1; };

  voxelize_layout all;
  workspace_cutter cutter{memory};
  all.state = cutter.take<voxelize_state>(1);
  all.zeroed.words = cutter.take<std::uint64_t>(0);
  std::size_t const zeroed_from = cutter.used();
  all.voxel_tiles = cutter.take<std::uint64_t>(tiles_of(points));
  all.row_tiles = cutter.take<std::uint64_t>(choice.sorts() ? tiles_of(points) : 0);
  all.group_tiles = cutter.take<std::uint64_t>(tiles_of(top_words));
  all.cell_tiles = cutter.take<std::uint64_t>(has_bitmap ? tiles_of(groups) : 0);
  all.pieces_done = cutter.take<std::uint32_t>(choice.sorts() ? 0 : points / voxel_large + 1);
  all.zeroed.size = static_cast<index_t>((cutter.used() - zeroed_from) / sizeof(std::uint64_t));

  all.cloud_begin = cutter.take<std::uint32_t>(request.clouds + 1);
  all.cloud_row = cutter.take<std::uint32_t>(request.clouds + 1);
  all.point_voxel = cutter.take<std::uint32_t>(points);
  if (has_bitmap && !choice.sorts()) all.point_rank = cutter.take<std::uint32_t>(points);
  all.cells = voxel_cells::take(cutter, has_bitmap, numbered);
  all.offsets = cutter.take<std::uint32_t>(numbered + 1);

  if (!has_bitmap) all.labels = cutter.take<std::uint32_t>(divide_up(points, index_t{4}) * 4);

  // The rows' arrays share memory with arrays that are no longer read when rows are laid out.
  workspace_cutter rows = cutter;
  all.counter_sectors = has_bitmap && numbered < voxel_swizzled ? 0 : counter_sectors;
  all.counters = cutter.take<std::uint32_t>(counters_for(has_bitmap ? numbered : points, all.counter_sectors));
  if (!choice.sorts()) rows = cutter;

  index_t const slots = 2 * index_t{choice.table_voxels};
  all.buckets = cutter.take<hash_map_bucket>(request.has_wide_keys() ? divide_up(slots, index_t{2})
                                                                     : divide_up(slots, index_t{4}));
  if (is_deep) all.bitmap.top = cutter.take<std::uint64_t>(top_words);
  all.bitmap.top_ranks = cutter.take<std::uint32_t>(top_words);
  if (has_groups) all.bitmap.groups = cutter.take<cell_group>(groups);
  all.bitmap.ranks = cutter.take<std::uint32_t>(has_bitmap ? groups + 1 : 0);

  if (choice.sorts()) {
    index_t const row_limit = choice.row_limit;
    auto& sorting = all.sorting;
    sorting.no_row = (1u << bits_of(static_cast<std::uint64_t>(row_limit) + 1)) - 1;
    sorting.cells = voxel_cells::take(rows, has_bitmap, row_limit);
    sorting.voxel_row = rows.take<std::uint32_t>(numbered);
    sorting.row_offsets = rows.take<std::uint32_t>(row_limit + 1);
    sorting.long_rows = rows.take<std::uint32_t>(points / voxel_listed + 1);
    sorting.drawn_rows = rows.take<std::uint32_t>(max_drawn);
    for (auto& keys : sorting.keys) keys = rows.take<std::uint32_t>(points);
    for (auto& values : sorting.values) values = rows.take<std::uint32_t>(points);
    sorting.workspace = rows.take<std::uint32_t>(static_cast<index_t>(request.radix_sort_words));
  } else {
    all.selection.large = rows.take<std::uint32_t>(larger(points / voxel_small + 1, max_drawn));
    all.selection.pieces = rows.take<voxel_piece>(2 * points / voxel_large + 1);
    all.selection.members = rows.take<std::uint32_t>(points);
  }
  all.bytes = larger(rows.used(), cutter.used());
  return all;
}

}  // namespace detail
FARPOINT_END_NAMESPACE

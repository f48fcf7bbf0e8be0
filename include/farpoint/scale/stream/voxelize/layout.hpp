/// @file
/// Arrays of voxelize_shard().
#pragma once

#include <farpoint/scale/stream/partition.hpp>
#include <farpoint/scale/stream/voxelize/noted_rows.hpp>
#include <farpoint/scale/stream/voxelize/routes.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Points in voxels that voxelize() has written and max_voxels drops.
struct voxelize_shard_corrections {
  std::uint64_t dropped_points;
  std::uint64_t surplus_points;
};

/// Number of the first positions that each rank tells the others: one for each key of its points, and their number.
constexpr int voxelize_counts(int ranks) noexcept {
  return ranks + int{voxelize_stays_kinds} + 1;
}
template <class Exec>
using voxelize_begins = first_counts<Exec, shard_header, std::uint32_t, voxelize_counts(shard_max_ranks<Exec>)>;

/// Sizes that determine the arrays of a call.
struct voxelize_shard_sizes {
  int ranks;
  std::size_t record;  ///< bytes per record
  index_t points;      ///< points of the shard
  index_t received;    ///< room for received records
  index_t rows;        ///< room for rows of this rank
  bool has_numbers;    ///< the output has `numbers`
  bool has_limit;      ///< max_voxels is limited, so it may drop voxels that are written

  template <class Points>
  voxelize_shard_sizes(int all_ranks, voxelize_shard_request<Points> const& request) noexcept
      : ranks{all_ranks},
        record{request.record().size()},
        points{request.part.points.size()},
        received{smaller(request.output.received_capacity + max_padding * all_ranks, shard_max_points)},
        rows{smaller(request.output.received_capacity, request.output.rows.capacity)},
        has_numbers{!request.output.numbers.empty()},
        has_limit{request.params.mode.max_voxels != voxel_mode::unlimited} {}

  index_t sent() const noexcept { return points + max_padding * ranks; }
  index_t flag_groups() const noexcept { return divide_up(points, index_t{flag_group}) + 2 * index_t{ranks}; }
};

/// Arrays of a call that its steps use, in memory of the execution.
template <class Exec>
struct voxelize_shard_memory {
  stream_partition<Exec> partition;  ///< points by destination, see voxelize_stays
  noted_voxelize<Exec> noting;
  stream_flags flags;            ///< flags of the sent points: set for the first point of a voxel in the whole cloud
  voxel_map_scan<Exec> scan;     ///< scan of the flags' ranks
  voxelize_segment* segments;    ///< `[ranks]`
  unsigned char* sent;           ///< records, by owner; later numbers of voxels whose first point is on this rank
  unsigned char* received;       ///< records, by index in the cloud; later numbers of this rank's own voxels
  std::uint32_t* is_first;       ///< one bit per received record: set for the first of its voxel
  voxelize_row_notes notes;      ///< notes of this rank's own voxels
  index_t* numbers;              ///< `[rows]`: numbers of this rank's own voxels; null if the output has them
  std::uint32_t* firsts;         ///< `[ranks]`: voxels whose first point is on this rank, by owner
  std::uint32_t* firsts_of_all;  ///< `[ranks, ranks]`
  std::uint32_t* flags_before;   ///< `[ranks]`: flags before the first point for each rank
  std::uint32_t* given;          ///< `[ranks]`: offset of the numbers for each rank
  index_t* allowed;              ///< `[1]`: voxels of this rank within max_voxels
  voxelize_report* found;        ///< `[1]`: report on the received records
  voxelize_report* reports;      ///< `[ranks + 1]`: of all ranks, then this rank's own
  voxelize_shard_corrections* corrections;

  voxelize_shard_memory(workspace_cutter& cutter, voxelize_shard_sizes const& sizes) noexcept
      : partition{cutter, sizes.points, sizes.ranks + int{voxelize_stays_kinds}},
        noting{cutter, sizes.received},
        flags{cutter, sizes.flag_groups()},
        scan{cutter, stream_flags::words_of(sizes.flag_groups())} {
    auto const record = static_cast<index_t>(sizes.record);
    index_t const ranks = sizes.ranks;
    segments = cutter.take<voxelize_segment>(ranks);
    sent = cutter.take<unsigned char>(sizes.sent() * record);
    received = cutter.take<unsigned char>(sizes.received * record);
    is_first = cutter.take<std::uint32_t>(first_words(sizes.received));
    notes.first_points = cutter.take<std::uint32_t>(sizes.rows);
    notes.points = cutter.take<std::uint32_t>(sizes.has_limit ? sizes.rows : 0);
    if (!sizes.has_limit) notes.points = nullptr;
    numbers = cutter.take<index_t>(sizes.has_numbers ? 0 : sizes.rows);
    firsts = cutter.take<std::uint32_t>(ranks);
    firsts_of_all = cutter.take<std::uint32_t>(ranks * ranks);
    flags_before = cutter.take<std::uint32_t>(ranks);
    given = cutter.take<std::uint32_t>(ranks);
    allowed = cutter.take<index_t>(1);
    found = cutter.take<voxelize_report>(1);
    reports = cutter.take<voxelize_report>(ranks + 1);
    corrections = cutter.take<voxelize_shard_corrections>(1);
  }

  /// Number of words of is_first.
  static index_t first_words(index_t records) noexcept {
    return stream_flags::words_of(records / index_t{flag_group} + 1);
  }
};

/// All arrays of a call.
template <class Exec>
struct voxelize_shard_plan {
  voxelize_shard_memory<Exec> memory;
  voxelize_begins<Exec> begins;  ///< first position of each key among the points of each rank
  voxelize_routes<Exec> routes;

  voxelize_shard_plan(workspace_cutter& cutter, voxelize_shard_sizes const& sizes) noexcept
      : memory{cutter, sizes},
        begins{cutter, sizes.ranks, voxelize_counts(sizes.ranks)},
        routes{cutter, sizes.ranks, sizes.record} {}
};

}  // namespace detail
FARPOINT_END_NAMESPACE

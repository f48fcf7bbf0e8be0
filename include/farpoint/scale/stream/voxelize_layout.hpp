/// @file
/// The arrays of voxelize_shard() where all of its steps are loops that a stream can run.
#pragma once

#include <farpoint/core/workspace.hpp>
#include <farpoint/scale/shard_backend.hpp>
#include <farpoint/scale/voxel_map_calls.hpp>
#include <farpoint/scale/voxelize_shard_layout.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// The most ranks of a call on shards in device memory: the counts of all pairs are looked at on the caller's stack.
inline constexpr int max_stream_ranks = 120;

/// Where a point goes: the number of the rank that owns its voxel, or this many more than there are ranks.
enum voxelize_stays : std::uint32_t {
  stays_outside = 0,
  stays_non_finite = 1,
  stays_surplus = 2,
  voxelize_stays_kinds
};

/// Points that are not counted where they are received.
struct voxelize_shard_corrections {
  std::uint64_t dropped_points;
  std::uint64_t surplus_points;
};

/// The arrays of a call. `n` points of the shard, `m` that the rank can receive, `rows` of its voxels.
template <class Exec, class Scalar>
struct voxelize_stream_memory {
  using sorter_type = typename shard_backend<Exec>::sorter;

  std::uint32_t* keys[2];    ///< `[n]`: where a point goes
  std::uint32_t* points[2];  ///< `[n]`: the point; in order: the points by where they go, and then by index
  sorter_type sorter;
  voxel_map_scan<Exec> scan;  ///< of `firsts`
  std::uint32_t* begins;      ///< `[ranks + voxelize_stays_kinds + 1]`: where those that go to a rank begin
  std::uint32_t* matrix;      ///< `[ranks, ...]`: those of all ranks
  std::int32_t* firsts;       ///< `[n + 1]`: 1 for a point that is the first of its voxel; then their numbers
  unsigned char* sent;        ///< `[n]` records, by owner
  unsigned char* is_new;      ///< `[n]`: by record: the first point of its voxel in the cloud
  std::uint32_t* given;       ///< `[n]`: by record: number among those of the rank
  unsigned char* received;    ///< `[m]` records, by index in the cloud
  std::int32_t* voxels;       ///< `[m]`: voxel of a record
  unsigned char* is_first;    ///< `[m]`: the first of its voxel
  std::uint32_t* taken;       ///< `[m]`: as `given`
  std::uint32_t* first;       ///< `[rows]`: first record of a voxel; later, records of one that is dropped
  index_t* numbers;           ///< `[rows]`: of the rank's own voxels
  std::int32_t* totals;       ///< `[ranks]`: voxels whose first point is on a rank
  index_t* bases;             ///< `[ranks]`: number of the first of them
  shard_header* headers;      ///< `[ranks + 1]`
  index_t* allowed;           ///< `[1]`: voxels of the rank that max_voxels allows
  voxelize_report* found;     ///< `[1]`: of the records
  voxelize_report* reports;   ///< `[ranks + 1]`: of all ranks, and this one's
  voxelize_shard_corrections* corrections;

  // Of `hard`: the voxels of the shard.
  std::uint32_t* more;         ///< `[n]`: see shard_record
  std::int32_t* list_offsets;  ///< `[n + 1]`
  std::int32_t* list_points;   ///< `[n]`
  std::int32_t* point_voxel;   ///< `[n]`
  std::int32_t* shard_voxels;  ///< `[1]`

  voxelize_stream_memory(workspace_cutter& cutter, int ranks, shard_record<Scalar> const& record, index_t n, index_t m,
                         index_t rows) noexcept
      : keys{cutter.take<std::uint32_t>(n), cutter.take<std::uint32_t>(n)},
        points{cutter.take<std::uint32_t>(n), cutter.take<std::uint32_t>(n)},
        sorter{cutter, n},
        scan{cutter, n} {
    auto const size = static_cast<index_t>(record.size());
    index_t const begins_size = index_t{ranks} + voxelize_stays_kinds + 1;
    begins = cutter.take<std::uint32_t>(begins_size);
    matrix = cutter.take<std::uint32_t>(ranks * begins_size);
    firsts = cutter.take<std::int32_t>(n + 1);
    sent = cutter.take<unsigned char>(n * size);
    is_new = cutter.take<unsigned char>(n);
    given = cutter.take<std::uint32_t>(n);
    received = cutter.take<unsigned char>(m * size);
    voxels = cutter.take<std::int32_t>(m);
    is_first = cutter.take<unsigned char>(m);
    taken = cutter.take<std::uint32_t>(m);
    first = cutter.take<std::uint32_t>(rows);
    numbers = cutter.take<index_t>(rows);
    totals = cutter.take<std::int32_t>(ranks);
    bases = cutter.take<index_t>(ranks);
    headers = cutter.take<shard_header>(ranks + 1);
    allowed = cutter.take<index_t>(1);
    found = cutter.take<voxelize_report>(1);
    reports = cutter.take<voxelize_report>(ranks + 1);
    corrections = cutter.take<voxelize_shard_corrections>(1);
    index_t const listed = record.has_more ? n : 0;
    more = cutter.take<std::uint32_t>(listed);
    list_offsets = cutter.take<std::int32_t>(listed + 1);
    list_points = cutter.take<std::int32_t>(listed);
    point_voxel = cutter.take<std::int32_t>(listed);
    shard_voxels = cutter.take<std::int32_t>(1);
  }
};

}  // namespace detail
FARPOINT_END_NAMESPACE

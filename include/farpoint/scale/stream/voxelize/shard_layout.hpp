/// @file
/// Messages and workspace of voxelize_shard().
#pragma once

#include <farpoint/core/limits.hpp>
#include <farpoint/detail/voxelize/check.hpp>
#include <farpoint/scale/stream/shard_agreement.hpp>
#include <farpoint/types/voxelize_shard.hpp>
#include <farpoint/voxelize.hpp>

FARPOINT_BEGIN_NAMESPACE

namespace FARPOINT_HIDDEN detail {

inline constexpr std::uint32_t no_rank = 0xffffffffu;

/// Number that stands for the parameters that must be equal on all ranks.
template <class Scalar>
std::uint64_t digest_of(voxelize_params<Scalar> const& params) noexcept {
  digest all;
  all.add(sizeof(Scalar));
  for (int axis = 0; axis < 3; ++axis) {
    all.add(params.grid.origin[axis]);
    all.add(params.grid.size[axis]);
    all.add(params.grid.dims[axis]);
  }
  all.add(params.mode.max_voxels);
  all.add(params.mode.max_points);
  all.add(params.features.count());
  all.add(params.hash_seed);
  return all.word();
}

/// Rank that owns a cell. Uses other bits of the hash than hash tables do for slots: with the same bits, the voxels of
/// a rank would crowd in a part of its table.
FARPOINT_HD inline std::uint32_t owner_of(std::uint64_t cell, std::uint64_t seed, int ranks) noexcept {
  std::uint64_t const hash = mix_bits(cell ^ seed) & 0xffffffffu;
  return static_cast<std::uint32_t>(hash * static_cast<std::uint64_t>(ranks) >> 32);
}

/// Adds the report of one rank to the report of the whole cloud.
FARPOINT_HD inline void add_report(voxelize_report& sum, voxelize_report const& part) noexcept {
  sum.voxels += part.voxels;
  sum.non_finite += part.non_finite;
  sum.outside += part.outside;
  sum.dropped_voxels += part.dropped_voxels;
  sum.dropped_points += part.dropped_points;
  sum.surplus_points += part.surplus_points;
  sum.over_capacity += part.over_capacity;
}

/// A point as sent to the owner of its voxel: three scalars, the features as floats, and, if points may stay on their
/// rank, the number of the voxel's later points that are not sent.
template <class Scalar>
struct shard_record {
  std::size_t features;
  bool has_more;

  explicit shard_record(int count, bool counts_more = true) noexcept
      : features{static_cast<std::size_t>(count)}, has_more{counts_more} {}

  FARPOINT_HD std::size_t more_at() const noexcept { return 3 * sizeof(Scalar) + features * sizeof(float); }
  FARPOINT_HD std::size_t size() const noexcept {
    std::size_t const used = more_at() + (has_more ? sizeof(std::uint32_t) : 0);
    return divide_up(used, sizeof(Scalar)) * sizeof(Scalar);
  }
};

/// Arrays of a call for `n` points of the shard and up to `m` received points.
template <class Scalar>
struct voxelize_shard_memory {
  std::uint32_t* owners = nullptr;     ///< `[n]`: destination of each point, or no_rank
  std::uint32_t* more = nullptr;       ///< `[n]`: see shard_record
  std::uint32_t* places = nullptr;     ///< `[n]`: record of each point
  std::int32_t* offsets = nullptr;     ///< `[n + 1]`: first member of each voxel of the shard
  std::int32_t* members = nullptr;     ///< `[n]`
  unsigned char* sent = nullptr;       ///< `[n]` records, by owner
  unsigned char* is_new = nullptr;     ///< `[n]`: by record: 1 if it is the first point of its voxel in the cloud
  index_t* given = nullptr;            ///< `[n]`: numbers of voxels whose first point is on this rank, by owner
  unsigned char* received = nullptr;   ///< `[m]` records, by index in the cloud
  unsigned char* is_first = nullptr;   ///< `[m]`: 1 if the record is the first of its voxel
  index_t* numbers = nullptr;          ///< `[m]`: numbers of the rank's own voxels
  std::int32_t* rows = nullptr;        ///< `[m]`: voxel of each record
  std::uint64_t* matrix = nullptr;     ///< `[ranks, ranks]`: number of points from rank to rank
  shard_messages records = {};         ///< counted in records
  shard_messages given_to = {};        ///< counted in numbers
  std::uint64_t* counts = nullptr;     ///< `[ranks]`
  voxelize_report* reports = nullptr;  ///< `[ranks]`
  std::size_t front = 0;               ///< bytes before the workspace of voxelize()

  voxelize_shard_memory(unsigned char* workspace, int ranks, int features, index_t n, index_t m) noexcept {
    workspace_cutter cutter{workspace};
    auto const record = static_cast<index_t>(shard_record<Scalar>{features}.size());
    owners = cutter.take<std::uint32_t>(n);
    more = cutter.take<std::uint32_t>(n);
    places = cutter.take<std::uint32_t>(n);
    offsets = cutter.take<std::int32_t>(n + 1);
    members = cutter.take<std::int32_t>(n);
    sent = cutter.take<unsigned char>(n * record);
    is_new = cutter.take<unsigned char>(n);
    given = cutter.take<index_t>(n);
    received = cutter.take<unsigned char>(m * record);
    is_first = cutter.take<unsigned char>(m);
    numbers = cutter.take<index_t>(m);
    rows = cutter.take<std::int32_t>(m);
    matrix = cutter.take<std::uint64_t>(index_t{ranks} * ranks);
    records = {cutter.take<message>(ranks), cutter.take<message>(ranks), cutter.take<message>(2 * index_t{ranks})};
    given_to = {cutter.take<message>(ranks), cutter.take<message>(ranks), records.in_bytes};
    counts = cutter.take<std::uint64_t>(ranks);
    reports = cutter.take<voxelize_report>(ranks);
    front = workspace_aligned(cutter.used());
  }
};

/// Lays out the exchange of records, and checks that all ranks have room. All ranks get the same decision.
/// @param headers   `[ranks]`
/// @param sources   `[ranks]`: order of the ranks in the receive buffer
/// @param count     `count(from, to)`: number of records from rank to rank
/// @param received  receives the number of records for this rank; optional
template <class Count>
result lay_out_records(int me, span<shard_header const> headers, int const* sources, Count const& count,
                       shard_messages const& messages, index_t* received) noexcept {
  auto const ranks = static_cast<int>(headers.size());
  bool fits = true;
  std::size_t sent = 0;
  for (int to = 0; to < ranks; ++to) {
    messages.outgoing[to] = {sent, count(me, to)};
    sent += count(me, to);
    std::size_t arriving = 0;
    for (int k = 0; k < ranks; ++k) {
      if (to == me) messages.incoming[sources[k]] = {arriving, count(sources[k], me)};
      arriving += count(sources[k], to);
    }
    fits = fits && arriving <= static_cast<std::size_t>(headers[static_cast<std::size_t>(to)].received_capacity);
    if (to == me && received != nullptr) *received = static_cast<index_t>(arriving);
  }
  return fits ? result{} : too_small("voxelize_shard: a rank receives more points than its received_capacity");
}

/// Checks what a rank can check alone.
template <class Points, class Scalar>
result check_voxelize_shard(shard<Points> const& part, voxelize_params<Scalar> const& params,
                            voxelize_shard_output<Scalar> const& output) noexcept {
  auto const& rows = output.rows;
  index_t const n = part.points.size();
  index_t const first = part.first_index;
  if (!rows.list_offsets.empty() || !rows.list_points.empty() || !rows.point_voxel.empty() ||
      !rows.voxel_offsets.empty()) {
    return reject("voxelize_shard: outputs that are lists, by point, or by cloud are not for shards");
  }
  if (result const checked = check_voxelize(batch<Points>{part.points}, params, rows); !checked) return checked;
  if (has_wide_features(rows)) {
    return reject("voxelize_shard: ranks send features as floats; outputs of features are floats or float16");
  }
  if (params.order != voxel_order::first_occurrence || params.points != voxel_points::first) {
    return reject("voxelize_shard: voxels come by first occurrence, and keep their first points");
  }
  if (n > shard_max_points || output.received_capacity < 0 || output.received_capacity > shard_max_points) {
    return reject("voxelize_shard: more than 2^30 points of a rank, or a negative received_capacity");
  }
  if (first < 0 || first > index_t{1} << 62) {
    return reject("voxelize_shard: first_index is negative, or above 2^62");
  }
  if (!fits_or_absent(static_cast<index_t>(output.numbers.size()), rows.capacity, 1)) {
    return reject("voxelize_shard: output.numbers is smaller than capacity");
  }
  if (n > 0 && params.features.count() > 0) {
    if (params.features.size() < n) return reject("voxelize_shard: params.features has fewer records than points");
    if (params.features.base() == nullptr) return reject("voxelize_shard: params.features is a null pointer");
  }
  return {};
}

}  // namespace detail
FARPOINT_END_NAMESPACE

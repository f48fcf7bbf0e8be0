/// @file
/// Memory layout of a voxel map, and of an insertion's workspace.
#pragma once

#include <farpoint/container/hash_map_ref.hpp>
#include <farpoint/core/workspace.hpp>
#include <farpoint/types/voxel_map.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

inline constexpr index_t voxel_map_max_voxels = index_t{1} << 30;

using voxel_map_table = hash_map_ref<std::uint64_t, std::uint32_t, seeded_hash>;

/// Counters of a map, kept between calls. They are named as in voxel_map_report.
struct voxel_map_counters {
  std::uint64_t points;
  std::uint64_t voxels;
  std::uint64_t non_finite;
  std::uint64_t outside;
  std::uint64_t dropped_points;
  std::uint64_t surplus_points;
  std::uint64_t tiles;
  std::uint64_t erased_voxels;
  std::uint64_t erased_points;
  std::uint64_t invalid_voxels;

  static voxel_map_counters of(voxel_map_report const& report) noexcept {
    return {report.points,         report.voxels, report.non_finite,    report.outside,       report.dropped_points,
            report.surplus_points, report.tiles,  report.erased_voxels, report.erased_points, 0};
  }
  FARPOINT_HD voxel_map_report report() const noexcept {
    return {points,         voxels, non_finite,    outside,       dropped_points,
            surplus_points, tiles,  erased_voxels, erased_points, invalid_voxels};
  }
};

/// Arrays of a map, indexed by voxel. The voxels are numbered by first occurrence.
template <class Scalar>
struct voxel_map_arrays {
  voxel_map_counters* counters = nullptr;
  hash_map_bucket* buckets = nullptr;  ///< hash table from cells to voxel numbers
  index_t bucket_count = 0;
  std::uint64_t* cells = nullptr;
  index_t* first_points = nullptr;
  std::uint64_t* counts = nullptr;  ///< number of kept points
  Scalar* sums = nullptr;           ///< `[capacity, 3]`
  float* feature_sums = nullptr;    ///< `[capacity, features]`, as `largest` and `first`
  float* largest = nullptr;
  float* first = nullptr;
  std::uint32_t* last_tiles = nullptr;  ///< number of the last tile with a point in the voxel, at most 2^32 - 1
  std::size_t bytes = 0;

  voxel_map_arrays(voxel_map_params<Scalar> const& params, unsigned char* memory) noexcept {
    workspace_cutter cutter{memory};
    index_t const voxels = params.capacity;
    index_t const features = params.features * voxels;
    counters = cutter.take<voxel_map_counters>(1);
    bucket_count = voxel_map_table::buckets_for(voxels);
    buckets = cutter.take<hash_map_bucket>(bucket_count);
    cells = cutter.take<std::uint64_t>(voxels);
    first_points = cutter.take<index_t>(voxels);
    counts = cutter.take<std::uint64_t>(voxels);
    sums = cutter.take<Scalar>(params.parts.centroid ? 3 * voxels : 0);
    feature_sums = cutter.take<float>(params.parts.mean ? features : 0);
    largest = cutter.take<float>(params.parts.max ? features : 0);
    first = cutter.take<float>(params.parts.first ? features : 0);
    last_tiles = cutter.take<std::uint32_t>(params.parts.last_tile ? voxels : 0);
    bytes = cutter.used();
  }

  /// Calls visit(first byte, bytes per voxel) for each array of rows, in the order of a saved map.
  template <class Visit>
  void for_each_column(voxel_map_params<Scalar> const& params, Visit&& visit) const noexcept {
    auto const column = [&visit](auto* rows, int per_voxel) {
      if (per_voxel > 0) visit(reinterpret_cast<unsigned char*>(rows), sizeof *rows * static_cast<unsigned>(per_voxel));
    };
    column(cells, 1);
    column(first_points, 1);
    column(counts, 1);
    column(last_tiles, params.parts.last_tile ? 1 : 0);
    column(sums, params.parts.centroid ? 3 : 0);
    column(feature_sums, params.parts.mean ? params.features : 0);
    column(largest, params.parts.max ? params.features : 0);
    column(first, params.parts.first ? params.features : 0);
  }

  FARPOINT_HD voxel_map_table table(std::uint64_t seed) const noexcept {
    return voxel_map_table{{buckets, static_cast<std::size_t>(bucket_count)}, {}, {}, seeded_hash{seed}};
  }
};

/// Arrays of an insertion, indexed by voxel of the tile except for `members`. The outputs of voxelize() come first.
struct voxel_map_scratch {
  std::int32_t* offsets = nullptr;  ///< `[n + 1]`: first entry of each voxel in `members`
  std::int32_t* members = nullptr;  ///< `[n]`: points by voxel, in input order
  std::int32_t* voxel_count = nullptr;
  voxelize_report* report = nullptr;
  std::uint32_t* numbers = nullptr;  ///< `[n]`: number of the voxel in the map
  /// `[n + 1]`: 1 for each voxel that is not in the map, later the exclusive sums.
  std::int32_t* ranks = nullptr;
  std::uint32_t* kept = nullptr;  ///< `[n]`: number of points that the voxel takes

  voxel_map_scratch(workspace_cutter& cutter, index_t points) noexcept
      : offsets{cutter.take<std::int32_t>(points + 1)},
        members{cutter.take<std::int32_t>(points)},
        voxel_count{cutter.take<std::int32_t>(1)},
        report{cutter.take<voxelize_report>(1)},
        numbers{cutter.take<std::uint32_t>(points)},
        ranks{cutter.take<std::int32_t>(points + 1)},
        kept{cutter.take<std::uint32_t>(points)} {}

  /// Output of voxelize() for a tile.
  template <class Scalar>
  voxelize_output<Scalar> output(index_t points) const noexcept {
    auto const size = static_cast<std::size_t>(points);
    voxelize_output<Scalar> output;
    output.capacity = points;
    output.list_offsets = span<std::int32_t>{offsets, size + 1};
    output.list_points = span<std::int32_t>{members, size};
    output.voxel_count = span<std::int32_t>{voxel_count, 1};
    output.report = report;
    return output;
  }
};

}  // namespace detail
FARPOINT_END_NAMESPACE

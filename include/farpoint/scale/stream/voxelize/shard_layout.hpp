/// @file
/// Records and checks of voxelize_shard().
#pragma once

#include <farpoint/core/limits.hpp>
#include <farpoint/detail/voxelize/check.hpp>
#include <farpoint/scale/stream/shard_agreement.hpp>
#include <farpoint/types/voxelize_shard.hpp>
#include <farpoint/voxelize.hpp>

FARPOINT_BEGIN_NAMESPACE

namespace FARPOINT_HIDDEN detail {

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

/// A point as sent to the owner of its voxel: three scalars, and the features as floats.
template <class Scalar>
struct shard_record {
  std::size_t features;

  FARPOINT_HD std::size_t size() const noexcept {
    return divide_up(3 * sizeof(Scalar) + features * sizeof(float), sizeof(Scalar)) * sizeof(Scalar);
  }
};

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

/// Arguments of a call on one rank.
template <class Points>
struct voxelize_shard_request {
  using scalar = typename Points::scalar;

  shard<Points> const& part;
  voxelize_params<scalar> const& params;
  voxelize_shard_output<scalar> const& output;

  result check() const noexcept { return check_voxelize_shard(part, params, output); }
  shard_record<scalar> record() const noexcept { return {static_cast<std::size_t>(params.features.count())}; }
  /// Calls `visit(arrays...)` with all arrays but the workspace.
  template <class Visit>
  result visit_arrays(Visit const& visit) const noexcept {
    auto const& rows = output.rows;
    return visit(batch<Points>{part.points}, params.features, rows.coords, rows.points_per_voxel, rows.gathered,
                 rows.mean, rows.max, rows.first, rows.centroid, rows.voxel_count, rows.report, output.numbers);
  }
};

}  // namespace detail
FARPOINT_END_NAMESPACE

/// @file
/// Parameters, outputs and report of voxelize().
#pragma once

#include <farpoint/core/features.hpp>
#include <farpoint/core/index_span.hpp>
#include <farpoint/geometry/voxel_grid.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Hard voxelization (VoxelNet, PointPillars): limits on the number of voxels of a cloud and of points of a voxel.
struct hard {
  index_t max_voxels;  ///< maximum number of voxels per cloud; further voxels are dropped
  index_t max_points;  ///< maximum number of points per voxel; further points do not count in its outputs
};

/// Dynamic voxelization (Zhou et al. 2020): no limits.
struct dynamic {};

/// Either hard{max_voxels, max_points} or dynamic{}.
struct voxel_mode {
  static constexpr index_t unlimited = 0x7fffffffffffffff;

  constexpr voxel_mode(hard limits) noexcept : max_voxels{limits.max_voxels}, max_points{limits.max_points} {}
  constexpr voxel_mode(dynamic) noexcept {}

  index_t max_voxels = unlimited;
  index_t max_points = unlimited;

  FARPOINT_HD constexpr bool is_dynamic() const noexcept { return max_points == unlimited; }
};

/// Order of a cloud's voxels in the outputs.
enum class voxel_order {
  first_occurrence,  ///< by the lowest index of a point in each, like mmdet3d's deterministic and spconv's CPU path
  grid               ///< ascending by cell_of(): z, then y, then x
};

/// Selection of the kept points in a voxel with more than max_points points.
enum class voxel_points {
  first,         ///< lowest indices: biased if points are in the order of a LiDAR's beams
  random_subset  ///< subset drawn from `seed`: the same in every run and on every backend
};

/// Parameters of voxelize().
template <class Scalar = float>
struct voxelize_params {
  voxel_grid<Scalar> grid{};
  voxel_mode mode = dynamic{};
  voxel_order order = voxel_order::first_occurrence;
  voxel_points points = voxel_points::first;
  std::uint64_t seed = 0;  ///< seed of voxel_points::random_subset

  /// Seed of the hash table that finds voxels: it makes crafted collisions unlikely. Affects no output. 0: a random
  /// seed, the same for all calls of this process. A graph replays the seed that it was captured with.
  std::uint64_t hash_seed = 0;

  /// Features of each point of `clouds.points()`; read only for outputs that use them.
  feature_view features = {};
};

/// Counters over all clouds of a call. Every point of a cloud is in exactly one of non_finite, outside, dropped_points,
/// surplus_points, and the sum of `points_per_voxel`.
struct voxelize_report {
  unsigned long long voxels = 0;          ///< voxels written
  unsigned long long non_finite = 0;      ///< points with a NaN or infinite coordinate
  unsigned long long outside = 0;         ///< finite points outside of the grid
  unsigned long long dropped_voxels = 0;  ///< voxels beyond max_voxels or beyond the capacity of the outputs
  unsigned long long dropped_points = 0;  ///< points in dropped voxels
  unsigned long long surplus_points = 0;  ///< points beyond max_points in voxels that were written
  unsigned long long over_capacity = 0;   ///< dropped voxels that only the capacity of the outputs rejected
  unsigned long long bad_offsets = 0;     ///< invalid offsets; if not 0, the outputs are empty and the other counters 0
};

/// Columns of voxelize_output::coords.
enum class voxel_columns {
  xyz,        ///< `[capacity, 3]`
  zyx,        ///< `[capacity, 3]`
  batch_xyz,  ///< `[capacity, 4]`: index of the cloud, x, y, z
  batch_zyx,  ///< `[capacity, 4]`: index of the cloud, z, y, x, the order of sparse convolutions
};

/// Number of columns.
FARPOINT_HD constexpr int column_count(voxel_columns columns) noexcept {
  return columns == voxel_columns::xyz || columns == voxel_columns::zyx ? 3 : 4;
}

/// Axis of a column; -1 for the index of the cloud.
FARPOINT_HD constexpr int axis_of_column(voxel_columns columns, int column) noexcept {
  int const place = column - (column_count(columns) - 3);
  bool const forwards = columns == voxel_columns::xyz || columns == voxel_columns::batch_xyz;
  return forwards || place < 0 ? place : 2 - place;
}

/// Outputs of voxelize(), in the memory space of the execution. Every part is optional, and costs nothing if omitted.
///
/// Voxels are consecutive, cloud by cloud: row r of every part is the r-th voxel. A voxel whose row would be `capacity`
/// or more is dropped and counted. Rows past the number of voxels are not written.
///
/// Outputs are computed from the *kept* points of a voxel: all points, or max_points points, in input order. Sums are
/// accumulated in that order, with rounding at each step, and a mean is one division: the same bits everywhere. A mean
/// that is NaN always has the bits 0x7fc00000, in double 0x7ff8000000000000. Feature values are read, added and divided
/// as floats for outputs of float or float16, and as doubles for outputs of double, which only points of doubles can
/// have.
template <class Scalar = float>
struct voxelize_output {
  index_t capacity = 0;  ///< number of rows of every given part

  span<std::int32_t> coords = {};  ///< index of the voxel along each axis, see `columns`
  voxel_columns columns = voxel_columns::xyz;

  count_span points_per_voxel = {};  ///< `[capacity]`: kept points, as integers or as floats
  using values = basic_feature_span<Scalar>;
  values gathered = {};        ///< `[capacity, max_points, features]`: kept points, then zeros; hard only
  values mean = {};            ///< `[capacity, features]`: over the kept points
  values max = {};             ///< `[capacity, features]`: first largest value that is not NaN; the last NaN if all are
  values first = {};           ///< `[capacity, features]`: kept point of lowest index
  span<Scalar> centroid = {};  ///< `[capacity, 3]`: mean of the kept points' coordinates (m)

  /// CSR lists of all points of each written voxel, surplus points included, in input order. Row r has the entries
  /// `[list_offsets[r], list_offsets[r + 1])` of list_points, which are indices into `clouds.points()`.
  index_span list_offsets = {};  ///< `[capacity + 1]`
  index_span list_points = {};   ///< `[points]`

  index_span point_voxel = {};  ///< `[points]`: row of each point's voxel; -1 if it has none, or a dropped one

  index_span voxel_count = {};    ///< `[1]`: number of voxels written, over all clouds
  index_span voxel_offsets = {};  ///< `[clouds + 1]`: first row of each cloud, followed by the number of voxels

  voxelize_report* report = nullptr;  ///< overwritten, not added to
};

FARPOINT_END_NAMESPACE

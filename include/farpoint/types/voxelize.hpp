/// @file
/// Parameters, outputs and report of voxelize().
#pragma once

#include <farpoint/core/features.hpp>
#include <farpoint/core/index_span.hpp>
#include <farpoint/geometry/voxel_grid.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Hard voxelization (VoxelNet, PointPillars): limits on the voxels of a cloud and on the points of a voxel.
struct hard {
  index_t max_voxels;  ///< of each cloud; further voxels are dropped
  index_t max_points;  ///< of each voxel; further points do not count in its outputs
};

/// Dynamic voxelization (Zhou et al. 2020): no limits.
struct dynamic {};

/// One of hard{max_voxels, max_points} and dynamic{}.
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

/// Which points of a voxel with more than max_points are kept.
enum class voxel_points {
  first,         ///< those of lowest index: biased where points come in the order of a LiDAR's beams
  random_subset  ///< a subset drawn from `seed`: the same on every run and backend
};

/// What voxelize() does.
template <class Scalar = float>
struct voxelize_params {
  voxel_grid<Scalar> grid{};
  voxel_mode mode = dynamic{};
  voxel_order order = voxel_order::first_occurrence;
  voxel_points points = voxel_points::first;
  std::uint64_t seed = 0;  ///< of voxel_points::random_subset

  /// Seed of the hash table that finds voxels: makes crafted collisions unlikely. Changes no output.
  /// 0: a random one, the same for all calls of this process. A graph replays the one that it was captured with.
  std::uint64_t hash_seed = 0;

  /// Features of each point of `clouds.points()`; read only for the outputs that are made of them.
  feature_view features = {};
};

/// Counters over all clouds of a call. Every point of a cloud is in exactly one of non_finite, outside, dropped_points,
/// surplus_points, and the sum of `points_per_voxel`.
struct voxelize_report {
  unsigned long long voxels = 0;          ///< written
  unsigned long long non_finite = 0;      ///< points with a NaN or infinite coordinate
  unsigned long long outside = 0;         ///< finite points outside of the grid
  unsigned long long dropped_voxels = 0;  ///< beyond max_voxels, or beyond the capacity of the outputs
  unsigned long long dropped_points = 0;  ///< points in dropped voxels
  unsigned long long surplus_points = 0;  ///< points beyond max_points in voxels that were written
  unsigned long long over_capacity = 0;   ///< of dropped_voxels, those beyond the capacity of the outputs only
  unsigned long long bad_offsets = 0;     ///< wrong offsets: then the outputs are empty, and nothing else counts
};

/// Columns of voxelize_output::coords.
enum class voxel_columns {
  xyz,        ///< `[capacity, 3]`
  zyx,        ///< `[capacity, 3]`
  batch_xyz,  ///< `[capacity, 4]`: number of the cloud, x, y, z
  batch_zyx,  ///< `[capacity, 4]`: number of the cloud, z, y, x, as sparse convolutions take them
};

/// Number of columns.
FARPOINT_HD constexpr int column_count(voxel_columns columns) noexcept {
  return columns == voxel_columns::xyz || columns == voxel_columns::zyx ? 3 : 4;
}

/// The axis in a column; -1 for the number of the cloud.
FARPOINT_HD constexpr int axis_of_column(voxel_columns columns, int column) noexcept {
  int const place = column - (column_count(columns) - 3);
  bool const forwards = columns == voxel_columns::xyz || columns == voxel_columns::batch_xyz;
  return forwards || place < 0 ? place : 2 - place;
}

/// The outputs, in the memory space of the execution. Every part may be left out, and then costs nothing.
///
/// Voxels lie one after another, cloud by cloud: row r of every part is the r-th voxel. A voxel whose row would not be
/// below `capacity` is dropped and counted. Rows past the number of voxels are not written.
///
/// Outputs are made of the *kept* points of a voxel: all of them, or max_points of them, in input order. Sums are added
/// up in that order, rounded at each step, and a mean is one division: the same bits everywhere. A mean that is NaN
/// always has the bits 0x7fc00000, in double 0x7ff8000000000000. Values of features are read, added and divided as
/// floats for outputs of floats and of float16, and as doubles for outputs of doubles, which points of doubles can
/// have.
template <class Scalar = float>
struct voxelize_output {
  index_t capacity = 0;  ///< rows that every part given has

  span<std::int32_t> coords = {};  ///< index of the voxel along each axis, see `columns`
  voxel_columns columns = voxel_columns::xyz;

  count_span points_per_voxel = {};  ///< `[capacity]`: kept points, as integers or as floats
  using values = basic_feature_span<Scalar>;
  values gathered = {};        ///< `[capacity, max_points, features]`: of the kept points, then zeros; hard only
  values mean = {};            ///< `[capacity, features]`: over the kept points
  values max = {};             ///< `[capacity, features]`: the first largest that is no NaN; the last NaN if all are
  values first = {};           ///< `[capacity, features]`: of the kept point of lowest index
  span<Scalar> centroid = {};  ///< `[capacity, 3]`: mean of the kept points' coordinates (m)

  /// CSR lists of all points of each voxel that was written, surplus points too, in input order. Row r has the entries
  /// `[list_offsets[r], list_offsets[r + 1])` of list_points, which are indices into `clouds.points()`.
  index_span list_offsets = {};  ///< `[capacity + 1]`
  index_span list_points = {};   ///< `[points]`

  index_span point_voxel = {};  ///< `[points]`: row of each point's voxel; -1 if it is in none, or in a dropped one

  index_span voxel_count = {};    ///< `[1]`: voxels written, of all clouds
  index_span voxel_offsets = {};  ///< `[clouds + 1]`: first row of each cloud, and the number of voxels

  voxelize_report* report = nullptr;  ///< overwritten, not added to
};

FARPOINT_END_NAMESPACE

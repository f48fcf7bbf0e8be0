/// @file
/// Parameters, tiles, outputs and report of a voxel map.
#pragma once

#include <farpoint/types/voxelize.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Quantities that a voxel map stores per voxel. A quantity that is not stored takes no memory and cannot be read.
struct voxel_map_parts {
  bool centroid = true;  ///< sums of the coordinates
  bool mean = true;      ///< sums of the features
  bool max = false;      ///< largest features
  bool first = false;    ///< features of the first point
};

/// Parameters of a voxel map, the same for all calls on the map.
template <class Scalar = float>
struct voxel_map_params {
  voxel_grid<Scalar> grid{};
  voxel_mode mode = dynamic{};  ///< the limits of `hard` hold for all tiles together
  index_t capacity = 0;         ///< maximum number of voxels in memory, at most 2^30
  int features = 0;             ///< number of features per point, at most 64
  voxel_map_parts parts = {};   ///< stored quantities
  index_t first_index = 0;      ///< number of the first inserted point; later points count on from it
  std::uint64_t hash_seed = 0;  ///< as in voxelize_params
};

/// Voxel map in memory that the caller owns. A non-owning view.
template <class Scalar = float>
struct voxel_map {
  using scalar = Scalar;

  voxel_map_params<Scalar> params{};
  bytes memory = {};  ///< at least voxel_map_bytes() bytes, 256-byte aligned, in the memory of the execution
};

/// Points that are inserted by one call.
template <class Points>
struct voxel_map_tile {
  Points points{};             ///< `[n]`, metres
  feature_view features = {};  ///< `[n, params.features]`
  /// `[n]`, optional: number of each point's voxel, which never changes; -1 for a point without a voxel.
  index_span point_voxel = {};
};

/// Counters over all tiles. Every point is in exactly one of non_finite, outside, dropped_points, surplus_points, and
/// the sum of `points_per_voxel`.
struct voxel_map_report {
  unsigned long long points = 0;          ///< inserted points
  unsigned long long voxels = 0;          ///< voxels in the map
  unsigned long long non_finite = 0;      ///< points with a NaN or infinite coordinate
  unsigned long long outside = 0;         ///< finite points outside of the grid
  unsigned long long dropped_points = 0;  ///< points whose voxel was rejected: the map was full, or had max_voxels
  unsigned long long surplus_points = 0;  ///< points beyond max_points in voxels of the map
};

/// Data read from a voxel map, in the memory space of the execution. Every part is optional.
///
/// Row r of every part is voxel `begin + r`. Rows past the last voxel are not written.
template <class Scalar = float>
struct voxel_map_output {
  index_t begin = 0;     ///< first voxel to read: a large map can be read in pieces
  index_t capacity = 0;  ///< number of rows of every given part

  span<std::int32_t> coords = {};  ///< index of the voxel along each axis
  voxel_columns columns = voxel_columns::xyz;
  count_span points_per_voxel = {};  ///< `[capacity]`: kept points; 64 bits if a voxel may have 2^31 or more
  feature_span mean = {};            ///< `[capacity, features]`
  feature_span max = {};             ///< `[capacity, features]`
  feature_span first = {};           ///< `[capacity, features]`
  span<Scalar> centroid = {};        ///< `[capacity, 3]` (m)
  span<index_t> first_point = {};    ///< `[capacity]`: number of the voxel's first point, counted from first_index

  index_span voxel_count = {};         ///< `[1]`: number of rows written
  voxel_map_report* report = nullptr;  ///< overwritten
};

FARPOINT_END_NAMESPACE

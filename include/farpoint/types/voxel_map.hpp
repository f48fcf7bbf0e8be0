/// @file
/// Parameters, tiles, outputs and report of a voxel map.
#pragma once

#include <farpoint/types/voxelize.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Quantities that a voxel map stores per voxel. A quantity that is not stored takes no memory and cannot be read.
struct voxel_map_parts {
  bool centroid = true;    ///< sums of the coordinates
  bool mean = true;        ///< sums of the features
  bool max = false;        ///< largest features
  bool first = false;      ///< features of the first point
  bool last_tile = false;  ///< number of the last tile with a point in the voxel: its age, for voxel_map_keep()
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
  Points points{};             ///< `[n]`, meters
  feature_view features = {};  ///< `[n, params.features]`
  /// `[n]`, optional: number of each point's voxel; -1 for a point without a voxel. Only voxel_map_keep() changes
  /// numbers.
  index_span point_voxel = {};
};

/// Counters over all tiles. Every point is in exactly one of non_finite, outside, dropped_points, surplus_points,
/// erased_points, and the sum of `points_per_voxel`.
struct voxel_map_report {
  unsigned long long points = 0;          ///< inserted points
  unsigned long long voxels = 0;          ///< voxels in the map
  unsigned long long non_finite = 0;      ///< points with a NaN or infinite coordinate
  unsigned long long outside = 0;         ///< finite points outside of the grid
  unsigned long long dropped_points = 0;  ///< points whose voxel was rejected: the map was full, or had max_voxels
  unsigned long long surplus_points = 0;  ///< points beyond max_points in voxels of the map, or in voxels erased since
  unsigned long long tiles = 0;           ///< inserted tiles that had points
  unsigned long long erased_voxels = 0;   ///< voxels that voxel_map_keep() erased
  unsigned long long erased_points = 0;   ///< their kept points
  /// Voxels of a restored map that no map can hold: their cell is not in the grid, or is another voxel's, or they have
  /// no points, or more than max_points.
  unsigned long long invalid_voxels = 0;
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

/// Conditions for the voxels that voxel_map_keep() keeps. A voxel that meets all is kept; the others are erased.
///
/// The position of a voxel is its center, `grid.origin + (index + 0.5) * grid.size`, minus `origin`. Both operations
/// are in double and rounded once, so that a box whose faces are faces of voxels keeps exactly its own voxels.
template <class Scalar = float>
struct voxel_map_keep_params {
  static constexpr index_t unlimited = voxel_mode::unlimited;

  /// Box (m), half open: low <= position < high on each axis. An infinite `high` excludes nothing. A box whose low is
  /// not below its high holds nothing.
  bounding_box<Scalar> box = everywhere();
  vec<Scalar> center = {};                   ///< center of a ball (m)
  Scalar radius = detail::infinity<Scalar>;  ///< radius of the ball (m): distance2(position, center) <= radius * radius
  /// `[3]`, optional, in the memory space of the execution: origin of `box` and `center` (m), for example where the
  /// sensor is. It is read when the call runs, so that a captured call can follow a sensor. If a coordinate is NaN or
  /// infinite, neither box nor ball erases anything.
  span<Scalar const> origin = {};
  /// Maximum age: number of tiles with points that were inserted after the last tile with a point in the voxel. 0 keeps
  /// the voxels of the last tile. Needs voxel_map_parts::last_tile, unless unlimited.
  index_t max_age = unlimited;
  /// Maximum number of voxels. The youngest voxels that meet the other conditions are kept; between equally old
  /// voxels the lower number decides. Needs voxel_map_parts::last_tile, unless unlimited.
  index_t max_voxels = unlimited;

  static bounding_box<Scalar> everywhere() noexcept {
    constexpr Scalar most = detail::infinity<Scalar>;
    return {{{-most, -most, -most}}, {{most, most, most}}};
  }
};

/// Counters of one call of voxel_map_keep(). Every voxel that the map had is in exactly one of the first four; an
/// erased voxel is counted for the first condition that it fails.
struct voxel_map_keep_report {
  unsigned long long kept = 0;           ///< voxels that the map has now
  unsigned long long outside = 0;        ///< voxels outside of the box or the ball
  unsigned long long expired = 0;        ///< voxels older than max_age
  unsigned long long evicted = 0;        ///< voxels beyond max_voxels
  unsigned long long erased_points = 0;  ///< kept points of all erased voxels
};

/// Outputs of voxel_map_keep(), in the memory space of the execution. Both are optional.
struct voxel_map_keep_output {
  /// `[capacity]`: new number of each voxel that the map had, -1 if it was erased, to update arrays that the caller has
  /// for the voxels. Entries past the last voxel are not written.
  index_span new_numbers = {};
  voxel_map_keep_report* report = nullptr;  ///< overwritten
};

/// First bytes of a saved map: its format, its parameters and its counters. Little-endian, without padding; on disk as
/// in memory.
struct voxel_map_header {
  static constexpr std::uint32_t current_version = 1;

  char magic[8] = {'f', 'p', 'v', 'o', 'x', 'm', 'a', 'p'};
  std::uint32_t version = current_version;
  std::uint32_t scalar_size = 0;                ///< bytes of a coordinate: 4 or 8
  double origin[3] = {}, size[3] = {};          ///< voxel_map_params::grid (m)
  std::int32_t dims[3] = {};                    ///< voxel_map_params::grid
  std::int32_t features = 0;                    ///< voxel_map_params::features
  std::uint32_t parts = 0;                      ///< bits 0 to 4: centroid, mean, max, first, last_tile
  std::uint32_t reserved = 0;                   ///< 0
  std::int64_t max_voxels = 0, max_points = 0;  ///< voxel_map_params::mode
  std::int64_t first_index = 0;                 ///< voxel_map_params::first_index
  voxel_map_report report;                      ///< counters; `voxels` is the number of rows of each saved array

  /// Returns the header of a map.
  /// @param params  of the map; capacity and hash_seed are not saved
  /// @param report  counters of the map, from voxel_map_read()
  template <class Scalar>
  static voxel_map_header of(voxel_map_params<Scalar> const& params, voxel_map_report const& report) noexcept {
    voxel_map_header header;
    header.scalar_size = sizeof(Scalar);
    for (int axis = 0; axis < 3; ++axis) {
      header.origin[axis] = static_cast<double>(params.grid.origin[axis]);
      header.size[axis] = static_cast<double>(params.grid.size[axis]);
      header.dims[axis] = params.grid.dims[axis];
    }
    header.features = params.features;
    auto const& parts = params.parts;
    header.parts = (parts.centroid ? 1u : 0u) | (parts.mean ? 2u : 0u) | (parts.max ? 4u : 0u) |
                   (parts.first ? 8u : 0u) | (parts.last_tile ? 16u : 0u);
    header.max_voxels = params.mode.max_voxels;
    header.max_points = params.mode.max_points;
    header.first_index = params.first_index;
    header.report = report;
    return header;
  }
};
static_assert(sizeof(voxel_map_header) == 192, "farpoint: the header of a saved map has no padding");

/// Arrays of a map that a saved map consists of, in the memory of the map. Iterable.
class voxel_map_saved {
 public:
  bytes const* begin() const noexcept { return arrays_; }
  bytes const* end() const noexcept { return arrays_ + count_; }
  std::size_t size() const noexcept { return static_cast<std::size_t>(count_); }
  void push_back(bytes array) noexcept { arrays_[count_++] = array; }

 private:
  bytes arrays_[8] = {};
  int count_ = 0;
};

FARPOINT_END_NAMESPACE

/// @file
/// Voxels of a cloud that comes in tiles, for host_exec. voxel_map.cuh adds cuda_exec.
///
/// A voxel map accumulates what voxelize() computes, tile by tile, so that only the voxels need to fit into memory, not
/// the cloud. The result has the bits of one voxelize() call for all tiles in a row: the same voxels, in order of first
/// occurrence over all tiles, and sums and means of the same points in the same order.
///
/// The caller owns the memory of a map. Clear it, insert tiles and read it, in any number and order after the first
/// clear. Calls on one map must not run at the same time. A map that is full or has reached max_voxels drops the points
/// of further voxels and counts them; its own voxels still accumulate.
///
/// Some features of voxelize() need all points at once and are missing: the order of the grid, random subsets, and the
/// points themselves (`gathered`, lists). `dropped_voxels` is not counted, because dropped voxels are not recorded.
#pragma once

#include <farpoint/core/limits.hpp>
#include <farpoint/scale/voxel_map_calls.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Bytes of memory of a map, 256-byte aligned. 0 if a parameter is refused. Equal for host_exec and cuda_exec.
///
/// Per voxel of the capacity 56 bytes, 12 for the centroid (double: 24), and 4 per feature for each of mean, max and
/// first that is kept; less than 1 KiB more. O(1).
template <class Scalar>
std::size_t voxel_map_bytes(voxel_map_params<Scalar> const& params) noexcept {
  return detail::check_voxel_map_params(params) ? detail::voxel_map_arrays<Scalar>{params, nullptr}.bytes : 0;
}

/// Empties a map. Its memory may have any content.
///
/// @return `ok`, `bad_argument` (the parameters, or misaligned memory) or `workspace_too_small` (the map's memory). On
///         failure nothing is written.
///
/// Complexity: O(capacity).
template <class Scalar>
result voxel_map_clear(host_exec exec, voxel_map<Scalar> const& map) noexcept {
  if (result const checked = detail::check_threads(exec); !checked) return checked;
  return detail::voxel_map_clear_on(exec, map);
}

/// Bytes of workspace that voxel_map_insert() needs for a tile on the host: at most 80 per point and 2 kB, and the
/// workspace with which voxelize() counts in several threads. 0 if an argument is refused. O(1).
template <class Points>
std::size_t voxel_map_insert_workspace_bytes(host_exec exec, voxel_map<typename Points::scalar> const& map,
                                             voxel_map_tile<Points> const& tile) noexcept {
  return detail::check_threads(exec) ? detail::voxel_map_insert_size(exec, map, tile) : 0;
}

/// Bytes of workspace that suffice for voxel_map_insert() of any tile of up to limits.points points into any map on the
/// host. Monotonic in the limits. O(1).
/// @tparam Points  view of the points: point_view<float>
/// @return `ok` or `bad_argument`; on failure `bound` is not changed
template <class Points>
result voxel_map_insert_workspace_bound(host_exec exec, batch_limits const& limits, std::size_t& bound) noexcept {
  return detail::voxel_map_insert_bound<host_exec, Points>(exec, limits, bound);
}

/// Inserts a tile. Its points follow the points of all earlier tiles.
///
/// @param exec       number of threads, which affects no bit; the call returns when the tile is inserted
/// @param map        cleared before its first use
/// @param tile       points and features; may be empty; at most 2^30 points
/// @param workspace  at least voxel_map_insert_workspace_bytes() bytes, 256-byte aligned
///
/// @return `ok`, `bad_argument` (see voxelize(), or the tile has another number of features than the map) or
///         `workspace_too_small` (the workspace or the map's memory). On failure nothing is written, and the tile may
///         be inserted again.
///
/// Complexity: O(points) expected, whatever is in the map. One thread per coordinate and feature adds the points of one
/// voxel in a tile.
template <class Points>
result voxel_map_insert(host_exec exec, voxel_map<typename Points::scalar> const& map,
                        voxel_map_tile<Points> const& tile, bytes workspace) noexcept {
  if (result const checked = detail::check_threads(exec); !checked) return checked;
  return detail::voxel_map_insert_on(exec, map, tile, workspace);
}

/// Reads voxels and counters out of a map, and does not change it.
///
/// @param exec    number of threads; the call returns when the output is complete
/// @param map     a cleared map, with or without tiles
/// @param output  see voxel_map_output
///
/// @return `ok`, `bad_argument` (an output is too small, or the map does not keep it) or `workspace_too_small` (the
///         map's
///         memory). On failure nothing is written.
///
/// Complexity: O(rows x features); no workspace. Calls that read one map may run at the same time.
template <class Scalar>
result voxel_map_read(host_exec exec, voxel_map<Scalar> const& map, voxel_map_output<Scalar> const& output) noexcept {
  if (result const checked = detail::check_threads(exec); !checked) return checked;
  return detail::voxel_map_read_on(exec, map, output);
}

FARPOINT_END_NAMESPACE

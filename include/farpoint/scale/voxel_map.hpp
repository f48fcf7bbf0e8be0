/// @file
/// Voxels of a cloud that comes in tiles, for host_exec. voxel_map.cuh adds cuda_exec.
///
/// A voxel map accumulates what voxelize() computes, tile after tile, so that a cloud need not fit into memory: only
/// its voxels must. It has the bits of one call of voxelize() on all tiles one after another: the same voxels, in order
/// of first occurrence over all tiles, and sums and means of the same points in the same order.
///
/// The memory of a map is the caller's. Clear it, insert tiles, and read it out, as often as wanted, between insertions
/// too. Calls on one map must not run at the same time. A map that is full, or that has max_voxels, drops the points of
/// further voxels and counts them; voxels that it has go on.
///
/// What voxelize() can do besides needs all points at once: the order of the grid, random subsets, and the points
/// themselves (`gathered`, lists). `dropped_voxels` is not counted, because nothing is known of voxels that are
/// dropped.
#pragma once

#include <farpoint/core/limits.hpp>
#include <farpoint/scale/voxel_map_calls.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Bytes of memory of a map; 0 for parameters that are refused. The same for host_exec and cuda_exec. The memory must
/// be 256-byte aligned.
///
/// For each voxel of the capacity 56 bytes, 12 for the centroid (24 of double), and 4 for each feature and each of
/// mean, max and first that is kept; less than 1 KiB more. O(1).
template <class Scalar>
std::size_t voxel_map_bytes(voxel_map_params<Scalar> const& params) noexcept {
  return detail::check_voxel_map_params(params) ? detail::voxel_map_arrays<Scalar>{params, nullptr}.bytes : 0;
}

/// Empties a map, whatever its memory holds.
///
/// @return ok | bad_argument (the parameters, memory that is not aligned) | workspace_too_small (the map's memory). On
///         failure nothing is written.
/// Complexity: O(capacity).
template <class Scalar>
result voxel_map_clear(host_exec exec, voxel_map<Scalar> const& map) noexcept {
  if (result const checked = detail::check_threads(exec); !checked) return checked;
  return detail::voxel_map_clear_on(exec, map);
}

/// Bytes of workspace that voxel_map_insert() needs for this tile on the host: at most 80 a point and 2 kB, as well as
/// what voxelize() needs to count for several threads. O(1). 0 for what is refused.
template <class Points>
std::size_t voxel_map_insert_workspace_bytes(host_exec exec, voxel_map<typename Points::scalar> const& map,
                                             voxel_map_tile<Points> const& tile) noexcept {
  return detail::check_threads(exec) ? detail::voxel_map_insert_size(exec, map, tile) : 0;
}

/// Bytes of workspace that are enough for voxel_map_insert() of all tiles of up to limits.points points on the host,
/// whatever the map. Never less for higher limits. O(1).
/// @tparam Points  the view of the points: point_view<float>
/// @return ok | bad_argument; then `bound` stays as it is
template <class Points>
result voxel_map_insert_workspace_bound(host_exec exec, batch_limits const& limits, std::size_t& bound) noexcept {
  return detail::voxel_map_insert_bound<host_exec, Points>(exec, limits, bound);
}

/// Inserts a tile. Its points follow those of all tiles before.
///
/// @param exec       threads to use; blocks until done. They change no bit
/// @param map        cleared before its first use
/// @param tile       points and features; may be empty; at most 2^30 points
/// @param workspace  voxel_map_insert_workspace_bytes() bytes or more, 256-byte aligned
/// @return ok | bad_argument (see voxelize(); another number of features than the map has) | workspace_too_small (the
///         workspace's, or the map's memory). On failure nothing is written, and the tile may be inserted again.
/// Complexity: O(points) expected, whatever is in the map. The points of one voxel in a tile are added by one thread
/// for each coordinate and feature.
template <class Points>
result voxel_map_insert(host_exec exec, voxel_map<typename Points::scalar> const& map,
                        voxel_map_tile<Points> const& tile, bytes workspace) noexcept {
  if (result const checked = detail::check_threads(exec); !checked) return checked;
  return detail::voxel_map_insert_on(exec, map, tile, workspace);
}

/// Reads voxels and counters out of a map, which stays as it is.
///
/// @param exec    threads to use; blocks until done
/// @param map     where tiles were inserted, or none
/// @param output  see voxel_map_output
/// @return ok | bad_argument (an output that is too small, or that the map does not keep) | workspace_too_small (the
///         map's memory). On failure nothing is written.
/// Complexity: O(rows x features); no workspace. Calls that read one map may run at the same time.
template <class Scalar>
result voxel_map_read(host_exec exec, voxel_map<Scalar> const& map, voxel_map_output<Scalar> const& output) noexcept {
  if (result const checked = detail::check_threads(exec); !checked) return checked;
  return detail::voxel_map_read_on(exec, map, output);
}

FARPOINT_END_NAMESPACE

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
/// A map of a moving sensor forgets: voxel_map_keep() erases the voxels outside of a box or a ball, and the oldest ones
/// beyond a number. A map can be saved and restored, see voxel_map_saved_arrays().
///
/// Some features of voxelize() need all points at once and are missing: the order of the grid, random subsets, and the
/// points themselves (`gathered`, lists). `dropped_voxels` is not counted, because dropped voxels are not recorded.
#pragma once

#include <farpoint/core/limits.hpp>
#include <farpoint/scale/stream/voxel_map_calls.hpp>
#include <farpoint/scale/stream/voxel_map_keep_calls.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Bytes of memory of a map, 256-byte aligned. 0 if a parameter is refused. Equal for host_exec and cuda_exec.
///
/// Per voxel of the capacity 56 bytes, 12 for the centroid (double: 24), 4 for the last tile, and 4 per feature for
/// each of mean, max and first that is kept; less than 1 KiB more. O(1).
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

/// Bytes of workspace that voxel_map_keep() needs: 4 per voxel of the capacity and less than 2 KiB. 0 if a parameter is
/// refused. Monotonic in the capacity, the same for all conditions. O(1).
template <class Scalar>
std::size_t voxel_map_keep_workspace_bytes(host_exec exec, voxel_map_params<Scalar> const& params) noexcept {
  return detail::check_threads(exec) ? detail::voxel_map_keep_size(exec, params) : 0;
}

/// Erases the voxels that do not meet all conditions, and numbers the others again: in the same order, without gaps.
///
/// The rows of kept voxels do not change. A later point in the cell of an erased voxel begins a new voxel, with the
/// highest number. Rows, numbers and reports have equal bits for all executions and numbers of threads.
///
/// @param exec       number of threads; the call returns when the map is compact
/// @param map        a cleared map, with or without tiles
/// @param keep       conditions; `origin`, if given, must not change during the call
/// @param output     new numbers and counters, see voxel_map_keep_output
/// @param workspace  at least voxel_map_keep_workspace_bytes() bytes, 256-byte aligned
///
/// @return `ok`, `bad_argument` (NaN in the box, a center that is not finite, a negative or NaN radius, a negative
///         limit, a limit by age for a map without voxel_map_parts::last_tile) or `workspace_too_small` (the workspace
///         or the map's memory). On failure nothing is written.
///
/// Complexity: O(capacity x bytes of a row); moves only the rows behind the first erased voxel. Must not run at the
/// same time as another call on the map.
template <class Scalar>
result voxel_map_keep(host_exec exec, voxel_map<Scalar> const& map, voxel_map_keep_params<Scalar> const& keep,
                      voxel_map_keep_output const& output, bytes workspace) noexcept {
  if (result const checked = detail::check_threads(exec); !checked) return checked;
  return detail::voxel_map_keep_on(exec, map, keep, output, workspace);
}

/// Finds the arrays that a saved map consists of, after its header.
///
/// To save a map, read its report, make `voxel_map_header::of(map.params, report)`, and write the header and the bytes
/// of each array, one after another. To load it into the memory of a map with equal parameters, read the header, call
/// this function, read the bytes of each array, and call voxel_map_restore(). Capacity and hash_seed may differ, so a
/// map can also be moved into a larger memory. The bytes are equal for all executions and numbers of threads.
///
/// @param map     host or device memory, which is not accessed
/// @param header  of the map, or of the map that is loaded
/// @param arrays  set to 3 to 8 arrays in the map's memory, of `header.report.voxels` rows each
///
/// @return `ok`, `bad_argument` (no header of a saved map of these parameters and this version, or the capacity is too
///         small) or `workspace_too_small` (the map's memory). On failure `arrays` is not changed. O(1).
template <class Scalar>
result voxel_map_saved_arrays(voxel_map<Scalar> const& map, voxel_map_header const& header,
                              voxel_map_saved& arrays) noexcept {
  return detail::voxel_map_saved_arrays_of(map, header, arrays);
}

/// Completes a map whose arrays have been loaded: it equals the map that was saved. It may be full of other data
/// before.
///
/// A file from elsewhere needs no further check for memory safety. Wrong voxels are counted in
/// `voxel_map_report::invalid_voxels`, and only they may have wrong rows afterwards.
///
/// @param exec    number of threads; the call returns when the map is complete
/// @param map     its arrays from voxel_map_saved_arrays() hold the saved bytes
/// @param header  header of the saved map
///
/// @return as voxel_map_saved_arrays(). On failure nothing is written.
///
/// Complexity: O(capacity). Must not run at the same time as another call on the map.
template <class Scalar>
result voxel_map_restore(host_exec exec, voxel_map<Scalar> const& map, voxel_map_header const& header) noexcept {
  if (result const checked = detail::check_threads(exec); !checked) return checked;
  return detail::voxel_map_restore_on(exec, map, header);
}

FARPOINT_END_NAMESPACE

/// @file
/// Voxels of a cloud that comes in tiles, on a CUDA stream. voxel_map.hpp defines what a voxel map is.
///
/// Each call only enqueues: it never synchronizes or allocates, and may be captured in a graph. The map, its tiles,
/// outputs and workspaces are device memory, which must stay valid until the stream has passed the call. Calls on one
/// map must be ordered, for example by one stream. While a stream inserts a tile, another stream can copy the next one.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/core/check_pointers.cuh>
#include <farpoint/core/profile_range.cuh>
#include <farpoint/grid/exclusive_scan.cuh>
#include <farpoint/grid/for_each_index.cuh>
#include <farpoint/scale/voxel_map.hpp>
#include <farpoint/voxelize.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

template <>
class voxel_map_scan<cuda_exec> {
 public:
  voxel_map_scan(workspace_cutter& cutter, index_t rows) noexcept
      : rows_{rows}, memory_{exclusive_scan_memory::cut(cutter, rows)} {}

  result run(cuda_exec exec, std::int32_t* offsets) const noexcept {
    kernel_launcher launcher{exec.stream};
    launcher.clear(memory_.tiles, static_cast<std::size_t>(exclusive_scan_tiles(rows_)) * sizeof(std::uint64_t));
    launcher.clear(memory_.ticket, sizeof(std::uint32_t));
    span<std::int32_t> const all{offsets, static_cast<std::size_t>(rows_) + 1};
    launcher.then([&] { return exclusive_scan({all, rows_, rows_, nullptr, nullptr, memory_}, exec.stream); });
    return cuda_failure(launcher.error(), "voxel_map: a kernel could not be launched");
  }

 private:
  index_t rows_;
  exclusive_scan_memory memory_;
};

}  // namespace detail

/// Empties a map. Its memory may have any content. One launch.
/// @return `ok`, `bad_argument`, `workspace_too_small` or `cuda_failure`
template <class Scalar>
result voxel_map_clear(cuda_exec exec, voxel_map<Scalar> const& map) noexcept {
  detail::profile_range const range{"farpoint::voxel_map_clear"};
  if (result const checked = detail::check_pointers(exec, map.memory); !checked) return checked;
  return detail::voxel_map_clear_on(exec, map);
}

/// Bytes of device workspace that voxel_map_insert() needs for a tile on the current GPU: at most 86 per point and 66
/// KiB. 0 if an argument is refused. O(1).
template <class Points>
std::size_t voxel_map_insert_workspace_bytes(cuda_exec exec, voxel_map<typename Points::scalar> const& map,
                                             voxel_map_tile<Points> const& tile) noexcept {
  return detail::voxel_map_insert_size(exec, map, tile);
}

/// Bytes of device workspace that suffice for voxel_map_insert() of any tile of up to limits.points points into any map
/// on any GPU. Monotonic in the limits. O(1).
/// @tparam Points  view of the points: point_view<float>
/// @return `ok` or `bad_argument`; on failure `bound` is not changed
template <class Points>
result voxel_map_insert_workspace_bound(cuda_exec exec, batch_limits const& limits, std::size_t& bound) noexcept {
  return detail::voxel_map_insert_bound<cuda_exec, Points>(exec, limits, bound);
}

/// Inserts a tile on a stream. Same rules and bits as the host overload.
///
/// @return `ok`, `bad_argument`, `workspace_too_small` or `cuda_failure`. After `cuda_failure` the map is undefined and
///         must be
///         cleared. On other failures nothing is written.
///
/// Complexity: O(points) expected: the launches of voxelize() with lists, and five more. One thread per coordinate and
/// feature adds the points of one voxel in the tile, so a tile with nearly all points in one voxel takes long.
template <class Points>
result voxel_map_insert(cuda_exec exec, voxel_map<typename Points::scalar> const& map,
                        voxel_map_tile<Points> const& tile, bytes workspace) noexcept {
  detail::profile_range const range{"farpoint::voxel_map_insert"};
  result const checked =
      detail::check_pointers(exec, workspace, map.memory, batch<Points>{tile.points}, tile.features, tile.point_voxel);
  if (!checked) return checked;
  return detail::voxel_map_insert_on(exec, map, tile, workspace);
}

/// Reads voxels and counters out of a map, and does not change it. One launch. The number of voxels stays on the
/// device.
/// @return `ok`, `bad_argument`, `workspace_too_small` or `cuda_failure`
template <class Scalar>
result voxel_map_read(cuda_exec exec, voxel_map<Scalar> const& map, voxel_map_output<Scalar> const& output) noexcept {
  detail::profile_range const range{"farpoint::voxel_map_read"};
  result const checked =
      detail::check_pointers(exec, map.memory, output.coords, output.points_per_voxel, output.mean, output.max,
                             output.first, output.centroid, output.first_point, output.voxel_count, output.report);
  if (!checked) return checked;
  return detail::voxel_map_read_on(exec, map, output);
}

/// Bytes of device workspace that voxel_map_keep() needs: 4 per voxel of the capacity, 8 for every 1,024, and less than
/// 2 KiB. 0 if a parameter is refused. Monotonic in the capacity, the same for all conditions. O(1).
template <class Scalar>
std::size_t voxel_map_keep_workspace_bytes(cuda_exec exec, voxel_map_params<Scalar> const& params) noexcept {
  return detail::voxel_map_keep_size(exec, params);
}

/// Erases voxels on a stream. Same rules and bits as the host overload.
///
/// @return `ok`, `bad_argument`, `workspace_too_small` or `cuda_failure`. After `cuda_failure` the map is undefined and
///         must be cleared. On other failures nothing is written.
///
/// Complexity: O(capacity x bytes of a row): 8 launches and memsets, two for every 32 bytes of a row, 1 for new_numbers
/// and 21 for max_voxels. A map that loses no voxel is tested only.
template <class Scalar>
result voxel_map_keep(cuda_exec exec, voxel_map<Scalar> const& map, voxel_map_keep_params<Scalar> const& keep,
                      voxel_map_keep_output const& output, bytes workspace) noexcept {
  detail::profile_range const range{"farpoint::voxel_map_keep"};
  result const checked =
      detail::check_pointers(exec, map.memory, keep.origin, output.new_numbers, output.report, workspace);
  if (!checked) return checked;
  return detail::voxel_map_keep_on(exec, map, keep, output, workspace);
}

/// Completes a loaded map on a stream. Same rules as the host overload. Three launches.
/// @return `ok`, `bad_argument`, `workspace_too_small` or `cuda_failure`
template <class Scalar>
result voxel_map_restore(cuda_exec exec, voxel_map<Scalar> const& map, voxel_map_header const& header) noexcept {
  detail::profile_range const range{"farpoint::voxel_map_restore"};
  if (result const checked = detail::check_pointers(exec, map.memory); !checked) return checked;
  return detail::voxel_map_restore_on(exec, map, header);
}

FARPOINT_END_NAMESPACE

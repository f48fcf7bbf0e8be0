/// @file
/// Voxelization on a CUDA stream. See voxelize.hpp for what voxelize() computes.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/core/check_pointers.cuh>
#include <farpoint/core/limits.hpp>
#include <farpoint/detail/voxelize/cuda.cuh>

FARPOINT_BEGIN_NAMESPACE

/// Bytes of device workspace that voxelize() needs on the current GPU. The memory must be 256-byte aligned.
///
/// Exact; O(1). A function of the clouds' sizes, the parameters, which outputs are given, and the selector; 0 for
/// arguments that voxelize() refuses. At most 64 bytes per point, 8 a cloud, and 64 KiB: where a bitmap would take
/// more, a table or a sort replaces it.
template <class Selector = voxelize_selector, class Points>
std::size_t voxelize_workspace_bytes(cuda_exec, batch<Points> const& clouds,
                                     voxelize_params<typename Points::scalar> const& params,
                                     voxelize_output<typename Points::scalar> const& output) noexcept {
  if (!detail::check_voxelize(clouds, params, output) || detail::voxelizes_nothing(clouds)) return 0;
  if (detail::larger(clouds.points().size(), clouds.size()) > detail::voxelize_max_points) return 0;
  return detail::voxelize_plan<Selector, Points>{clouds, params, output}.bytes();
}

/// Bytes of device workspace that are enough for voxelize() of all batches within the limits on any GPU, whatever the
/// parameters and outputs: 64 per point, 8 a cloud, and 64 KiB. Never less for higher limits.
/// @tparam Points  the view of the points: point_view<float>
/// @return ok | bad_argument; then `bound` stays as it is
template <class Points>
result voxelize_workspace_bound(cuda_exec, batch_limits const& limits, std::size_t& bound) noexcept {
  if (result const checked = detail::check_limits(limits); !checked) return checked;
  if (limits.points > detail::voxelize_max_points || limits.clouds > detail::voxelize_max_points) {
    return detail::reject("limits: cuda_exec takes at most 2^30 points and clouds");
  }
  bound = detail::voxelize_max_bytes(limits.points, limits.clouds);
  return {};
}

/// Voxelization on a stream: the rules and the bits of the host overload.
///
/// Only enqueues: it never synchronizes or allocates, and may be captured in a graph. `workspace` and everything that
/// `clouds`, `params` and `output` point to is device memory, and must stay valid until the stream has passed the call.
/// The number of voxels stays on the device. Time depends on the points between the device's first and last offset, not
/// on the size of the view: a graph can be replayed on frames of any size up to it.
///
/// @tparam Selector  tuning; changes the speed only
/// @return ok | bad_argument | workspace_too_small | cuda_failure. Never clears or returns a pending error of other
///         work.
/// Complexity: O(points), and a small part of the cells of the grid for its order or for a report. Five to ten
/// launches, and a radix sort for lists, for more than 32 points per voxel, and for the order of a grid of 2^32 - 1
/// cells or more (docs/design/voxelize.md). At most 2^30 points. Thread-safe: concurrent calls must not share output or
/// workspace.
template <class Selector = voxelize_selector, class Points>
result voxelize(cuda_exec exec, batch<Points> const& clouds, voxelize_params<typename Points::scalar> const& params,
                voxelize_output<typename Points::scalar> const& output, bytes workspace) noexcept {
  detail::profile_range const range{"farpoint::voxelize"};
  result const checked = detail::check_pointers(
      exec, workspace, clouds, params.features, output.coords, output.points_per_voxel, output.gathered, output.mean,
      output.max, output.first, output.centroid, output.list_offsets, output.list_points, output.point_voxel,
      output.voxel_count, output.voxel_offsets, output.report);
  if (!checked) return checked;
  return detail::voxelize_cuda<Selector>(exec, clouds, params, output, workspace);
}

FARPOINT_END_NAMESPACE

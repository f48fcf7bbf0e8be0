/// @file
/// Voxelization on a CUDA stream. See voxelize.hpp for what voxelize() computes.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/detail/voxelize/cuda.cuh>

FARPOINT_BEGIN_NAMESPACE

/// Bytes of device workspace that voxelize() needs on the current GPU; 256-byte aligned memory. O(1), exact: a function
/// of the clouds' sizes, the parameters, which outputs are given, and the selector; 0 for arguments that voxelize()
/// refuses. At most 64 bytes a point and 8 a cloud, and 64 KiB, with which a bitmap for the order of the grid makes do.
template <class Selector = voxelize_selector, class Points>
std::size_t voxelize_workspace_bytes(cuda_exec, batch<Points> const& clouds,
                                     voxelize_params<typename Points::scalar> const& params,
                                     voxelize_output<typename Points::scalar> const& output) noexcept {
  if (!detail::check_voxelize(clouds, params, output) || detail::voxelizes_nothing(clouds)) return 0;
  if (clouds.points().size() > detail::voxelize_most_points) return 0;
  return detail::voxelize_plan<Selector, Points>{clouds, params, output}.bytes();
}

/// Voxelization, enqueued on a stream: the rules and the bits of the host overload.
///
/// Only enqueues: no synchronisation, no allocation; may be captured in a graph. Everything that `clouds`, `params` and
/// `output` point to, and `workspace`, is device memory that must stay valid until the stream has passed the call. The
/// number of voxels stays on the device. Time goes by the points that the device's offsets name, not by the capacity of
/// the view: a graph can be replayed on frames of any size up to it.
///
/// @tparam Selector  tuning; changes the speed only
/// @return ok | bad_argument | workspace_too_small | cuda_failure. Never clears or returns an error of somebody else's.
///         Offsets that decrease or leave the view cannot be refused here: the call comes out empty, and the report
///         says so.
/// Complexity: O(points), and a small part of the cells of the grid for its order or for a report. Five to ten
/// launches, or with lists or for more than 32 points a voxel, and for the order of a grid of 2^32 - 1 cells or more, a
/// radix sort more (docs/voxelize.md). At most 2^30 points. Thread-safe: concurrent calls must not share output or
/// workspace.
template <class Selector = voxelize_selector, class Points>
result voxelize(cuda_exec exec, batch<Points> const& clouds, voxelize_params<typename Points::scalar> const& params,
                voxelize_output<typename Points::scalar> const& output, bytes workspace) noexcept {
  detail::profile_range const range{"farpoint::voxelize"};
  return detail::voxelize_cuda<Selector>(exec, clouds, params, output, workspace);
}

FARPOINT_END_NAMESPACE

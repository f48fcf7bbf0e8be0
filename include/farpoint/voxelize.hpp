/// @file
/// Voxelization for host_exec, and a convenience overload. voxelize.cuh adds cuda_exec.
#pragma once

#include <farpoint/core/batch.hpp>
#include <farpoint/core/host_exec.hpp>
#include <farpoint/core/limits.hpp>
#include <farpoint/core/status.hpp>
#include <farpoint/detail/voxelize/host.hpp>
#include <farpoint/types/voxelize.hpp>

#include <stdexcept>
#include <vector>

FARPOINT_BEGIN_NAMESPACE

/// Bytes of workspace that voxelize() needs for these clouds on the host. The memory must be 256-byte aligned.
///
/// Exact; O(1). One thread needs 52 bytes for each point of `clouds.points()`; several need 60, and up to
/// 16 * threads^2 to count. Rounded up by less than 1 kB. Does not depend on the outputs.
template <class Points>
std::size_t voxelize_workspace_bytes(host_exec exec, batch<Points> const& clouds,
                                     voxelize_params<typename Points::scalar> const&,
                                     voxelize_output<typename Points::scalar> const&) noexcept {
  index_t const points = clouds.points().size();
  return detail::voxelize_host_plan{exec, points, points, {}}.workspace_size();
}

/// Bytes of workspace that are enough for voxelize() of all batches within the limits on the host, whatever the
/// parameters and outputs. Never less for higher limits. O(1).
/// @tparam Points  the view of the points: point_view<float>
/// @return ok | bad_argument; then `bound` stays as it is
template <class Points>
result voxelize_workspace_bound(host_exec exec, batch_limits const& limits, std::size_t& bound) noexcept {
  if (result const checked = detail::check_threads(exec); !checked) return checked;
  if (result const checked = detail::check_limits(limits); !checked) return checked;
  bound = detail::voxelize_host_plan{exec, limits.points, limits.points, {}}.workspace_size();
  return {};
}

/// Voxelization: finds the voxels of a grid that have points, and sums up the points of each (Zhou and Tuzel 2018;
/// dynamic: Zhou et al. 2020). Every backend gives the same bits, for any block size and number of threads.
///
/// A point is left out if a coordinate is not finite, or if it lies outside of the grid, whose upper bound is
/// exclusive; see voxel_of(). Voxels come by first occurrence or in the order of the grid, and their points in input
/// order. Of each cloud the first max_voxels voxels in that order are written, as long as the outputs have room. Of
/// each voxel the first or a random max_points points are kept. The report counts what is dropped, each point in
/// exactly one counter. Empty clouds have no voxels; a call may have no clouds.
///
/// @param exec       threads to use; blocks until done
/// @param clouds     `[clouds, n]` or ragged, metres, host memory
/// @param params     see voxelize_params; features in host memory
/// @param output     see voxelize_output
/// @param workspace  voxelize_workspace_bytes() bytes or more, 256-byte aligned, host memory
/// @return ok | bad_argument (a grid without voxels, or a voxel size that is not positive and finite; clouds x voxels
///         above 2^62; a negative limit; an output of the wrong size; missing features; 2^31 - 1 points or more; a
///         misaligned workspace) | workspace_too_small. On failure nothing is written. Where offsets are wrong (see
///         batch), there is no voxel, and the report counts such offsets.
/// Complexity: O(n) expected, whatever the capacities, the size of the grid and the points of a voxel. For the order of
/// the grid one thread sorts the voxels. With t threads, each also reads the keys of all points to find its own. One
/// thread of a shared server takes 11 ms for 271,156 points of 5 features in 131,479 voxels; docs/design/voxelize.md
/// has more. Thread-safe: concurrent calls must not share output or workspace.
template <class Points>
result voxelize(host_exec exec, batch<Points> const& clouds, voxelize_params<typename Points::scalar> const& params,
                voxelize_output<typename Points::scalar> const& output, bytes workspace) noexcept {
  return detail::voxelize_host(exec, clouds, params, output, workspace);
}

#if defined(__cpp_exceptions)

/// The voxels of one cloud, in memory of their own.
template <class Scalar>
struct voxels_of_cloud {
  std::vector<std::int32_t> coords;            ///< `[voxels, 3]`: index of each along x, y, z
  std::vector<std::int32_t> points_per_voxel;  ///< `[voxels]`: kept points
  std::vector<Scalar> centroids;               ///< `[voxels, 3]`: mean of the kept points (m)
  std::vector<float> means;                    ///< `[voxels, features]`; empty without params.features
  std::vector<std::int32_t> point_voxel;       ///< `[points]`: row of each point's voxel, or -1
  voxelize_report report;
};

/// Voxelizes one cloud in a host container on all cores, and allocates what it needs:
/// `auto voxels = farpoint::voxelize(points, params);`
///
/// @param points  contiguous container of a type that point_layout knows
/// @throws std::invalid_argument with the reason; std::bad_alloc
template <class Container, class Scalar, class = detail::host_elements<Container const>>
auto voxelize(Container const& points, voxelize_params<Scalar> const& params) {
  auto const view = view_points(points);
  using view_type = std::decay_t<decltype(view)>;
  static_assert(std::is_same_v<Scalar, typename view_type::scalar>,
                "farpoint: voxelize_params need the scalar type of the points: double for double, float otherwise");
  batch<view_type> const cloud{view};
  index_t const most = params.mode.max_voxels < 0 ? 0 : params.mode.max_voxels;
  auto const capacity = static_cast<std::size_t>(std::min(view.size(), most));
  auto const count = static_cast<std::size_t>(params.features.count() < 0 ? 0 : params.features.count());

  voxels_of_cloud<Scalar> voxels;
  voxels.coords.resize(capacity * 3);
  voxels.points_per_voxel.resize(capacity);
  voxels.centroids.resize(capacity * 3);
  voxels.means.resize(capacity * count);
  voxels.point_voxel.resize(points.size());
  voxelize_output<Scalar> output;
  output.capacity = static_cast<index_t>(capacity);
  output.coords = voxels.coords;
  output.points_per_voxel = voxels.points_per_voxel;
  output.centroid = voxels.centroids;
  output.mean = voxels.means;
  output.point_voxel = voxels.point_voxel;
  output.report = &voxels.report;
  detail::host_workspace const workspace{voxelize_workspace_bytes(host_exec{}, cloud, params, output)};
  result const outcome = voxelize(host_exec{}, cloud, params, output, workspace.get());
  if (!outcome) throw std::invalid_argument{outcome.reason};

  auto const written = static_cast<std::size_t>(voxels.report.voxels);
  voxels.coords.resize(written * 3);
  voxels.points_per_voxel.resize(written);
  voxels.centroids.resize(written * 3);
  voxels.means.resize(written * count);
  return voxels;
}

#endif  // defined(__cpp_exceptions)

FARPOINT_END_NAMESPACE

/// @file
/// Voxelization: host backend and convenience overload. voxelize.cuh adds the CUDA backend.
#pragma once

#include <farpoint/core/batch.hpp>
#include <farpoint/core/host_exec.hpp>
#include <farpoint/core/status.hpp>
#include <farpoint/detail/voxelize/host.hpp>
#include <farpoint/types/voxelize.hpp>

#include <stdexcept>
#include <vector>

FARPOINT_BEGIN_NAMESPACE

/// Bytes of workspace that voxelize() needs for these clouds on the host; 256-byte aligned memory.
///
/// Exact, O(1). With one thread 52 bytes for each point of `clouds.points()`; with several 60, and 16 * threads^2 at
/// most for their tallies. Rounded up by less than 1 kB. It does not depend on the outputs.
template <class Points>
std::size_t voxelize_workspace_bytes(host_exec exec, batch<Points> const& clouds,
                                     voxelize_params<typename Points::scalar> const&,
                                     voxelize_output<typename Points::scalar> const&) noexcept {
  index_t const points = clouds.points().size();
  return detail::voxelize_host_plan{exec, points, points, {}}.workspace_size();
}

/// Voxelization: which voxels of a grid have points, and what these hold (Zhou and Tuzel 2018; dynamic: Zhou et al.
/// 2020); the same bits on every backend, block size and number of threads.
///
/// A point is left out if a coordinate is not finite or if it is outside of the grid, whose upper bound is exclusive,
/// see voxel_of(). Voxels come by their first point or in the order of the grid, points always in input order. Of a
/// cloud the first max_voxels voxels in that order are written, while there is room for them; of a voxel the first or a
/// random max_points points. What is dropped is counted in the report, in exactly one counter for each point. An empty
/// cloud has no voxels; no cloud is no error.
///
/// @param exec       threads to use; blocks until done
/// @param clouds     `[clouds, n]` or ragged, metres, host memory
/// @param params     see voxelize_params; features in host memory
/// @param output     see voxelize_output
/// @param workspace  at least voxelize_workspace_bytes() bytes, 256-byte aligned, host memory
/// @return ok | bad_argument (a grid without voxels or with a size that is not positive and finite, clouds x voxels
///         above 2^62, a negative limit, an output of the wrong size, features that are missing, offsets that decrease
///         or leave the view, 2^31 - 1 points or more, a misaligned workspace) | workspace_too_small. Nothing is
///         written on failure.
/// Complexity: O(n) expected, whatever the capacities, the size of the grid and the points in a voxel; voxels in the
/// order of the grid are sorted by one thread. With t threads each also looks at the keys of all points, to find its
/// own. One thread of a shared server takes 11 ms for 271,156 points of 5 features in 131,479 voxels; docs/voxelize.md
/// has more. Thread-safe: concurrent calls must not share output or workspace.
template <class Points>
result voxelize(host_exec exec, batch<Points> const& clouds, voxelize_params<typename Points::scalar> const& params,
                voxelize_output<typename Points::scalar> const& output, bytes workspace) noexcept {
  return detail::voxelize_host(exec, clouds, params, output, workspace);
}

#if defined(__cpp_exceptions)

/// Voxels of one cloud with the memory that holds them.
template <class Scalar>
struct voxels_of_cloud {
  std::vector<std::int32_t> coords;            ///< `[voxels, 3]`: index of each along x, y, z
  std::vector<std::int32_t> points_per_voxel;  ///< `[voxels]`: kept points
  std::vector<Scalar> centroids;               ///< `[voxels, 3]`: mean of the kept points (m)
  std::vector<float> means;                    ///< `[voxels, features]`; empty without params.features
  std::vector<std::int32_t> point_voxel;       ///< `[points]`: row of each point's voxel, or -1
  voxelize_report report;
};

/// voxelize() of one cloud in a host container on all cores, without a workspace to think of:
/// `auto voxels = farpoint::voxelize(points, params);`
///
/// @param points  contiguous container of a type that point_layout knows
/// @throws std::invalid_argument with the reason; std::bad_alloc
template <class Container, class Scalar, class = std::void_t<typename Container::value_type>>
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

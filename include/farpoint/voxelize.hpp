/// @file
/// Voxelization for host_exec, and convenience overloads. voxelize.cuh adds cuda_exec.
#pragma once

#include <farpoint/core/batch.hpp>
#include <farpoint/core/host_exec.hpp>
#include <farpoint/core/limits.hpp>
#include <farpoint/core/status.hpp>
#include <farpoint/detail/voxelize/host.hpp>
#include <farpoint/types/voxelize.hpp>

#include <stdexcept>
#include <type_traits>
#include <vector>

FARPOINT_BEGIN_NAMESPACE

/// Returns the size in bytes of the workspace of voxelize() for these clouds on the host; 256-byte aligned memory.
///
/// Exact; O(1). One thread needs 52 bytes per point of `clouds.points()`; several threads need 60, and up to 16 *
/// threads^2 bytes for counters. Rounded up by less than 1 kB. Does not depend on the outputs.
template <class Points>
std::size_t voxelize_workspace_bytes(host_exec exec, batch<Points> const& clouds,
                                     voxelize_params<typename Points::scalar> const&,
                                     voxelize_output<typename Points::scalar> const&) noexcept {
  index_t const points = clouds.points().size();
  return detail::voxelize_host_plan{exec, points, points, {}}.workspace_size();
}

/// Computes a number of bytes of workspace that suffices for voxelize() of all batches within the limits on the host,
/// with any parameters and outputs. Monotonic in the limits. O(1).
/// @tparam Points  view type of the points, for example point_view<float>
/// @return ok | bad_argument; on failure `bound` is unchanged
template <class Points>
result voxelize_workspace_bound(host_exec exec, batch_limits const& limits, std::size_t& bound) noexcept {
  if (result const checked = detail::check_threads(exec); !checked) return checked;
  if (result const checked = detail::check_limits(limits); !checked) return checked;
  bound = detail::voxelize_host_plan{exec, limits.points, limits.points, {}}.workspace_size();
  return {};
}

/// Voxelization: finds the occupied voxels of a grid and aggregates the points of each (Zhou and Tuzel 2018; dynamic:
/// Zhou et al. 2020). The result has the same bits on every backend, for any block size and number of threads.
///
/// A point is left out if a coordinate is not finite, or if it lies outside of the grid, whose upper bound is
/// exclusive; see voxel_of(). Voxels are ordered by first occurrence or by grid cell, and their points by index. The
/// first max_voxels voxels of each cloud in that order are written, up to the capacity of the outputs. Each voxel keeps
/// its first, or random, max_points points. The report counts dropped points, each in exactly one counter. Empty clouds
/// have no voxels; a call may have no clouds.
///
/// @param exec       number of threads; blocks until done
/// @param clouds     `[clouds, n]` or ragged, meters, host memory
/// @param params     see voxelize_params; features in host memory
/// @param output     see voxelize_output
/// @param workspace  at least voxelize_workspace_bytes() bytes, 256-byte aligned, host memory
/// @return ok | bad_argument (a grid without voxels, or a voxel size that is not positive and finite; clouds x voxels
///         above 2^62; a negative limit; an output of the wrong size; missing features; 2^31 - 1 points or more; a
///         misaligned workspace) | workspace_too_small. On failure nothing is written. If offsets are invalid (see
///         batch), no voxel is written, and the report counts these offsets.
/// Complexity: O(n) expected, independent of the capacities, the size of the grid and the number of points per voxel.
/// For grid order one thread sorts the voxels. With several threads, each also reads the keys of all points to find its
/// own. One thread of a shared server takes 11 ms for 271,156 points of 5 features in 131,479 voxels;
/// docs/design/voxelize.md has more measurements. Thread-safe: concurrent calls must not share output or workspace.
template <class Points>
result voxelize(host_exec exec, batch<Points> const& clouds, voxelize_params<typename Points::scalar> const& params,
                voxelize_output<typename Points::scalar> const& output, bytes workspace) noexcept {
  return detail::voxelize_host(exec, clouds, params, output, workspace);
}

#if defined(__cpp_exceptions)

/// Voxels of one cloud, with the memory that holds them.
template <class Scalar>
struct voxels_of_cloud {
  std::vector<std::int32_t> coords;            ///< `[voxels, 3]`: index along x, y, z
  std::vector<std::int32_t> points_per_voxel;  ///< `[voxels]`: number of kept points
  std::vector<Scalar> centroids;               ///< `[voxels, 3]`: mean of the kept points (m)
  std::vector<float> means;                    ///< `[voxels, features]`; empty without params.features
  std::vector<std::int32_t> point_voxel;       ///< `[points]`: row of each point's voxel, or -1
  voxelize_report report;
  voxel_grid<Scalar> grid;  ///< grid in which the coordinates count
};

/// Voxelizes one cloud in a host container; allocates the workspace and the result: `auto voxels =
/// farpoint::voxelize(points, params);`
///
/// @param points  contiguous container of a type that has a point_layout
/// @param params  see voxelize_params; features in host memory
/// @param exec    number of threads; all cores by default
/// @throws std::invalid_argument with the reason; std::bad_alloc
template <class Container, class Scalar, class = detail::host_elements<Container const>>
auto voxelize(Container const& points, voxelize_params<Scalar> const& params, host_exec exec = {}) {
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
  voxels.grid = params.grid;
  detail::host_workspace const workspace{voxelize_workspace_bytes(exec, cloud, params, output)};
  result const outcome = voxelize(exec, cloud, params, output, workspace.get());
  if (!outcome) throw std::invalid_argument{outcome.reason};

  auto const written = static_cast<std::size_t>(voxels.report.voxels);
  voxels.coords.resize(written * 3);
  voxels.points_per_voxel.resize(written);
  voxels.centroids.resize(written * 3);
  voxels.means.resize(written * count);
  return voxels;
}

namespace detail {

/// Scalar type of the points of a container.
template <class Container>
using scalar_in = typename decltype(view_points(std::declval<Container const&>()))::scalar;

/// voxel_grid::around() for the convenience functions.
/// @throws std::invalid_argument for an edge that is not positive and finite, or that is too small
template <class Scalar, class Container>
voxel_grid<Scalar> grid_around(Container const& points, double edge) {
  bool const fits = edge > 0 && edge <= static_cast<double>(std::numeric_limits<Scalar>::max());
  auto const rounded = fits ? static_cast<Scalar>(edge) : Scalar(0);
  if (!(rounded > 0)) throw std::invalid_argument{"voxelize: the edge of a voxel is not positive and finite"};
  auto const grid = voxel_grid<Scalar>::around(points, rounded);
  if (grid.dims[0] == 0 || grid.dims[1] == 0 || grid.dims[2] == 0) {
    throw std::invalid_argument{"voxelize: the points extend over 2^31 voxels or more along an axis"};
  }
  return grid;
}

}  // namespace detail

/// Voxelizes one cloud in a host container by cubes with edges of `edge` meters, in the grid around the cloud: `auto
/// voxels = farpoint::voxelize(points, 0.5);`
///
/// @param points  contiguous container of a type that has a point_layout with three coordinates (m)
/// @param edge    edge length of a voxel (m)
/// @param params  parameters; `grid` is replaced by voxel_grid::around(points, edge)
/// @param exec    number of threads; all cores by default
/// @throws std::invalid_argument with the reason, such as an edge that is not positive and finite; std::bad_alloc
template <class Container, class Scalar = detail::scalar_in<Container>, class = detail::host_elements<Container const>>
auto voxelize(Container const& points, double edge, voxelize_params<Scalar> params = {}, host_exec exec = {}) {
  params.grid = detail::grid_around<Scalar>(points, edge);
  return voxelize(points, params, exec);
}

/// Result of downsample(), with the memory that holds it.
template <class Scalar>
struct downsampled_cloud {
  std::vector<std::array<Scalar, 3>> points;  ///< `[voxels]`: mean of each voxel's points (m)
  std::vector<float> means;                   ///< `[voxels, features]`: mean of each voxel's points
};

/// Downsamples one cloud in a host container to one point per cube with edges of `edge` meters, the mean of its points,
/// with the means of their features: `auto thin = farpoint::downsample(points, 0.5, features);`
///
/// Cubes are the voxels of voxel_grid::around(points, edge). Points are in the order of voxelize(), by first occurrence
/// of a point in each voxel. Non-finite points are left out.
/// @param points    contiguous container of a type that has a point_layout with three coordinates (m)
/// @param edge      edge length of a voxel (m)
/// @param features  one record per point, host memory
/// @param exec      number of threads; all cores by default
/// @throws std::invalid_argument with the reason, such as an edge that is not positive and finite; std::bad_alloc
/// Complexity: O(n) expected.
template <class Container, class Scalar = detail::scalar_in<Container>, class = detail::host_elements<Container const>>
auto downsample(Container const& points, double edge, feature_view const& features, host_exec exec = {}) {
  auto const view = view_points(points);
  using view_type = std::decay_t<decltype(view)>;
  batch<view_type> const cloud{view};
  voxelize_params<Scalar> params;
  params.grid = detail::grid_around<Scalar>(points, edge);
  params.features = features;
  auto const capacity = static_cast<std::size_t>(view.size());
  auto const count = static_cast<std::size_t>(features.count() < 0 ? 0 : features.count());
  downsampled_cloud<Scalar> thin{std::vector<std::array<Scalar, 3>>(capacity), std::vector<float>(capacity * count)};
  voxelize_report report;
  voxelize_output<Scalar> output;
  output.capacity = view.size();
  output.centroid = {reinterpret_cast<Scalar*>(thin.points.data()), 3 * capacity};
  output.mean = thin.means;
  output.report = &report;
  detail::host_workspace const workspace{voxelize_workspace_bytes(exec, cloud, params, output)};
  detail::require_ok(voxelize(exec, cloud, params, output, workspace.get()));
  thin.points.resize(static_cast<std::size_t>(report.voxels));
  thin.means.resize(thin.points.size() * count);
  return thin;
}

/// downsample() without features: `auto thin = farpoint::downsample(points, 0.5);`
/// @return `[voxels]`: mean of each voxel's points (m)
template <class Container, class Scalar = detail::scalar_in<Container>, class = detail::host_elements<Container const>>
auto downsample(Container const& points, double edge) {
  return downsample(points, edge, feature_view{}).points;
}

/// downsample() without features, on the threads of `exec`, a host_exec. Its type is deduced, so that `{}` as the third
/// argument means no features.
/// @return `[voxels]`: mean of each voxel's points (m)
template <class Container, class Exec, class Scalar = detail::scalar_in<Container>,
          class = detail::host_elements<Container const>, std::enable_if_t<std::is_same_v<Exec, host_exec>, int> = 0>
auto downsample(Container const& points, double edge, Exec exec) {
  return downsample(points, edge, feature_view{}, exec).points;
}

#endif  // defined(__cpp_exceptions)

FARPOINT_END_NAMESPACE

/// @file
/// The functions of the .cuh headers on clouds, on a stream, from the compiled library. runtime.hpp includes it, and
/// says what all of its functions promise.
///
/// Clouds of float16 are widened to float, which is exact: answers are the headers', a call takes one launch more for
/// each batch of clouds, and the workspace, or the memory of a BVH, is 12 bytes a point larger, for points and queries.
/// Searches among the points of a BVH need a workspace then, too. fps() reads float16 itself.
#pragma once

#include <farpoint/detail/fps/check.hpp>
#include <farpoint/runtime/stream_call.hpp>
#include <farpoint/types/device_point_bvh.hpp>
#include <farpoint/types/estimate_normals.hpp>
#include <farpoint/types/fps.hpp>
#include <farpoint/types/interpolate.hpp>
#include <farpoint/types/knn.hpp>
#include <farpoint/types/mean_knn_distance.hpp>
#include <farpoint/types/pillar_features.hpp>
#include <farpoint/types/radius.hpp>
#include <farpoint/types/voxelize.hpp>

FARPOINT_BEGIN_NAMESPACE

/// See <farpoint/offsets_of_sizes.cuh>
FARPOINT_API result offsets_of_sizes(cuda_exec exec, index_view sizes, span<index_t> offsets) noexcept;

/// @name fps(): see <farpoint/fps.cuh>
/// @{
template <class Coord, library::if_stream_coord<Coord> = 0>
std::size_t fps_workspace_bytes(cuda_exec exec, batch<point_view<Coord>> const& clouds,
                                fps_params const& params) noexcept {
  return library::size_of<library::function::fps>(exec, clouds, params);
}
template <class Coord, library::if_stream_coord<Coord> = 0>
result fps(cuda_exec exec, batch<point_view<Coord>> const& clouds, fps_params const& params,
           fps_output<scalar_of<Coord>> const& output, bytes workspace) noexcept {
  return library::run<library::function::fps>(exec, clouds, params, output, workspace);
}
/// @}

/// @name fps_weighted(), fps_extend() and poisson_subset(): see <farpoint/fps.cuh>
/// @{
template <class Coord, library::if_stream_coord<Coord> = 0>
std::size_t fps_weighted_workspace_bytes(cuda_exec exec, batch<point_view<Coord>> const& clouds) noexcept {
  return library::size_of<library::function::fps_weighted>(exec, clouds);
}
template <class Coord, library::if_stream_coord<Coord> = 0>
result fps_weighted(cuda_exec exec, batch<point_view<Coord>> const& clouds, span<scalar_of<Coord> const> weights,
                    fps_params const& params, fps_output<scalar_of<Coord>> const& output, bytes workspace) noexcept {
  return library::run<library::function::fps_weighted>(exec, clouds, weights, params, output, workspace);
}
template <class Coord, library::if_stream_coord<Coord> = 0>
result fps_extend(cuda_exec exec, point_view<Coord> const& cloud, index_t earlier, fps_params params,
                  fps_output<scalar_of<Coord>> output, bytes workspace) noexcept {
  if (result const checked = detail::fps_extension(earlier, params, output); !checked) return checked;
  return fps(exec, batch<point_view<Coord>>{cloud}, params, output, workspace);
}
template <class Coord, library::if_stream_coord<Coord> = 0>
std::size_t poisson_subset_workspace_bytes(cuda_exec exec, batch<point_view<Coord>> const& clouds,
                                           index_t room) noexcept {
  fps_params params;
  params.samples = room;
  return fps_workspace_bytes(exec, clouds, params);
}
template <class Coord, library::if_stream_coord<Coord> = 0>
result poisson_subset(cuda_exec exec, batch<point_view<Coord>> const& clouds, double radius,
                      fps_output<scalar_of<Coord>> const& output, bytes workspace) noexcept {
  fps_params params;
  if (result const bad = detail::poisson_subset_params(clouds, radius, output, params); !bad) return bad;
  return fps(exec, clouds, params, output, workspace);
}
/// @}

/// @name voxelize() and pillar_features(): see <farpoint/voxelize.cuh> and <farpoint/pillar_features.cuh>
/// @{
template <class Coord, library::if_stream_coord<Coord> = 0>
std::size_t voxelize_workspace_bytes(cuda_exec exec, batch<point_view<Coord>> const& clouds,
                                     voxelize_params<scalar_of<Coord>> const& params,
                                     voxelize_output<scalar_of<Coord>> const& output) noexcept {
  return library::size_of<library::function::voxelize>(exec, clouds, params, output);
}
template <class Coord, library::if_stream_coord<Coord> = 0>
result voxelize(cuda_exec exec, batch<point_view<Coord>> const& clouds, voxelize_params<scalar_of<Coord>> const& params,
                voxelize_output<scalar_of<Coord>> const& output, bytes workspace) noexcept {
  return library::run<library::function::voxelize>(exec, clouds, params, output, workspace);
}
FARPOINT_API result pillar_features(cuda_exec exec, voxelize_params<float> const& params,
                                    voxelize_output<float> const& voxels, pillar_centers centers,
                                    feature_span output) noexcept;
/// @}

/// @name knn(): see <farpoint/knn.cuh>
/// @{
template <class Coord, library::if_stream_coord<Coord> = 0>
std::size_t knn_workspace_bytes(cuda_exec exec, batch<point_view<Coord>> const& points,
                                batch<point_view<Coord>> const& queries, knn_params const& params) noexcept {
  return library::size_of<library::function::knn>(exec, points, queries, params);
}
template <class Coord, library::if_stream_coord<Coord> = 0>
std::size_t knn_workspace_bytes(cuda_exec exec, batch<point_view<Coord>> const& points,
                                knn_params const& params) noexcept {
  return library::size_of<library::function::knn>(exec, points, params);
}
template <class Coord, library::if_stream_coord<Coord> = 0>
result knn(cuda_exec exec, batch<point_view<Coord>> const& points, batch<point_view<Coord>> const& queries,
           knn_params const& params, knn_output<scalar_of<Coord>> const& output, bytes workspace) noexcept {
  return library::run<library::function::knn>(exec, points, queries, params, output, workspace);
}
template <class Coord, library::if_stream_coord<Coord> = 0>
result knn(cuda_exec exec, batch<point_view<Coord>> const& points, knn_params const& params,
           knn_output<scalar_of<Coord>> const& output, bytes workspace) noexcept {
  return library::run<library::function::knn>(exec, points, params, output, workspace);
}
/// @}

/// @name build_point_bvh() and knn() among the points of a BVH: see <farpoint/point_bvh.cuh>
/// @{
template <class Coord, library::if_stream_coord<Coord> = 0>
std::size_t point_bvh_bytes(cuda_exec exec, batch<point_view<Coord>> const& points) noexcept {
  return library::size_of<library::function::build_point_bvh>(exec, points);
}
template <class Coord, library::if_stream_coord<Coord> = 0>
result build_point_bvh(cuda_exec exec, batch<point_view<Coord>> const& points, bytes memory,
                       device_point_bvh<scalar_of<Coord>>& index) noexcept {
  return library::run<library::function::build_point_bvh>(exec, points, memory, &index);
}
template <class Coord, library::if_stream_coord<Coord> = 0>
std::size_t knn_workspace_bytes(cuda_exec exec, device_point_bvh<scalar_of<Coord>> const& index,
                                batch<point_view<Coord>> const& queries, knn_params const& = {}) noexcept {
  return library::size_of<library::function::knn>(exec, index, queries);
}
template <class Coord, library::if_stream_coord<Coord> = 0>
result knn(cuda_exec exec, device_point_bvh<scalar_of<Coord>> const& index, batch<point_view<Coord>> const& queries,
           knn_params const& params, knn_output<scalar_of<Coord>> const& output, bytes workspace = {}) noexcept {
  return library::run<library::function::knn>(exec, index, queries, params, output, workspace);
}
/// @}

/// @name radius() and radius_rows(): see <farpoint/radius.cuh>
/// @{
template <class Coord, library::if_stream_coord<Coord> = 0>
std::size_t radius_workspace_bytes(cuda_exec exec, batch<point_view<Coord>> const& points,
                                   batch<point_view<Coord>> const& queries, radius_params const& = {}) noexcept {
  return library::size_of<library::function::radius>(exec, points, queries);
}
template <class Coord, library::if_stream_coord<Coord> = 0>
std::size_t radius_workspace_bytes(cuda_exec exec, batch<point_view<Coord>> const& points,
                                   radius_params const& = {}) noexcept {
  return library::size_of<library::function::radius>(exec, points);
}
template <class Coord, library::if_stream_coord<Coord> = 0>
result radius(cuda_exec exec, batch<point_view<Coord>> const& points, batch<point_view<Coord>> const& queries,
              radius_params const& params, radius_output<scalar_of<Coord>> const& output, bytes workspace) noexcept {
  return library::run<library::function::radius>(exec, points, queries, params, output, workspace);
}
template <class Coord, library::if_stream_coord<Coord> = 0>
result radius(cuda_exec exec, batch<point_view<Coord>> const& points, radius_params const& params,
              radius_output<scalar_of<Coord>> const& output, bytes workspace) noexcept {
  return library::run<library::function::radius>(exec, points, params, output, workspace);
}
template <class Coord, library::if_stream_coord<Coord> = 0>
result radius_rows(cuda_exec exec, batch<point_view<Coord>> const& points, batch<point_view<Coord>> const& queries,
                   radius_params const& params, radius_rows_output<scalar_of<Coord>> const& output,
                   bytes workspace) noexcept {
  return library::run<library::function::radius_rows>(exec, points, queries, params, output, workspace);
}
template <class Coord, library::if_stream_coord<Coord> = 0>
result radius_rows(cuda_exec exec, batch<point_view<Coord>> const& points, radius_params const& params,
                   radius_rows_output<scalar_of<Coord>> const& output, bytes workspace) noexcept {
  return library::run<library::function::radius_rows>(exec, points, params, output, workspace);
}
template <class Coord, library::if_stream_coord<Coord> = 0>
std::size_t radius_workspace_bytes(cuda_exec exec, device_point_bvh<scalar_of<Coord>> const& index,
                                   batch<point_view<Coord>> const& queries, radius_params const& = {}) noexcept {
  return library::size_of<library::function::radius>(exec, index, queries);
}
template <class Coord, library::if_stream_coord<Coord> = 0>
result radius(cuda_exec exec, device_point_bvh<scalar_of<Coord>> const& index, batch<point_view<Coord>> const& queries,
              radius_params const& params, radius_output<scalar_of<Coord>> const& output,
              bytes workspace = {}) noexcept {
  return library::run<library::function::radius>(exec, index, queries, params, output, workspace);
}
template <class Coord, library::if_stream_coord<Coord> = 0>
std::size_t radius_workspace_bytes(cuda_exec exec, device_point_bvh<scalar_of<Coord>> const& index,
                                   batch<point_view<Coord>> const& points, batch<point_view<Coord>> const& queries,
                                   radius_params const& = {}) noexcept {
  return library::size_of<library::function::radius_rows>(exec, index, points, queries);
}
template <class Coord, library::if_stream_coord<Coord> = 0>
result radius_rows(cuda_exec exec, device_point_bvh<scalar_of<Coord>> const& index,
                   batch<point_view<Coord>> const& points, batch<point_view<Coord>> const& queries,
                   radius_params const& params, radius_rows_output<scalar_of<Coord>> const& output,
                   bytes workspace) noexcept {
  return library::run<library::function::radius_rows>(exec, index, points, queries, params, output, workspace);
}
/// @}

/// @name estimate_normals(): see <farpoint/estimate_normals.cuh>
/// @{
template <class Coord, library::if_stream_coord<Coord> = 0>
std::size_t estimate_normals_workspace_bytes(cuda_exec exec, batch<point_view<Coord>> const& points,
                                             normals_params const& params) noexcept {
  return library::size_of<library::function::estimate_normals>(exec, points, params);
}
template <class Coord, library::if_stream_coord<Coord> = 0>
result estimate_normals(cuda_exec exec, batch<point_view<Coord>> const& points, normals_params const& params,
                        normals_output<scalar_of<Coord>> const& output, bytes workspace) noexcept {
  return library::run<library::function::estimate_normals>(exec, points, params, output, workspace);
}
template <class Coord, library::if_stream_coord<Coord> = 0>
std::size_t estimate_normals_workspace_bytes(cuda_exec exec, device_point_bvh<scalar_of<Coord>> const& index,
                                             batch<point_view<Coord>> const& points,
                                             normals_params const& params) noexcept {
  return library::size_of<library::function::estimate_normals>(exec, index, points, params);
}
template <class Coord, library::if_stream_coord<Coord> = 0>
result estimate_normals(cuda_exec exec, device_point_bvh<scalar_of<Coord>> const& index,
                        batch<point_view<Coord>> const& points, normals_params const& params,
                        normals_output<scalar_of<Coord>> const& output, bytes workspace = {}) noexcept {
  return library::run<library::function::estimate_normals>(exec, index, points, params, output, workspace);
}
/// @}

/// @name mean_knn_distance(): see <farpoint/mean_knn_distance.cuh>
/// @{
template <class Coord, library::if_stream_coord<Coord> = 0>
std::size_t mean_knn_distance_workspace_bytes(cuda_exec exec, batch<point_view<Coord>> const& points,
                                              mean_knn_distance_params const& params) noexcept {
  return library::size_of<library::function::mean_knn_distance>(exec, points, params);
}
template <class Coord, library::if_stream_coord<Coord> = 0>
result mean_knn_distance(cuda_exec exec, batch<point_view<Coord>> const& points, mean_knn_distance_params const& params,
                         mean_knn_distance_output<scalar_of<Coord>> const& output, bytes workspace) noexcept {
  return library::run<library::function::mean_knn_distance>(exec, points, params, output, workspace);
}
template <class Coord, library::if_stream_coord<Coord> = 0>
std::size_t mean_knn_distance_workspace_bytes(cuda_exec exec, device_point_bvh<scalar_of<Coord>> const& index,
                                              batch<point_view<Coord>> const& points,
                                              mean_knn_distance_params const& params) noexcept {
  return library::size_of<library::function::mean_knn_distance>(exec, index, points, params);
}
template <class Coord, library::if_stream_coord<Coord> = 0>
result mean_knn_distance(cuda_exec exec, device_point_bvh<scalar_of<Coord>> const& index,
                         batch<point_view<Coord>> const& points, mean_knn_distance_params const& params,
                         mean_knn_distance_output<scalar_of<Coord>> const& output, bytes workspace = {}) noexcept {
  return library::run<library::function::mean_knn_distance>(exec, index, points, params, output, workspace);
}
/// @}

/// @name interpolate(): see <farpoint/interpolate.cuh>
/// @{
template <class Coord, library::if_stream_coord<Coord> = 0>
std::size_t interpolate_workspace_bytes(cuda_exec exec, batch<point_view<Coord>> const& points,
                                        batch<point_view<Coord>> const& queries) noexcept {
  return library::size_of<library::function::interpolate>(exec, points, queries);
}
template <class Coord, library::if_stream_coord<Coord> = 0>
result interpolate(cuda_exec exec, batch<point_view<Coord>> const& points, span<float const> features,
                   batch<point_view<Coord>> const& queries, index_t channels, interpolate_output const& output,
                   bytes workspace) noexcept {
  return library::run<library::function::interpolate>(exec, points, features, queries, channels, output, workspace);
}
template <class Coord, library::if_stream_coord<Coord> = 0>
std::size_t interpolate_workspace_bytes(cuda_exec exec, device_point_bvh<scalar_of<Coord>> const& index,
                                        batch<point_view<Coord>> const& queries) noexcept {
  return library::size_of<library::function::interpolate>(exec, index, queries);
}
template <class Coord, library::if_stream_coord<Coord> = 0>
result interpolate(cuda_exec exec, device_point_bvh<scalar_of<Coord>> const& index, span<float const> features,
                   batch<point_view<Coord>> const& queries, index_t channels, interpolate_output const& output,
                   bytes workspace = {}) noexcept {
  return library::run<library::function::interpolate>(exec, index, features, queries, channels, output, workspace);
}
/// @}

FARPOINT_END_NAMESPACE

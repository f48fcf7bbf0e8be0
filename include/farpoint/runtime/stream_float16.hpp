/// @file
/// The functions of stream_calls.hpp for clouds of float16, from the compiled library. fps(), and what is in
/// stream_screen.hpp, is with those of the other types.
///
/// The library widens such clouds to float, which is exact, and goes on with these: the answers are the headers', and a
/// call takes one launch more for each batch of clouds. The workspace, or the memory of a BVH, is 12 bytes a point
/// larger, for points and queries, and is needed by searches among the points of a BVH, too.
///
/// In files that nvcc compiles, such calls go to the .cuh headers, which read float16 themselves and need less: a
/// workspace is measured where it is used.
#pragma once

#include <farpoint/runtime/stream_calls.hpp>
#include <farpoint/runtime/stream_screen.hpp>

#if !defined(__CUDACC__)

FARPOINT_BEGIN_NAMESPACE

/// @name voxelize() and pillar_features(): see <farpoint/voxelize.cuh> and <farpoint/pillar_features.cuh>
/// @{
FARPOINT_API std::size_t voxelize_workspace_bytes(cuda_exec exec, batch<point_view<float16>> const& clouds,
                                                  voxelize_params<float> const& params,
                                                  voxelize_output<float> const& output) noexcept;
FARPOINT_API result voxelize(cuda_exec exec, batch<point_view<float16>> const& clouds,
                             voxelize_params<float> const& params, voxelize_output<float> const& output,
                             bytes workspace) noexcept;
/// @}

/// @name knn(): see <farpoint/knn.cuh>
/// @{
FARPOINT_API std::size_t knn_workspace_bytes(cuda_exec exec, batch<point_view<float16>> const& points,
                                             batch<point_view<float16>> const& queries, exact const& method,
                                             index_t k) noexcept;
FARPOINT_API std::size_t knn_workspace_bytes(cuda_exec exec, batch<point_view<float16>> const& points,
                                             exact const& method, index_t k) noexcept;
FARPOINT_API result knn(cuda_exec exec, batch<point_view<float16>> const& points,
                        batch<point_view<float16>> const& queries, exact const& method, index_t k,
                        knn_output<float> const& output, bytes workspace) noexcept;
FARPOINT_API result knn(cuda_exec exec, batch<point_view<float16>> const& points, exact const& method, index_t k,
                        knn_output<float> const& output, bytes workspace) noexcept;
/// @}

/// @name build_point_bvh() and knn() among the points of a BVH: see <farpoint/point_bvh.cuh>
/// @{
FARPOINT_API std::size_t point_bvh_bytes(cuda_exec exec, batch<point_view<float16>> const& points) noexcept;
FARPOINT_API result build_point_bvh(cuda_exec exec, batch<point_view<float16>> const& points, bytes memory,
                                    device_point_bvh<float>& index) noexcept;
FARPOINT_API std::size_t knn_workspace_bytes(cuda_exec exec, device_point_bvh<float> const& index,
                                             batch<point_view<float16>> const& queries) noexcept;
FARPOINT_API result knn(cuda_exec exec, device_point_bvh<float> const& index, batch<point_view<float16>> const& queries,
                        exact const& method, index_t k, knn_output<float> const& output, bytes workspace) noexcept;
/// @}

/// @name radius() and radius_rows(): see <farpoint/radius.cuh>
/// @{
FARPOINT_API std::size_t radius_workspace_bytes(cuda_exec exec, batch<point_view<float16>> const& points,
                                                batch<point_view<float16>> const& queries) noexcept;
FARPOINT_API std::size_t radius_workspace_bytes(cuda_exec exec, batch<point_view<float16>> const& points) noexcept;
FARPOINT_API result radius(cuda_exec exec, batch<point_view<float16>> const& points,
                           batch<point_view<float16>> const& queries, radius_params const& params, index_t max,
                           radius_output<float> const& output, bytes workspace) noexcept;
FARPOINT_API result radius(cuda_exec exec, batch<point_view<float16>> const& points, radius_params const& params,
                           index_t max, radius_output<float> const& output, bytes workspace) noexcept;
FARPOINT_API result radius_rows(cuda_exec exec, batch<point_view<float16>> const& points,
                                batch<point_view<float16>> const& queries, radius_params const& params,
                                radius_rows_output<float> const& output, bytes workspace) noexcept;
FARPOINT_API result radius_rows(cuda_exec exec, batch<point_view<float16>> const& points, radius_params const& params,
                                radius_rows_output<float> const& output, bytes workspace) noexcept;
FARPOINT_API std::size_t radius_workspace_bytes(cuda_exec exec, device_point_bvh<float> const& index,
                                                batch<point_view<float16>> const& queries) noexcept;
FARPOINT_API result radius(cuda_exec exec, device_point_bvh<float> const& index,
                           batch<point_view<float16>> const& queries, radius_params const& params, index_t max,
                           radius_output<float> const& output, bytes workspace) noexcept;
FARPOINT_API std::size_t radius_workspace_bytes(cuda_exec exec, device_point_bvh<float> const& index,
                                                batch<point_view<float16>> const& points,
                                                batch<point_view<float16>> const& queries) noexcept;
FARPOINT_API result radius_rows(cuda_exec exec, device_point_bvh<float> const& index,
                                batch<point_view<float16>> const& points, batch<point_view<float16>> const& queries,
                                radius_params const& params, radius_rows_output<float> const& output,
                                bytes workspace) noexcept;
/// @}

/// @name estimate_normals(): see <farpoint/estimate_normals.cuh>
/// @{
FARPOINT_API std::size_t estimate_normals_workspace_bytes(cuda_exec exec, batch<point_view<float16>> const& points,
                                                          normals_params const& params) noexcept;
FARPOINT_API result estimate_normals(cuda_exec exec, batch<point_view<float16>> const& points,
                                     normals_params const& params, normals_output<float> const& output,
                                     bytes workspace) noexcept;
FARPOINT_API std::size_t estimate_normals_workspace_bytes(cuda_exec exec, device_point_bvh<float> const& index,
                                                          batch<point_view<float16>> const& points,
                                                          normals_params const& params) noexcept;
FARPOINT_API result estimate_normals(cuda_exec exec, device_point_bvh<float> const& index,
                                     batch<point_view<float16>> const& points, normals_params const& params,
                                     normals_output<float> const& output, bytes workspace) noexcept;
/// @}

/// @name mean_knn_distance(): see <farpoint/mean_knn_distance.cuh>
/// @{
FARPOINT_API std::size_t mean_knn_distance_workspace_bytes(cuda_exec exec, batch<point_view<float16>> const& points,
                                                           index_t k) noexcept;
FARPOINT_API result mean_knn_distance(cuda_exec exec, batch<point_view<float16>> const& points, index_t k,
                                      span<float> means, bytes workspace, knn_report* report = nullptr) noexcept;
FARPOINT_API std::size_t mean_knn_distance_workspace_bytes(cuda_exec exec, device_point_bvh<float> const& index,
                                                           batch<point_view<float16>> const& points,
                                                           index_t k) noexcept;
FARPOINT_API result mean_knn_distance(cuda_exec exec, device_point_bvh<float> const& index,
                                      batch<point_view<float16>> const& points, index_t k, span<float> means,
                                      bytes workspace, knn_report* report = nullptr) noexcept;
/// @}

/// @name interpolate(): see <farpoint/interpolate.cuh>
/// @{
FARPOINT_API std::size_t interpolate_workspace_bytes(cuda_exec exec, batch<point_view<float16>> const& points,
                                                     batch<point_view<float16>> const& queries) noexcept;
FARPOINT_API result interpolate(cuda_exec exec, batch<point_view<float16>> const& points, span<float const> features,
                                batch<point_view<float16>> const& queries, index_t channels,
                                interpolate_output const& output, bytes workspace) noexcept;
FARPOINT_API std::size_t interpolate_workspace_bytes(cuda_exec exec, device_point_bvh<float> const& index,
                                                     batch<point_view<float16>> const& queries) noexcept;
FARPOINT_API result interpolate(cuda_exec exec, device_point_bvh<float> const& index, span<float const> features,
                                batch<point_view<float16>> const& queries, index_t channels,
                                interpolate_output const& output, bytes workspace) noexcept;
/// @}

FARPOINT_END_NAMESPACE

#endif

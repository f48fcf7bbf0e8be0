/// @file
/// The functions of the .cuh headers on clouds, on a stream, from the compiled library. runtime.hpp includes it, and
/// says what all of its functions promise.
#pragma once

#include <farpoint/core/batch.hpp>
#include <farpoint/core/cuda_exec.hpp>
#include <farpoint/core/status.hpp>
#include <farpoint/runtime/api.hpp>
#include <farpoint/types/device_point_bvh.hpp>
#include <farpoint/types/estimate_normals.hpp>
#include <farpoint/types/fps.hpp>
#include <farpoint/types/interpolate.hpp>
#include <farpoint/types/knn.hpp>
#include <farpoint/types/pillar_features.hpp>
#include <farpoint/types/radius.hpp>
#include <farpoint/types/voxelize.hpp>

FARPOINT_BEGIN_NAMESPACE

/// See <farpoint/offsets_of_sizes.cuh>
FARPOINT_API result offsets_of_sizes(cuda_exec exec, index_view sizes, span<index_t> offsets) noexcept;

/// @name fps(): see <farpoint/fps.cuh>
/// @{
FARPOINT_API std::size_t fps_workspace_bytes(cuda_exec exec, batch<point_view<float>> const& clouds,
                                             fps_params const& params) noexcept;
FARPOINT_API result fps(cuda_exec exec, batch<point_view<float>> const& clouds, fps_params const& params,
                        fps_output<float> const& output, bytes workspace) noexcept;
FARPOINT_API std::size_t fps_workspace_bytes(cuda_exec exec, batch<point_view<double>> const& clouds,
                                             fps_params const& params) noexcept;
FARPOINT_API result fps(cuda_exec exec, batch<point_view<double>> const& clouds, fps_params const& params,
                        fps_output<double> const& output, bytes workspace) noexcept;
FARPOINT_API std::size_t fps_workspace_bytes(cuda_exec exec, batch<point_view<float16>> const& clouds,
                                             fps_params const& params) noexcept;
FARPOINT_API result fps(cuda_exec exec, batch<point_view<float16>> const& clouds, fps_params const& params,
                        fps_output<float> const& output, bytes workspace) noexcept;
/// @}

/// @name voxelize() and pillar_features(): see <farpoint/voxelize.cuh> and <farpoint/pillar_features.cuh>
/// @{
FARPOINT_API std::size_t voxelize_workspace_bytes(cuda_exec exec, batch<point_view<float>> const& clouds,
                                                  voxelize_params<float> const& params,
                                                  voxelize_output<float> const& output) noexcept;
FARPOINT_API result voxelize(cuda_exec exec, batch<point_view<float>> const& clouds,
                             voxelize_params<float> const& params, voxelize_output<float> const& output,
                             bytes workspace) noexcept;
FARPOINT_API std::size_t voxelize_workspace_bytes(cuda_exec exec, batch<point_view<double>> const& clouds,
                                                  voxelize_params<double> const& params,
                                                  voxelize_output<double> const& output) noexcept;
FARPOINT_API result voxelize(cuda_exec exec, batch<point_view<double>> const& clouds,
                             voxelize_params<double> const& params, voxelize_output<double> const& output,
                             bytes workspace) noexcept;
FARPOINT_API result pillar_features(cuda_exec exec, voxelize_params<float> const& params,
                                    voxelize_output<float> const& voxels, pillar_centers centers,
                                    feature_span output) noexcept;
/// @}

/// @name knn(): see <farpoint/knn.cuh>
/// @{
FARPOINT_API std::size_t knn_workspace_bytes(cuda_exec exec, batch<point_view<float>> const& points,
                                             batch<point_view<float>> const& queries, exact const& method,
                                             index_t k) noexcept;
FARPOINT_API std::size_t knn_workspace_bytes(cuda_exec exec, batch<point_view<float>> const& points,
                                             exact const& method, index_t k) noexcept;
FARPOINT_API result knn(cuda_exec exec, batch<point_view<float>> const& points, batch<point_view<float>> const& queries,
                        exact const& method, index_t k, knn_output<float> const& output, bytes workspace) noexcept;
FARPOINT_API result knn(cuda_exec exec, batch<point_view<float>> const& points, exact const& method, index_t k,
                        knn_output<float> const& output, bytes workspace) noexcept;
FARPOINT_API std::size_t knn_workspace_bytes(cuda_exec exec, batch<point_view<double>> const& points,
                                             batch<point_view<double>> const& queries, exact const& method,
                                             index_t k) noexcept;
FARPOINT_API std::size_t knn_workspace_bytes(cuda_exec exec, batch<point_view<double>> const& points,
                                             exact const& method, index_t k) noexcept;
FARPOINT_API result knn(cuda_exec exec, batch<point_view<double>> const& points,
                        batch<point_view<double>> const& queries, exact const& method, index_t k,
                        knn_output<double> const& output, bytes workspace) noexcept;
FARPOINT_API result knn(cuda_exec exec, batch<point_view<double>> const& points, exact const& method, index_t k,
                        knn_output<double> const& output, bytes workspace) noexcept;
/// @}

/// @name build_point_bvh() and knn() among the points of a BVH: see <farpoint/point_bvh.cuh>
/// @{
FARPOINT_API std::size_t point_bvh_bytes(cuda_exec exec, batch<point_view<float>> const& points) noexcept;
FARPOINT_API result build_point_bvh(cuda_exec exec, batch<point_view<float>> const& points, bytes memory,
                                    device_point_bvh<float>& index) noexcept;
FARPOINT_API std::size_t knn_workspace_bytes(cuda_exec exec, device_point_bvh<float> const& index,
                                             batch<point_view<float>> const& queries) noexcept;
FARPOINT_API result knn(cuda_exec exec, device_point_bvh<float> const& index, batch<point_view<float>> const& queries,
                        exact const& method, index_t k, knn_output<float> const& output, bytes workspace = {}) noexcept;
FARPOINT_API std::size_t point_bvh_bytes(cuda_exec exec, batch<point_view<double>> const& points) noexcept;
FARPOINT_API result build_point_bvh(cuda_exec exec, batch<point_view<double>> const& points, bytes memory,
                                    device_point_bvh<double>& index) noexcept;
FARPOINT_API std::size_t knn_workspace_bytes(cuda_exec exec, device_point_bvh<double> const& index,
                                             batch<point_view<double>> const& queries) noexcept;
FARPOINT_API result knn(cuda_exec exec, device_point_bvh<double> const& index, batch<point_view<double>> const& queries,
                        exact const& method, index_t k, knn_output<double> const& output,
                        bytes workspace = {}) noexcept;
/// @}

/// @name radius() and radius_rows(): see <farpoint/radius.cuh>
/// @{
FARPOINT_API std::size_t radius_workspace_bytes(cuda_exec exec, batch<point_view<float>> const& points,
                                                batch<point_view<float>> const& queries) noexcept;
FARPOINT_API std::size_t radius_workspace_bytes(cuda_exec exec, batch<point_view<float>> const& points) noexcept;
FARPOINT_API result radius(cuda_exec exec, batch<point_view<float>> const& points,
                           batch<point_view<float>> const& queries, radius_params const& params, index_t max,
                           radius_output<float> const& output, bytes workspace) noexcept;
FARPOINT_API result radius(cuda_exec exec, batch<point_view<float>> const& points, radius_params const& params,
                           index_t max, radius_output<float> const& output, bytes workspace) noexcept;
FARPOINT_API result radius_rows(cuda_exec exec, batch<point_view<float>> const& points,
                                batch<point_view<float>> const& queries, radius_params const& params,
                                radius_rows_output<float> const& output, bytes workspace) noexcept;
FARPOINT_API result radius_rows(cuda_exec exec, batch<point_view<float>> const& points, radius_params const& params,
                                radius_rows_output<float> const& output, bytes workspace) noexcept;
FARPOINT_API std::size_t radius_workspace_bytes(cuda_exec exec, batch<point_view<double>> const& points,
                                                batch<point_view<double>> const& queries) noexcept;
FARPOINT_API std::size_t radius_workspace_bytes(cuda_exec exec, batch<point_view<double>> const& points) noexcept;
FARPOINT_API result radius(cuda_exec exec, batch<point_view<double>> const& points,
                           batch<point_view<double>> const& queries, radius_params const& params, index_t max,
                           radius_output<double> const& output, bytes workspace) noexcept;
FARPOINT_API result radius(cuda_exec exec, batch<point_view<double>> const& points, radius_params const& params,
                           index_t max, radius_output<double> const& output, bytes workspace) noexcept;
FARPOINT_API result radius_rows(cuda_exec exec, batch<point_view<double>> const& points,
                                batch<point_view<double>> const& queries, radius_params const& params,
                                radius_rows_output<double> const& output, bytes workspace) noexcept;
FARPOINT_API result radius_rows(cuda_exec exec, batch<point_view<double>> const& points, radius_params const& params,
                                radius_rows_output<double> const& output, bytes workspace) noexcept;
FARPOINT_API std::size_t radius_workspace_bytes(cuda_exec exec, device_point_bvh<float> const& index,
                                                batch<point_view<float>> const& queries) noexcept;
FARPOINT_API result radius(cuda_exec exec, device_point_bvh<float> const& index,
                           batch<point_view<float>> const& queries, radius_params const& params, index_t max,
                           radius_output<float> const& output, bytes workspace = {}) noexcept;
FARPOINT_API std::size_t radius_workspace_bytes(cuda_exec exec, device_point_bvh<float> const& index,
                                                batch<point_view<float>> const& points,
                                                batch<point_view<float>> const& queries) noexcept;
FARPOINT_API result radius_rows(cuda_exec exec, device_point_bvh<float> const& index,
                                batch<point_view<float>> const& points, batch<point_view<float>> const& queries,
                                radius_params const& params, radius_rows_output<float> const& output,
                                bytes workspace) noexcept;
FARPOINT_API std::size_t radius_workspace_bytes(cuda_exec exec, device_point_bvh<double> const& index,
                                                batch<point_view<double>> const& queries) noexcept;
FARPOINT_API result radius(cuda_exec exec, device_point_bvh<double> const& index,
                           batch<point_view<double>> const& queries, radius_params const& params, index_t max,
                           radius_output<double> const& output, bytes workspace = {}) noexcept;
FARPOINT_API std::size_t radius_workspace_bytes(cuda_exec exec, device_point_bvh<double> const& index,
                                                batch<point_view<double>> const& points,
                                                batch<point_view<double>> const& queries) noexcept;
FARPOINT_API result radius_rows(cuda_exec exec, device_point_bvh<double> const& index,
                                batch<point_view<double>> const& points, batch<point_view<double>> const& queries,
                                radius_params const& params, radius_rows_output<double> const& output,
                                bytes workspace) noexcept;
/// @}

/// @name estimate_normals(): see <farpoint/estimate_normals.cuh>
/// @{
FARPOINT_API std::size_t estimate_normals_workspace_bytes(cuda_exec exec, batch<point_view<float>> const& points,
                                                          normals_params const& params) noexcept;
FARPOINT_API result estimate_normals(cuda_exec exec, batch<point_view<float>> const& points,
                                     normals_params const& params, normals_output<float> const& output,
                                     bytes workspace) noexcept;
FARPOINT_API std::size_t estimate_normals_workspace_bytes(cuda_exec exec, batch<point_view<double>> const& points,
                                                          normals_params const& params) noexcept;
FARPOINT_API result estimate_normals(cuda_exec exec, batch<point_view<double>> const& points,
                                     normals_params const& params, normals_output<double> const& output,
                                     bytes workspace) noexcept;
FARPOINT_API std::size_t estimate_normals_workspace_bytes(cuda_exec exec, device_point_bvh<float> const& index,
                                                          batch<point_view<float>> const& points,
                                                          normals_params const& params) noexcept;
FARPOINT_API result estimate_normals(cuda_exec exec, device_point_bvh<float> const& index,
                                     batch<point_view<float>> const& points, normals_params const& params,
                                     normals_output<float> const& output, bytes workspace = {}) noexcept;
FARPOINT_API std::size_t estimate_normals_workspace_bytes(cuda_exec exec, device_point_bvh<double> const& index,
                                                          batch<point_view<double>> const& points,
                                                          normals_params const& params) noexcept;
FARPOINT_API result estimate_normals(cuda_exec exec, device_point_bvh<double> const& index,
                                     batch<point_view<double>> const& points, normals_params const& params,
                                     normals_output<double> const& output, bytes workspace = {}) noexcept;
/// @}

/// @name mean_knn_distance(): see <farpoint/mean_knn_distance.cuh>
/// @{
FARPOINT_API std::size_t mean_knn_distance_workspace_bytes(cuda_exec exec, batch<point_view<float>> const& points,
                                                           index_t k) noexcept;
FARPOINT_API result mean_knn_distance(cuda_exec exec, batch<point_view<float>> const& points, index_t k,
                                      span<float> means, bytes workspace, knn_report* report = nullptr) noexcept;
FARPOINT_API std::size_t mean_knn_distance_workspace_bytes(cuda_exec exec, batch<point_view<double>> const& points,
                                                           index_t k) noexcept;
FARPOINT_API result mean_knn_distance(cuda_exec exec, batch<point_view<double>> const& points, index_t k,
                                      span<double> means, bytes workspace, knn_report* report = nullptr) noexcept;
FARPOINT_API std::size_t mean_knn_distance_workspace_bytes(cuda_exec exec, device_point_bvh<float> const& index,
                                                           batch<point_view<float>> const& points, index_t k) noexcept;
FARPOINT_API result mean_knn_distance(cuda_exec exec, device_point_bvh<float> const& index,
                                      batch<point_view<float>> const& points, index_t k, span<float> means,
                                      bytes workspace = {}, knn_report* report = nullptr) noexcept;
FARPOINT_API std::size_t mean_knn_distance_workspace_bytes(cuda_exec exec, device_point_bvh<double> const& index,
                                                           batch<point_view<double>> const& points, index_t k) noexcept;
FARPOINT_API result mean_knn_distance(cuda_exec exec, device_point_bvh<double> const& index,
                                      batch<point_view<double>> const& points, index_t k, span<double> means,
                                      bytes workspace = {}, knn_report* report = nullptr) noexcept;
/// @}

/// @name interpolate(): see <farpoint/interpolate.cuh>
/// @{
FARPOINT_API std::size_t interpolate_workspace_bytes(cuda_exec exec, batch<point_view<float>> const& points,
                                                     batch<point_view<float>> const& queries) noexcept;
FARPOINT_API result interpolate(cuda_exec exec, batch<point_view<float>> const& points, span<float const> features,
                                batch<point_view<float>> const& queries, index_t channels,
                                interpolate_output const& output, bytes workspace) noexcept;
FARPOINT_API std::size_t interpolate_workspace_bytes(cuda_exec exec, batch<point_view<double>> const& points,
                                                     batch<point_view<double>> const& queries) noexcept;
FARPOINT_API result interpolate(cuda_exec exec, batch<point_view<double>> const& points, span<float const> features,
                                batch<point_view<double>> const& queries, index_t channels,
                                interpolate_output const& output, bytes workspace) noexcept;
FARPOINT_API std::size_t interpolate_workspace_bytes(cuda_exec exec, device_point_bvh<float> const& index,
                                                     batch<point_view<float>> const& queries) noexcept;
FARPOINT_API result interpolate(cuda_exec exec, device_point_bvh<float> const& index, span<float const> features,
                                batch<point_view<float>> const& queries, index_t channels,
                                interpolate_output const& output, bytes workspace = {}) noexcept;
FARPOINT_API std::size_t interpolate_workspace_bytes(cuda_exec exec, device_point_bvh<double> const& index,
                                                     batch<point_view<double>> const& queries) noexcept;
FARPOINT_API result interpolate(cuda_exec exec, device_point_bvh<double> const& index, span<float const> features,
                                batch<point_view<double>> const& queries, index_t channels,
                                interpolate_output const& output, bytes workspace = {}) noexcept;
/// @}

FARPOINT_END_NAMESPACE

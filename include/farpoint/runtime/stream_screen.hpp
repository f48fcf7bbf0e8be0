/// @file
/// What a camera sees: knn() in screen space, and quadtrees of images, on a stream, from the compiled library.
#pragma once

#include <farpoint/core/batch.hpp>
#include <farpoint/core/cuda_exec.hpp>
#include <farpoint/core/status.hpp>
#include <farpoint/runtime/api.hpp>
#include <farpoint/spatial/quadtree.hpp>
#include <farpoint/spatial/zbuffer.hpp>
#include <farpoint/types/knn_screen.hpp>

FARPOINT_BEGIN_NAMESPACE

/// @name knn() in screen space: see <farpoint/knn_screen.cuh>
/// @{
FARPOINT_API std::size_t knn_workspace_bytes(cuda_exec exec, batch<point_view<float>> const& points,
                                             screen_space<pinhole_camera<float>> const& method, index_t k) noexcept;
FARPOINT_API result knn(cuda_exec exec, batch<point_view<float>> const& points,
                        screen_space<pinhole_camera<float>> const& method, index_t k,
                        knn_screen_output<float> const& output, bytes workspace) noexcept;
FARPOINT_API std::size_t knn_workspace_bytes(cuda_exec exec, batch<point_view<double>> const& points,
                                             screen_space<pinhole_camera<double>> const& method, index_t k) noexcept;
FARPOINT_API result knn(cuda_exec exec, batch<point_view<double>> const& points,
                        screen_space<pinhole_camera<double>> const& method, index_t k,
                        knn_screen_output<double> const& output, bytes workspace) noexcept;
FARPOINT_API std::size_t knn_workspace_bytes(cuda_exec exec, batch<point_view<float>> const& points,
                                             screen_space<spherical_camera<float>> const& method, index_t k) noexcept;
FARPOINT_API result knn(cuda_exec exec, batch<point_view<float>> const& points,
                        screen_space<spherical_camera<float>> const& method, index_t k,
                        knn_screen_output<float> const& output, bytes workspace) noexcept;
FARPOINT_API std::size_t knn_workspace_bytes(cuda_exec exec, batch<point_view<double>> const& points,
                                             screen_space<spherical_camera<double>> const& method, index_t k) noexcept;
FARPOINT_API result knn(cuda_exec exec, batch<point_view<double>> const& points,
                        screen_space<spherical_camera<double>> const& method, index_t k,
                        knn_screen_output<double> const& output, bytes workspace) noexcept;
FARPOINT_API std::size_t knn_workspace_bytes(cuda_exec exec, batch<point_view<float>> const& points,
                                             screen_space<organized_camera<float>> const& method, index_t k) noexcept;
FARPOINT_API result knn(cuda_exec exec, batch<point_view<float>> const& points,
                        screen_space<organized_camera<float>> const& method, index_t k,
                        knn_screen_output<float> const& output, bytes workspace) noexcept;
FARPOINT_API std::size_t knn_workspace_bytes(cuda_exec exec, batch<point_view<double>> const& points,
                                             screen_space<organized_camera<double>> const& method, index_t k) noexcept;
FARPOINT_API result knn(cuda_exec exec, batch<point_view<double>> const& points,
                        screen_space<organized_camera<double>> const& method, index_t k,
                        knn_screen_output<double> const& output, bytes workspace) noexcept;
#if !defined(__CUDACC__)
// Of float16: what stream_float16.hpp says holds here, too.
FARPOINT_API std::size_t knn_workspace_bytes(cuda_exec exec, batch<point_view<float16>> const& points,
                                             screen_space<pinhole_camera<float>> const& method, index_t k) noexcept;
FARPOINT_API result knn(cuda_exec exec, batch<point_view<float16>> const& points,
                        screen_space<pinhole_camera<float>> const& method, index_t k,
                        knn_screen_output<float> const& output, bytes workspace) noexcept;
FARPOINT_API std::size_t knn_workspace_bytes(cuda_exec exec, batch<point_view<float16>> const& points,
                                             screen_space<spherical_camera<float>> const& method, index_t k) noexcept;
FARPOINT_API result knn(cuda_exec exec, batch<point_view<float16>> const& points,
                        screen_space<spherical_camera<float>> const& method, index_t k,
                        knn_screen_output<float> const& output, bytes workspace) noexcept;
FARPOINT_API std::size_t knn_workspace_bytes(cuda_exec exec, batch<point_view<float16>> const& points,
                                             screen_space<organized_camera<float>> const& method, index_t k) noexcept;
FARPOINT_API result knn(cuda_exec exec, batch<point_view<float16>> const& points,
                        screen_space<organized_camera<float>> const& method, index_t k,
                        knn_screen_output<float> const& output, bytes workspace) noexcept;
#endif
/// @}

/// @name build_quadtree(): see <farpoint/quadtree.cuh>
/// @{
FARPOINT_API std::size_t quadtree_workspace_bytes(cuda_exec exec, int width, int height) noexcept;
FARPOINT_API result build_quadtree(cuda_exec exec, zbuffer_ref zbuffer, bytes memory, bytes workspace,
                                   quadtree_ref& tree) noexcept;
/// @}

FARPOINT_END_NAMESPACE

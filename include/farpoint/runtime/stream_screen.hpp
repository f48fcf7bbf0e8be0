/// @file
/// What a camera sees: knn() in screen space, z-buffers, quadtrees of images, and pictures of splats, on a stream, from
/// the compiled library.
#pragma once

#include <farpoint/geometry/camera.hpp>
#include <farpoint/runtime/stream_call.hpp>
#include <farpoint/spatial/quadtree.hpp>
#include <farpoint/spatial/zbuffer.hpp>
#include <farpoint/types/draw_splats.hpp>
#include <farpoint/types/knn_screen.hpp>
#include <farpoint/types/project.hpp>

FARPOINT_BEGIN_NAMESPACE

/// @name knn() in screen space, for the cameras of the headers: see <farpoint/knn_screen.cuh>
///
/// For clouds of float16, see stream_calls.hpp.
/// @{
template <class Coord, class Camera, library::if_stream_coord<Coord> = 0>
std::size_t knn_workspace_bytes(cuda_exec exec, batch<point_view<Coord>> const& points,
                                screen_space<Camera> const& method) noexcept {
  return library::size_of<library::function::knn_screen>(exec, points, method);
}
template <class Coord, class Camera, library::if_stream_coord<Coord> = 0>
result knn(cuda_exec exec, batch<point_view<Coord>> const& points, screen_space<Camera> const& method,
           knn_screen_output<scalar_of<Coord>> const& output, bytes workspace) noexcept {
  return library::run<library::function::knn_screen>(exec, points, method, output, workspace);
}
/// @}

/// @name project() and draw_splats(): see <farpoint/splat/project.cuh> and <farpoint/splat/draw_splats.cuh>
///
/// For clouds of float and double.
/// @{
template <class Coord, class Camera, library::if_scalar<Coord> = 0>
result project(cuda_exec exec, batch<point_view<Coord>> const& points, Camera const& camera, zbuffer_ref zbuffer,
               project_report* report = nullptr) noexcept {
  return library::run<library::function::project>(exec, points, camera, zbuffer, report);
}
template <class Coord, library::if_scalar<Coord> = 0>
result draw_splats(cuda_exec exec, batch<point_view<Coord>> const& points, splat_view<scalar_of<Coord>> const& splats,
                   pinhole_camera<scalar_of<Coord>> const& camera, draw_splats_params const& params,
                   splat_image const& image, bytes workspace) noexcept {
  return library::run<library::function::draw_splats>(exec, points, splats, camera, params, image, workspace);
}
/// @cond
#define FARPOINT_SPLATS_OF(Scalar)                                                                       \
  FARPOINT_API std::size_t draw_splats_workspace_bytes(cuda_exec exec, splat_view<Scalar> const& splats, \
                                                       pinhole_camera<Scalar> const& camera,             \
                                                       draw_splats_params const& params) noexcept;
FARPOINT_SPLATS_OF(float)
FARPOINT_SPLATS_OF(double)
#undef FARPOINT_SPLATS_OF
/// @endcond
/// @}

/// @name build_quadtree(): see <farpoint/quadtree.cuh>
/// @{
FARPOINT_API std::size_t quadtree_workspace_bytes(cuda_exec exec, int width, int height) noexcept;
FARPOINT_API result build_quadtree(cuda_exec exec, zbuffer_ref zbuffer, bytes memory, bytes workspace,
                                   quadtree_ref& tree) noexcept;
/// @}

FARPOINT_END_NAMESPACE

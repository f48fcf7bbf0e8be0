/// @file
/// What a camera sees: knn() in screen space, and quadtrees of images, on a stream, from the compiled library.
#pragma once

#include <farpoint/runtime/stream_call.hpp>
#include <farpoint/spatial/quadtree.hpp>
#include <farpoint/spatial/zbuffer.hpp>
#include <farpoint/types/knn_screen.hpp>

FARPOINT_BEGIN_NAMESPACE

/// @name knn() in screen space, for the cameras of the headers: see <farpoint/knn_screen.cuh>
///
/// For clouds of float16, see stream_calls.hpp.
/// @{
template <class Coord, class Camera, library::if_stream_coord<Coord> = 0>
std::size_t knn_workspace_bytes(cuda_exec exec, batch<point_view<Coord>> const& points,
                                screen_space<Camera> const& method, index_t k) noexcept {
  return library::size_of<library::function::knn_screen>(exec, points, method, k);
}
template <class Coord, class Camera, library::if_stream_coord<Coord> = 0>
result knn(cuda_exec exec, batch<point_view<Coord>> const& points, screen_space<Camera> const& method, index_t k,
           knn_screen_output<scalar_of<Coord>> const& output, bytes workspace) noexcept {
  return library::run<library::function::knn_screen>(exec, points, method, k, output, workspace);
}
/// @}

/// @name build_quadtree(): see <farpoint/quadtree.cuh>
/// @{
FARPOINT_API std::size_t quadtree_workspace_bytes(cuda_exec exec, int width, int height) noexcept;
FARPOINT_API result build_quadtree(cuda_exec exec, zbuffer_ref zbuffer, bytes memory, bytes workspace,
                                   quadtree_ref& tree) noexcept;
/// @}

FARPOINT_END_NAMESPACE

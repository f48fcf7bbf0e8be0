/// @file
/// The bytes of workspace that are always enough, on a stream, from the compiled library. Files that nvcc
/// compiles have these functions from the .cuh headers.
#pragma once

#include <farpoint/core/cuda_exec.hpp>
#include <farpoint/core/limits.hpp>
#include <farpoint/runtime/api.hpp>
#include <farpoint/types/knn.hpp>
#include <farpoint/types/knn_screen.hpp>

FARPOINT_BEGIN_NAMESPACE

namespace library {

/// The functions that have a bound.
enum class bounded { fps, voxelize, knn, build_point_bvh, radius, estimate_normals, mean_knn_distance, interpolate };

/// What the functions below call.
/// @param f       whose workspace
/// @param points  says of which coordinates; of float16 as of float
/// @param exec    the stream
/// @param limits  of the calls
/// @param k       of estimate_normals() and mean_knn_distance()
/// @param bound   set on success
FARPOINT_API result workspace_bound(bounded f, point_view<float> const& points, cuda_exec exec,
                                    search_limits const& limits, index_t k, std::size_t& bound) noexcept;
/// The same for double.
FARPOINT_API result workspace_bound(bounded f, point_view<double> const& points, cuda_exec exec,
                                    search_limits const& limits, index_t k, std::size_t& bound) noexcept;
/// The same for float16.
FARPOINT_API result workspace_bound(bounded f, point_view<float16> const& points, cuda_exec exec,
                                    search_limits const& limits, index_t k, std::size_t& bound) noexcept;

/// What knn_screen_workspace_bound() calls; arguments as above.
FARPOINT_API result screen_workspace_bound(point_view<float> const& points, cuda_exec exec, screen_limits const& limits,
                                           std::size_t& bound) noexcept;
/// The same for double.
FARPOINT_API result screen_workspace_bound(point_view<double> const& points, cuda_exec exec,
                                           screen_limits const& limits, std::size_t& bound) noexcept;
/// The same for float16.
FARPOINT_API result screen_workspace_bound(point_view<float16> const& points, cuda_exec exec,
                                           screen_limits const& limits, std::size_t& bound) noexcept;

}  // namespace library

#if !defined(__CUDACC__)
// In a namespace of their own: these call the library, which calls those of the .cuh headers, and of functions of one
// name a linker keeps one.
inline namespace from_library {

/// @name The bounds of docs/workspaces.md, for a view of points such as point_view<float>
/// @{
template <class Points>
result fps_workspace_bound(cuda_exec exec, batch_limits const& limits, std::size_t& bound) noexcept {
  return library::workspace_bound(library::bounded::fps, Points{}, exec, search_limits{limits.points, limits.clouds, 0},
                                  0, bound);
}
template <class Points>
result voxelize_workspace_bound(cuda_exec exec, batch_limits const& limits, std::size_t& bound) noexcept {
  return library::workspace_bound(library::bounded::voxelize, Points{}, exec,
                                  search_limits{limits.points, limits.clouds, 0}, 0, bound);
}
template <class Points>
result knn_workspace_bound(cuda_exec exec, search_limits const& limits, std::size_t& bound) noexcept {
  return library::workspace_bound(library::bounded::knn, Points{}, exec, limits, 0, bound);
}
template <class Points>
result knn_screen_workspace_bound(cuda_exec exec, screen_limits const& limits, std::size_t& bound) noexcept {
  return library::screen_workspace_bound(Points{}, exec, limits, bound);
}
template <class Points>
result point_bvh_bound(cuda_exec exec, batch_limits const& limits, std::size_t& bound) noexcept {
  return library::workspace_bound(library::bounded::build_point_bvh, Points{}, exec,
                                  search_limits{limits.points, limits.clouds, 0}, 0, bound);
}
template <class Points>
result radius_workspace_bound(cuda_exec exec, search_limits const& limits, std::size_t& bound) noexcept {
  return library::workspace_bound(library::bounded::radius, Points{}, exec, limits, 0, bound);
}
template <class Points>
result interpolate_workspace_bound(cuda_exec exec, search_limits const& limits, std::size_t& bound) noexcept {
  return library::workspace_bound(library::bounded::interpolate, Points{}, exec, limits, 0, bound);
}
template <class Points>
result estimate_normals_workspace_bound(cuda_exec exec, batch_limits const& limits, index_t k,
                                        std::size_t& bound) noexcept {
  return library::workspace_bound(library::bounded::estimate_normals, Points{}, exec,
                                  search_limits{limits.points, limits.clouds, 0}, k, bound);
}
template <class Points>
result mean_knn_distance_workspace_bound(cuda_exec exec, batch_limits const& limits, index_t k,
                                         std::size_t& bound) noexcept {
  return library::workspace_bound(library::bounded::mean_knn_distance, Points{}, exec,
                                  search_limits{limits.points, limits.clouds, 0}, k, bound);
}
/// @}

}  // namespace from_library
#endif

FARPOINT_END_NAMESPACE

/// @file
/// The bytes of workspace that are always enough, on a stream, from the compiled library. Files that nvcc compiles have
/// these functions from the .cuh headers.
#pragma once

#include <farpoint/core/limits.hpp>
#include <farpoint/runtime/stream_call.hpp>
#include <farpoint/types/knn.hpp>
#include <farpoint/types/knn_screen.hpp>

FARPOINT_BEGIN_NAMESPACE

#if !defined(__CUDACC__)
// The namespace gives these functions other symbols than the .cuh headers' functions, which the library calls. A linker
// would keep one of two functions with the same symbol.
inline namespace from_library {

/// @name The bounds of docs/workspaces.md, for a view of points such as point_view<float>
/// @{
template <class Points>
result fps_workspace_bound(cuda_exec exec, batch_limits const& limits, std::size_t& bound) noexcept {
  return library::bound_of<library::function::fps, Points>(exec, bound, limits);
}
template <class Points>
result fps_weighted_workspace_bound(cuda_exec exec, batch_limits const& limits, std::size_t& bound) noexcept {
  return library::bound_of<library::function::fps_weighted, Points>(exec, bound, limits);
}
template <class Points>
result voxelize_workspace_bound(cuda_exec exec, batch_limits const& limits, std::size_t& bound) noexcept {
  return library::bound_of<library::function::voxelize, Points>(exec, bound, limits);
}
template <class Points>
result knn_workspace_bound(cuda_exec exec, search_limits const& limits, std::size_t& bound) noexcept {
  return library::bound_of<library::function::knn, Points>(exec, bound, limits);
}
template <class Points>
result knn_screen_workspace_bound(cuda_exec exec, screen_limits const& limits, std::size_t& bound) noexcept {
  return library::bound_of<library::function::knn_screen, Points>(exec, bound, limits);
}
template <class Points>
result point_bvh_bound(cuda_exec exec, batch_limits const& limits, std::size_t& bound) noexcept {
  return library::bound_of<library::function::build_point_bvh, Points>(exec, bound, limits);
}
template <class Points>
result radius_workspace_bound(cuda_exec exec, search_limits const& limits, std::size_t& bound) noexcept {
  return library::bound_of<library::function::radius, Points>(exec, bound, limits);
}
template <class Points>
result interpolate_workspace_bound(cuda_exec exec, search_limits const& limits, std::size_t& bound) noexcept {
  return library::bound_of<library::function::interpolate, Points>(exec, bound, limits);
}
template <class Points>
result estimate_normals_workspace_bound(cuda_exec exec, batch_limits const& limits, index_t k,
                                        std::size_t& bound) noexcept {
  return library::bound_of<library::function::estimate_normals, Points>(exec, bound, limits, k);
}
template <class Points>
result mean_knn_distance_workspace_bound(cuda_exec exec, batch_limits const& limits, index_t k,
                                         std::size_t& bound) noexcept {
  return library::bound_of<library::function::mean_knn_distance, Points>(exec, bound, limits, k);
}
/// @}

}  // namespace from_library
#endif

FARPOINT_END_NAMESPACE

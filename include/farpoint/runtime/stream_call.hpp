/// @file
/// Entry points of the compiled library for calls on a stream. The functions of stream_calls.hpp, stream_screen.hpp and
/// stream_bounds.hpp forward to them.
#pragma once

#include <farpoint/core/batch.hpp>
#include <farpoint/core/cuda_exec.hpp>
#include <farpoint/core/float16.hpp>
#include <farpoint/core/status.hpp>
#include <farpoint/runtime/api.hpp>
#include <farpoint/types/deprecated_search.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace library {

/// Functions of the library.
enum class function {
  fps,
  fps_weighted,
  voxelize,
  knn,
  knn_screen,
  build_point_bvh,
  radius,
  radius_rows,
  estimate_normals,
  mean_knn_distance,
  interpolate,
  gather,
  pillar_features,
  build_quadtree,
  hash_map,
  offsets_of_sizes,
  voxel_map_clear,
  voxel_map_insert,
  voxel_map_read,
  voxel_map_keep,
  voxel_map_restore,
  project,
  draw_splats,
  fps_shard,
  voxelize_shard,
  gather_voxels,
  knn_shard,
  radius_shard,
  estimate_normals_shard,
  mean_knn_distance_shard,
  interpolate_shard
};

/// Clouds that the library takes.
template <class Coord>
using clouds_of = batch<point_view<Coord>>;

/// True for the coordinates of clouds that the library takes.
template <class Coord>
inline constexpr bool is_coord =
    std::is_same_v<Coord, float> || std::is_same_v<Coord, double> || std::is_same_v<Coord, float16>;

/// True for the coordinates of clouds on a stream. Files that nvcc compiles call the .cuh headers for float16: their
/// kernels read it without a copy in float.
#if defined(__CUDACC__)
template <class Coord>
inline constexpr bool is_stream_coord = is_coord<Coord> && !std::is_same_v<Coord, float16>;
#else
template <class Coord>
inline constexpr bool is_stream_coord = is_coord<Coord>;
#endif

/// @name Template arguments of functions for such coordinates
/// @{
template <class Coord>
using if_coord = std::enable_if_t<is_coord<Coord>, int>;
template <class Coord>
using if_stream_coord = std::enable_if_t<is_stream_coord<Coord>, int>;
template <class Scalar>
using if_scalar = std::enable_if_t<std::is_same_v<Scalar, float> || std::is_same_v<Scalar, double>, int>;
/// @}

/// A call of function F. The library has it for the arguments of the functions that forward to it.
template <function F, class... Args>
struct FARPOINT_API stream_run {
  static result call(cuda_exec exec, Args const&... args) noexcept;
};

/// Bytes of workspace that a stream call of F needs; 0 without a usable GPU.
template <function F, class... Args>
struct FARPOINT_API stream_size {
  static std::size_t call(cuda_exec exec, Args const&... args) noexcept;
};

/// Bytes of workspace that are enough for all calls within limits.
template <function F, class Points, class... Limits>
struct FARPOINT_API stream_bound {
  static result call(cuda_exec exec, std::size_t& bound, Limits const&... limits) noexcept;
};

/// @name The entry points with the types of their arguments
/// @{
template <function F, class... Args>
result run(cuda_exec exec, Args const&... args) noexcept {
  return stream_run<F, Args...>::call(exec, args...);
}
template <function F, class... Args>
std::size_t size_of(cuda_exec exec, Args const&... args) noexcept {
  return stream_size<F, Args...>::call(exec, args...);
}
template <function F, class Points, class... Limits>
result bound_of(cuda_exec exec, std::size_t& bound, Limits const&... limits) noexcept {
  return stream_bound<F, Points, Limits...>::call(exec, bound, limits...);
}
/// @}

}  // namespace library
FARPOINT_END_NAMESPACE

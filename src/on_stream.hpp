// Calls of the headers' functions on a stream, behind an interface that a C++ compiler can read.
#pragma once

#include "calls.hpp"

#include <array>

// End of the message of a GPU call that cannot run.
#if defined(FARPOINT_WITH_CUDA)
#define FARPOINT_NO_DEVICE ": there is no usable CUDA device"
#else
#define FARPOINT_NO_DEVICE ": this library was built without CUDA"
#endif

FARPOINT_BEGIN_NAMESPACE
namespace library {

/// Returns the name that begins a function's messages.
constexpr char const* name_of(function f) noexcept {
  switch (f) {
    case function::fps: return "fps";
    case function::fps_weighted: return "fps_weighted";
    case function::voxelize: return "voxelize";
    case function::knn:
    case function::knn_screen: return "knn";
    case function::build_point_bvh: return "build_point_bvh";
    case function::radius: return "radius";
    case function::radius_rows: return "radius_rows";
    case function::estimate_normals: return "estimate_normals";
    case function::mean_knn_distance: return "mean_knn_distance";
    case function::interpolate: return "interpolate";
    case function::gather: return "gather";
    case function::pillar_features: return "pillar_features";
    case function::build_quadtree: return "build_quadtree";
    case function::hash_map: return "hash_map";
    case function::offsets_of_sizes: return "offsets_of_sizes";
    case function::voxel_map_clear: return "voxel_map_clear";
    case function::voxel_map_insert: return "voxel_map_insert";
    case function::voxel_map_read: return "voxel_map_read";
    case function::voxel_map_keep: return "voxel_map_keep";
    case function::voxel_map_restore: return "voxel_map_restore";
    case function::project: return "project";
    case function::draw_splats: return "draw_splats";
    default: return "";  // calls of ranks have no stream
  }
}

/// Returns a message that begins with the name of a function: "fps: this library was built without CUDA".
template <function F>
constexpr std::array<char, 96> sentence_of(char const* predicate) noexcept {
  std::array<char, 96> text{};
  std::size_t size = 0;
  for (char const* from = name_of(F); *from != 0; ++from) text[size++] = *from;
  for (char const* from = predicate; *from != 0; ++from) text[size++] = *from;
  return text;
}

/// Returns true if this machine has a driver, and a device that this build has code for.
bool cuda_usable() noexcept;

/// @name Calls of the headers' functions, compiled by the .cu files for the lists of calls.hpp
///
/// A library without CUDA neither defines nor calls them.
/// @{
template <function F, class... Args>
struct run_on_stream {
  static result call(cuda_exec exec, Args const&... args) noexcept;
};
template <function F, class... Args>
struct size_on_stream {
  static std::size_t call(cuda_exec exec, Args const&... args) noexcept;
};
template <function F, class Points, class... Limits>
struct bound_on_stream {
  static result call(cuda_exec exec, std::size_t& bound, Limits const&... limits) noexcept;
};
/// @}

}  // namespace library
FARPOINT_END_NAMESPACE

// The headers' functions on a stream, behind an interface that a C++ compiler can read.
#pragma once

#include <farpoint/core/batch.hpp>
#include <farpoint/core/cuda_exec.hpp>
#include <farpoint/core/status.hpp>

#include <array>

FARPOINT_BEGIN_NAMESPACE
namespace library {

/// The functions of the library.
enum class function {
  fps,
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
  offsets_of_sizes
};

/// How its sentences begin.
constexpr char const* name_of(function f) noexcept {
  switch (f) {
    case function::fps: return "fps";
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
  }
  return "";
}

/// Sentence that begins with a function's name: "fps: there is no usable CUDA device".
template <function F>
constexpr std::array<char, 96> sentence_of(char const* predicate) noexcept {
  std::array<char, 96> text{};
  std::size_t size = 0;
  for (char const* from = name_of(F); *from != 0; ++from) text[size++] = *from;
  for (char const* from = predicate; *from != 0; ++from) text[size++] = *from;
  return text;
}

/// Clouds that the library takes.
template <class Coord>
using clouds_of = batch<point_view<Coord>>;

/// True when there is a driver and a device that this build has code for.
bool cuda_usable() noexcept;

/// A function of the headers. Its .cu file defines the members and compiles them for the arguments of stream_table.hpp;
/// without CUDA there is no definition, and nobody asks for one.
template <function F>
struct on_stream {
  template <class... Args>
  static result run(cuda_exec exec, Args const&... args) noexcept;

  /// Bytes that run() needs for such arguments.
  template <class... Args>
  static std::size_t workspace_bytes(cuda_exec exec, Args const&... args) noexcept;

  /// The bytes that are enough for such points within the limits.
  template <class Points, class... Limits>
  static result workspace_bound(cuda_exec exec, Points const&, std::size_t* const& size,
                                Limits const&... limits) noexcept;
};

}  // namespace library
FARPOINT_END_NAMESPACE

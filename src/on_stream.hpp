// The headers' functions on a stream, behind an interface that a C++ compiler can read.
#pragma once

#include <farpoint/core/batch.hpp>
#include <farpoint/core/cuda_exec.hpp>
#include <farpoint/core/status.hpp>

#if defined(FARPOINT_WITH_CUDA)
#define FARPOINT_NO_DEVICE(function) function ": there is no usable CUDA device"
#else
#define FARPOINT_NO_DEVICE(function) function ": this library was built without CUDA"
#endif

FARPOINT_BEGIN_NAMESPACE
namespace library {

/// Clouds that the library takes.
template <class Coord>
using clouds_of = batch<point_view<Coord>>;

/// True when there is a driver and a device that this build has code for.
bool cuda_usable() noexcept;

/// One of the functions below. Defined in the .cu file of that name, and instantiated there for the types that the
/// library exports; without CUDA there is no definition, and nobody asks for one.
template <class Function>
struct on_stream {
  template <class... Args>
  static result run(cuda_exec exec, Args const&... args) noexcept;

  /// Bytes that run() needs for such arguments.
  template <class... Args>
  static std::size_t workspace_bytes(cuda_exec exec, Args const&... args) noexcept;
};

struct fps_function {
  static constexpr char const* no_device = FARPOINT_NO_DEVICE("fps");
};
struct voxelize_function {
  static constexpr char const* no_device = FARPOINT_NO_DEVICE("voxelize");
};
struct knn_function {
  static constexpr char const* no_device = FARPOINT_NO_DEVICE("knn");
};
/// build_point_bvh()
struct point_bvh_function {
  static constexpr char const* no_device = FARPOINT_NO_DEVICE("build_point_bvh");
};
struct radius_function {
  static constexpr char const* no_device = FARPOINT_NO_DEVICE("radius");
};
struct radius_rows_function {
  static constexpr char const* no_device = FARPOINT_NO_DEVICE("radius_rows");
};
struct estimate_normals_function {
  static constexpr char const* no_device = FARPOINT_NO_DEVICE("estimate_normals");
};
struct mean_knn_distance_function {
  static constexpr char const* no_device = FARPOINT_NO_DEVICE("mean_knn_distance");
};
struct interpolate_function {
  static constexpr char const* no_device = FARPOINT_NO_DEVICE("interpolate");
};
struct gather_function {
  static constexpr char const* no_device = FARPOINT_NO_DEVICE("gather");
};

}  // namespace library
FARPOINT_END_NAMESPACE

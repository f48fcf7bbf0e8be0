// What the library is compiled for: the arguments of each function on a stream.
#pragma once

#include <farpoint/core/limits.hpp>
#include <farpoint/geometry/camera.hpp>
#include <farpoint/runtime/hash_map_call.hpp>
#include <farpoint/spatial/quadtree.hpp>
#include <farpoint/spatial/zbuffer.hpp>
#include <farpoint/types/device_point_bvh.hpp>
#include <farpoint/types/estimate_normals.hpp>
#include <farpoint/types/fps.hpp>
#include <farpoint/types/gather.hpp>
#include <farpoint/types/interpolate.hpp>
#include <farpoint/types/knn.hpp>
#include <farpoint/types/knn_screen.hpp>
#include <farpoint/types/pillar_features.hpp>
#include <farpoint/types/radius.hpp>
#include <farpoint/types/voxelize.hpp>

#include "on_stream.hpp"

#include <tuple>

FARPOINT_BEGIN_NAMESPACE
namespace library {

// Rows of the table: on_stream<F>::run(), workspace_bytes() and workspace_bound() with such arguments.
template <class... Args>
struct run {};
template <class... Args>
struct size_for {};
template <class Points, class... Limits>
struct bound {};

template <class... Rows>
struct rows {};

/// The rows of a function for one type: of coordinates, of the values of gather(), or of the map of hash_map.
template <function F, class T>
struct table;

template <class Coord>
struct table<function::fps, Coord>
    : rows<run<clouds_of<Coord>, fps_params, fps_output<scalar_of<Coord>>, bytes>,
           size_for<clouds_of<Coord>, fps_params>, bound<point_view<Coord>, batch_limits>> {};

template <class Scalar>
struct table<function::voxelize, Scalar>
    : rows<run<clouds_of<Scalar>, voxelize_params<Scalar>, voxelize_output<Scalar>, bytes>,
           size_for<clouds_of<Scalar>, voxelize_params<Scalar>, voxelize_output<Scalar>>,
           bound<point_view<Scalar>, batch_limits>> {};

template <class Scalar>
struct table<function::knn, Scalar>
    : rows<run<clouds_of<Scalar>, clouds_of<Scalar>, exact, index_t, knn_output<Scalar>, bytes>,
           run<clouds_of<Scalar>, exact, index_t, knn_output<Scalar>, bytes>,
           run<device_point_bvh<Scalar>, clouds_of<Scalar>, exact, index_t, knn_output<Scalar>, bytes>,
           size_for<clouds_of<Scalar>, clouds_of<Scalar>, exact, index_t>, size_for<clouds_of<Scalar>, exact, index_t>,
           size_for<device_point_bvh<Scalar>, clouds_of<Scalar>>, bound<point_view<Scalar>, search_limits>> {};

template <class Scalar>
struct table<function::build_point_bvh, Scalar>
    : rows<run<clouds_of<Scalar>, bytes, device_point_bvh<Scalar>*>, size_for<clouds_of<Scalar>>,
           bound<point_view<Scalar>, batch_limits>> {};

template <class Camera>
struct table<function::knn_screen, Camera>
    : rows<run<clouds_of<typename Camera::scalar>, screen_space<Camera>, index_t,
               knn_screen_output<typename Camera::scalar>, bytes>,
           size_for<clouds_of<typename Camera::scalar>, screen_space<Camera>, index_t>,
           bound<point_view<typename Camera::scalar>, screen_limits>> {};

template <class Scalar>
struct table<function::radius, Scalar>
    : rows<run<clouds_of<Scalar>, clouds_of<Scalar>, radius_params, index_t, radius_output<Scalar>, bytes>,
           run<clouds_of<Scalar>, radius_params, index_t, radius_output<Scalar>, bytes>,
           run<device_point_bvh<Scalar>, clouds_of<Scalar>, radius_params, index_t, radius_output<Scalar>, bytes>,
           size_for<clouds_of<Scalar>, clouds_of<Scalar>>, size_for<clouds_of<Scalar>>,
           size_for<device_point_bvh<Scalar>, clouds_of<Scalar>>, bound<point_view<Scalar>, search_limits>> {};

template <class Scalar>
struct table<function::radius_rows, Scalar>
    : rows<run<clouds_of<Scalar>, clouds_of<Scalar>, radius_params, radius_rows_output<Scalar>, bytes>,
           run<clouds_of<Scalar>, radius_params, radius_rows_output<Scalar>, bytes>,
           run<device_point_bvh<Scalar>, clouds_of<Scalar>, clouds_of<Scalar>, radius_params,
               radius_rows_output<Scalar>, bytes>,
           size_for<device_point_bvh<Scalar>, clouds_of<Scalar>, clouds_of<Scalar>>> {};

template <class Scalar>
struct table<function::estimate_normals, Scalar>
    : rows<run<clouds_of<Scalar>, normals_params, normals_output<Scalar>, bytes>,
           run<device_point_bvh<Scalar>, clouds_of<Scalar>, normals_params, normals_output<Scalar>, bytes>,
           size_for<clouds_of<Scalar>, normals_params>,
           size_for<device_point_bvh<Scalar>, clouds_of<Scalar>, normals_params>,
           bound<point_view<Scalar>, batch_limits, index_t>> {};

template <class Scalar>
struct table<function::mean_knn_distance, Scalar>
    : rows<run<clouds_of<Scalar>, index_t, span<Scalar>, bytes, knn_report*>,
           run<device_point_bvh<Scalar>, clouds_of<Scalar>, index_t, span<Scalar>, bytes, knn_report*>,
           size_for<clouds_of<Scalar>, index_t>, size_for<device_point_bvh<Scalar>, clouds_of<Scalar>, index_t>,
           bound<point_view<Scalar>, batch_limits, index_t>> {};

template <class Scalar>
struct table<function::interpolate, Scalar>
    : rows<run<clouds_of<Scalar>, span<float const>, clouds_of<Scalar>, index_t, interpolate_output, bytes>,
           run<device_point_bvh<Scalar>, span<float const>, clouds_of<Scalar>, index_t, interpolate_output, bytes>,
           size_for<clouds_of<Scalar>, clouds_of<Scalar>>, size_for<device_point_bvh<Scalar>, clouds_of<Scalar>>,
           bound<point_view<Scalar>, search_limits>> {};

template <class Value>
struct table<function::gather, Value>
    : rows<run<span<Value const>, index_t, index_view, span<Value>, gather_report*>,
           run<feature_rows<Value const>, index_view, feature_rows<Value>, gather_report*>> {};

template <>
struct table<function::pillar_features, float>
    : rows<run<voxelize_params<float>, voxelize_output<float>, pillar_centers, feature_span>> {};

template <>
struct table<function::offsets_of_sizes, index_t> : rows<run<index_view, span<index_t>>> {};

template <>
struct table<function::build_quadtree, float>
    : rows<run<zbuffer_ref, bytes, bytes, quadtree_ref*>, size_for<int, int>> {};

template <class Map>
struct table<function::hash_map, Map>
    : rows<run<hash_map_call<typename Map::key_type, typename Map::value_type>>,
           size_for<hash_map_call<typename Map::key_type, typename Map::value_type>>> {};

/// The functions that such rows name, so that whoever keeps them has them compiled.
template <function F, class... Args>
constexpr auto compiled(run<Args...>) noexcept {
  return &on_stream<F>::template run<Args...>;
}
template <function F, class... Args>
constexpr auto compiled(size_for<Args...>) noexcept {
  return &on_stream<F>::template workspace_bytes<Args...>;
}
template <function F, class... Args>
constexpr auto compiled(bound<Args...>) noexcept {
  return &on_stream<F>::template workspace_bound<Args...>;
}
template <function F, class... Rows>
constexpr auto compiled(rows<Rows...>) noexcept {
  return std::make_tuple(compiled<F>(Rows{})...);
}
/// All rows of a function for these types.
template <function F, class... Types>
constexpr auto compiled_for() noexcept {
  return std::make_tuple(compiled<F>(table<F, Types>{})...);
}

}  // namespace library
FARPOINT_END_NAMESPACE

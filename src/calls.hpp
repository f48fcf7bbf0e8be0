// Lists of the calls that the library is compiled for, one list per function. Calls on a stream: DO(run, function,
// arguments...), DO(size, function, arguments...) and DO(bound, function, points, limits...). Calls on host memory:
// DO(function, arguments...).
#pragma once

#include <farpoint/core/limits.hpp>
#include <farpoint/geometry/camera.hpp>
#include <farpoint/runtime/hash_map_call.hpp>
#include <farpoint/runtime/stream_call.hpp>
#include <farpoint/spatial/quadtree.hpp>
#include <farpoint/spatial/zbuffer.hpp>
#include <farpoint/types/device_point_bvh.hpp>
#include <farpoint/types/draw_splats.hpp>
#include <farpoint/types/estimate_normals.hpp>
#include <farpoint/types/fps.hpp>
#include <farpoint/types/gather.hpp>
#include <farpoint/types/interpolate.hpp>
#include <farpoint/types/knn.hpp>
#include <farpoint/types/knn_screen.hpp>
#include <farpoint/types/mean_knn_distance.hpp>
#include <farpoint/types/pillar_features.hpp>
#include <farpoint/types/project.hpp>
#include <farpoint/types/radius.hpp>
#include <farpoint/types/voxel_map.hpp>
#include <farpoint/types/voxelize.hpp>

// The arguments are types and names, which parentheses would change.
// NOLINTBEGIN(bugprone-macro-parentheses)
#define FARPOINT_CALLS_OF_FPS(DO, C)                                                                         \
  DO(run, fps, clouds_of<C>, fps_params, fps_output<scalar_of<C>>, bytes)                                    \
  DO(size, fps, clouds_of<C>, fps_params)                                                                    \
  DO(bound, fps, point_view<C>, batch_limits)                                                                \
  DO(run, fps_weighted, clouds_of<C>, span<scalar_of<C> const>, fps_params, fps_output<scalar_of<C>>, bytes) \
  DO(size, fps_weighted, clouds_of<C>)                                                                       \
  DO(bound, fps_weighted, point_view<C>, batch_limits)

#define FARPOINT_CALLS_OF_VOXELIZE(DO, C)                                                              \
  DO(run, voxelize, clouds_of<C>, voxelize_params<scalar_of<C>>, voxelize_output<scalar_of<C>>, bytes) \
  DO(size, voxelize, clouds_of<C>, voxelize_params<scalar_of<C>>, voxelize_output<scalar_of<C>>)       \
  DO(bound, voxelize, point_view<C>, batch_limits)

#define FARPOINT_CALLS_OF_KNN(DO, C)                                                                      \
  DO(run, knn, clouds_of<C>, clouds_of<C>, knn_params, knn_output<scalar_of<C>>, bytes)                   \
  DO(run, knn, clouds_of<C>, knn_params, knn_output<scalar_of<C>>, bytes)                                 \
  DO(run, knn, device_point_bvh<scalar_of<C>>, clouds_of<C>, knn_params, knn_output<scalar_of<C>>, bytes) \
  DO(size, knn, clouds_of<C>, clouds_of<C>, knn_params)                                                   \
  DO(size, knn, clouds_of<C>, knn_params)                                                                 \
  DO(size, knn, device_point_bvh<scalar_of<C>>, clouds_of<C>)                                             \
  DO(bound, knn, point_view<C>, search_limits)

#define FARPOINT_CALLS_OF_BUILD_POINT_BVH(DO, C)                                 \
  DO(run, build_point_bvh, clouds_of<C>, bytes, device_point_bvh<scalar_of<C>>*) \
  DO(size, build_point_bvh, clouds_of<C>)                                        \
  DO(bound, build_point_bvh, point_view<C>, batch_limits)

#define FARPOINT_CALLS_OF_KNN_SCREEN(DO, C, CAMERA)                                                             \
  DO(run, knn_screen, clouds_of<C>, screen_space<CAMERA<scalar_of<C>>>, knn_screen_output<scalar_of<C>>, bytes) \
  DO(size, knn_screen, clouds_of<C>, screen_space<CAMERA<scalar_of<C>>>)

#define FARPOINT_CALLS_OF_ALL_CAMERAS(DO, C)            \
  FARPOINT_CALLS_OF_KNN_SCREEN(DO, C, pinhole_camera)   \
  FARPOINT_CALLS_OF_KNN_SCREEN(DO, C, spherical_camera) \
  FARPOINT_CALLS_OF_KNN_SCREEN(DO, C, organized_camera) \
  DO(bound, knn_screen, point_view<C>, screen_limits)

#define FARPOINT_CALLS_OF_RADIUS(DO, C)                                                                            \
  DO(run, radius, clouds_of<C>, clouds_of<C>, radius_params, radius_output<scalar_of<C>>, bytes)                   \
  DO(run, radius, clouds_of<C>, radius_params, radius_output<scalar_of<C>>, bytes)                                 \
  DO(run, radius, device_point_bvh<scalar_of<C>>, clouds_of<C>, radius_params, radius_output<scalar_of<C>>, bytes) \
  DO(size, radius, clouds_of<C>, clouds_of<C>)                                                                     \
  DO(size, radius, clouds_of<C>)                                                                                   \
  DO(size, radius, device_point_bvh<scalar_of<C>>, clouds_of<C>)                                                   \
  DO(bound, radius, point_view<C>, search_limits)                                                                  \
  DO(run, radius_rows, clouds_of<C>, clouds_of<C>, radius_params, radius_rows_output<scalar_of<C>>, bytes)         \
  DO(run, radius_rows, clouds_of<C>, radius_params, radius_rows_output<scalar_of<C>>, bytes)                       \
  DO(run, radius_rows, device_point_bvh<scalar_of<C>>, clouds_of<C>, clouds_of<C>, radius_params,                  \
     radius_rows_output<scalar_of<C>>, bytes)                                                                      \
  DO(size, radius_rows, device_point_bvh<scalar_of<C>>, clouds_of<C>, clouds_of<C>)

#define FARPOINT_CALLS_OF_ESTIMATE_NORMALS(DO, C)                                              \
  DO(run, estimate_normals, clouds_of<C>, normals_params, normals_output<scalar_of<C>>, bytes) \
  DO(run, estimate_normals, device_point_bvh<scalar_of<C>>, clouds_of<C>, normals_params,      \
     normals_output<scalar_of<C>>, bytes)                                                      \
  DO(size, estimate_normals, clouds_of<C>, normals_params)                                     \
  DO(size, estimate_normals, device_point_bvh<scalar_of<C>>, clouds_of<C>, normals_params)     \
  DO(bound, estimate_normals, point_view<C>, batch_limits, index_t)

#define FARPOINT_CALLS_OF_MEAN_KNN_DISTANCE(DO, C)                                                                  \
  DO(run, mean_knn_distance, clouds_of<C>, mean_knn_distance_params, mean_knn_distance_output<scalar_of<C>>, bytes) \
  DO(run, mean_knn_distance, device_point_bvh<scalar_of<C>>, clouds_of<C>, mean_knn_distance_params,                \
     mean_knn_distance_output<scalar_of<C>>, bytes)                                                                 \
  DO(size, mean_knn_distance, clouds_of<C>, mean_knn_distance_params)                                               \
  DO(size, mean_knn_distance, device_point_bvh<scalar_of<C>>, clouds_of<C>, mean_knn_distance_params)               \
  DO(bound, mean_knn_distance, point_view<C>, batch_limits, index_t)

#define FARPOINT_CALLS_OF_INTERPOLATE(DO, C)                                                                         \
  DO(run, interpolate, clouds_of<C>, span<float const>, clouds_of<C>, index_t, interpolate_output, bytes)            \
  DO(run, interpolate, device_point_bvh<scalar_of<C>>, span<float const>, clouds_of<C>, index_t, interpolate_output, \
     bytes)                                                                                                          \
  DO(size, interpolate, clouds_of<C>, clouds_of<C>)                                                                  \
  DO(size, interpolate, device_point_bvh<scalar_of<C>>, clouds_of<C>)                                                \
  DO(bound, interpolate, point_view<C>, search_limits)

/// All functions of clouds for one type of coordinates.
#define FARPOINT_CALLS_OF_CLOUDS(DO, C)      \
  FARPOINT_CALLS_OF_FPS(DO, C)               \
  FARPOINT_CALLS_OF_VOXELIZE(DO, C)          \
  FARPOINT_CALLS_OF_KNN(DO, C)               \
  FARPOINT_CALLS_OF_BUILD_POINT_BVH(DO, C)   \
  FARPOINT_CALLS_OF_ALL_CAMERAS(DO, C)       \
  FARPOINT_CALLS_OF_RADIUS(DO, C)            \
  FARPOINT_CALLS_OF_ESTIMATE_NORMALS(DO, C)  \
  FARPOINT_CALLS_OF_MEAN_KNN_DISTANCE(DO, C) \
  FARPOINT_CALLS_OF_INTERPOLATE(DO, C)

#define FARPOINT_CALLS_OF_VOXEL_MAP(DO, C)                                                      \
  DO(run, voxel_map_clear, voxel_map<C>)                                                        \
  DO(run, voxel_map_insert, voxel_map<C>, voxel_map_tile<point_view<C>>, bytes)                 \
  DO(size, voxel_map_insert, voxel_map<C>, voxel_map_tile<point_view<C>>)                       \
  DO(run, voxel_map_read, voxel_map<C>, voxel_map_output<C>)                                    \
  DO(run, voxel_map_keep, voxel_map<C>, voxel_map_keep_params<C>, voxel_map_keep_output, bytes) \
  DO(size, voxel_map_keep, voxel_map_params<C>)                                                 \
  DO(run, voxel_map_restore, voxel_map<C>, voxel_map_header)

#define FARPOINT_CALLS_OF_SPLATS(DO, C)                                                                        \
  DO(run, project, clouds_of<C>, pinhole_camera<C>, zbuffer_ref, project_report*)                              \
  DO(run, project, clouds_of<C>, spherical_camera<C>, zbuffer_ref, project_report*)                            \
  DO(run, project, clouds_of<C>, organized_camera<C>, zbuffer_ref, project_report*)                            \
  DO(run, draw_splats, clouds_of<C>, splat_view<C>, pinhole_camera<C>, draw_splats_params, splat_image, bytes) \
  DO(size, draw_splats, splat_view<C>, pinhole_camera<C>, draw_splats_params)

#define FARPOINT_CALLS_OF_GATHER(DO, VALUE)                                            \
  DO(run, gather, span<VALUE const>, index_t, index_view, span<VALUE>, gather_report*) \
  DO(run, gather, feature_rows<VALUE const>, index_view, feature_rows<VALUE>, gather_report*)

#define FARPOINT_CALLS_OF_HASH_MAP(DO, KEY, VALUE) \
  DO(run, hash_map, hash_map_call<KEY, VALUE>)     \
  DO(size, hash_map, hash_map_call<KEY, VALUE>)

/// Functions that exist for one type only.
#define FARPOINT_CALLS_OF_ONE_TYPE(DO)                                                                   \
  DO(run, pillar_features, voxelize_params<float>, voxelize_output<float>, pillar_centers, feature_span) \
  DO(run, offsets_of_sizes, index_view, span<index_t>)                                                   \
  DO(run, build_quadtree, zbuffer_ref, bytes, bytes, quadtree_ref*)                                      \
  DO(size, build_quadtree, int, int)

/// LIST(DO, Value) for the values that gather() copies.
#define FARPOINT_FOR_EACH_VALUE(LIST, DO) \
  LIST(DO, float)                         \
  LIST(DO, double)                        \
  LIST(DO, float16)                       \
  LIST(DO, std::int32_t)                  \
  LIST(DO, std::int64_t)                  \
  LIST(DO, std::uint8_t)

/// LIST(DO, Scalar) for calls that take no clouds of float16.
#define FARPOINT_FOR_EACH_SCALAR(LIST, DO) \
  LIST(DO, float)                          \
  LIST(DO, double)

/// LIST(DO, Key, Value) for the hash maps.
#define FARPOINT_FOR_EACH_MAP(LIST, DO)  \
  LIST(DO, std::uint32_t, std::uint32_t) \
  LIST(DO, std::uint32_t, std::uint64_t) \
  LIST(DO, std::uint64_t, std::uint32_t) \
  LIST(DO, std::uint64_t, std::uint64_t)

/// @name Calls on host memory
/// @{
#define FARPOINT_HOST_CALLS_OF_CLOUDS(DO, C)                                                     \
  DO(fps, clouds_of<C>, fps_params, fps_output<scalar_of<C>>)                                    \
  DO(fps_weighted, clouds_of<C>, span<scalar_of<C> const>, fps_params, fps_output<scalar_of<C>>) \
  DO(voxelize, clouds_of<C>, voxelize_params<scalar_of<C>>, voxelize_output<scalar_of<C>>)

#define FARPOINT_HOST_CALLS_OF_SEARCHES(DO, C)                                                          \
  DO(knn, clouds_of<C>, clouds_of<C>, knn_params, knn_output<scalar_of<C>>)                             \
  DO(knn, clouds_of<C>, knn_params, knn_output<scalar_of<C>>)                                           \
  DO(radius, clouds_of<C>, clouds_of<C>, radius_params, radius_output<scalar_of<C>>)                    \
  DO(radius, clouds_of<C>, radius_params, radius_output<scalar_of<C>>)                                  \
  DO(radius_rows, clouds_of<C>, clouds_of<C>, radius_params, radius_rows_output<scalar_of<C>>)          \
  DO(radius_rows, clouds_of<C>, radius_params, radius_rows_output<scalar_of<C>>)                        \
  DO(estimate_normals, clouds_of<C>, normals_params, normals_output<scalar_of<C>>)                      \
  DO(mean_knn_distance, clouds_of<C>, mean_knn_distance_params, mean_knn_distance_output<scalar_of<C>>) \
  DO(interpolate, clouds_of<C>, span<float const>, clouds_of<C>, index_t, interpolate_output)

#define FARPOINT_HOST_CALLS_OF_CAMERAS(DO, C)                                                                 \
  DO(knn_screen, clouds_of<C>, screen_space<pinhole_camera<scalar_of<C>>>, knn_screen_output<scalar_of<C>>)   \
  DO(knn_screen, clouds_of<C>, screen_space<spherical_camera<scalar_of<C>>>, knn_screen_output<scalar_of<C>>) \
  DO(knn_screen, clouds_of<C>, screen_space<organized_camera<scalar_of<C>>>, knn_screen_output<scalar_of<C>>)

#define FARPOINT_HOST_CALLS_OF_GATHER(DO, VALUE)                                  \
  DO(gather, span<VALUE const>, index_t, index_view, span<VALUE>, gather_report*) \
  DO(gather, feature_rows<VALUE const>, index_view, feature_rows<VALUE>, gather_report*)
/// @}

/// @name Calls of ranks on host memory
/// @{
#define FARPOINT_CALLS_OF_RANKS(DO, C)                                                                     \
  DO(fps_shard, shard<point_view<C>>, fps_params, fps_shard_output<C>)                                     \
  DO(voxelize_shard, shard<point_view<C>>, voxelize_params<C>, voxelize_shard_output<C>)                   \
  DO(gather_voxels, voxelize_params<C>, voxelize_shard_output<C>, voxelize_output<C>)                      \
  DO(knn_shard, shard<point_view<C>>, point_view<C>, knn_params, knn_shard_output<C>)                      \
  DO(radius_shard, shard<point_view<C>>, point_view<C>, radius_params, radius_shard_output<C>)             \
  DO(estimate_normals_shard, shard<point_view<C>>, normals_params, normals_output<C>)                      \
  DO(mean_knn_distance_shard, shard<point_view<C>>, mean_knn_distance_params, mean_knn_distance_output<C>) \
  DO(interpolate_shard, shard<point_view<C>>, span<float const>, point_view<C>, index_t, interpolate_output)
/// @}

/// LIST(DO, Coord) for the coordinates of clouds.
#define FARPOINT_FOR_EACH_COORD(LIST, DO) \
  LIST(DO, float)                         \
  LIST(DO, double)                        \
  LIST(DO, float16)
// NOLINTEND(bugprone-macro-parentheses)

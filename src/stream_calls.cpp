// The library's functions on a stream: those of the headers, where there is a GPU for them.
#include <farpoint/runtime/host_calls.hpp>
#include <farpoint/runtime/stream_calls.hpp>

#include "on_stream.hpp"

FARPOINT_BEGIN_NAMESPACE

using library::clouds_of;

namespace {

template <class Function, class... Args>
result enqueue([[maybe_unused]] cuda_exec exec, [[maybe_unused]] Args const&... args) noexcept {
#if defined(FARPOINT_WITH_CUDA)
  if (runtime::cuda_available()) return library::on_stream<Function>::run(exec, args...);
#endif
  return {status::unavailable, 0, Function::no_device};
}

template <class Function, class... Args>
std::size_t size_of([[maybe_unused]] cuda_exec exec, [[maybe_unused]] Args const&... args) noexcept {
#if defined(FARPOINT_WITH_CUDA)
  if (runtime::cuda_available()) return library::on_stream<Function>::workspace_bytes(exec, args...);
#endif
  return 0;
}

}  // namespace

#define FARPOINT_EXPORT_FPS(Coord)                                                                                     \
  std::size_t fps_workspace_bytes(cuda_exec exec, clouds_of<Coord> const& clouds, fps_params const& params) noexcept { \
    return size_of<library::fps_function>(exec, clouds, params);                                                       \
  }                                                                                                                    \
  result fps(cuda_exec exec, clouds_of<Coord> const& clouds, fps_params const& params,                                 \
             fps_output<scalar_of<Coord>> const& output, bytes workspace) noexcept {                                   \
    return enqueue<library::fps_function>(exec, clouds, params, output, workspace);                                    \
  }

FARPOINT_EXPORT_FPS(float)
FARPOINT_EXPORT_FPS(double)
FARPOINT_EXPORT_FPS(float16)

#define FARPOINT_EXPORT_VOXELIZE(Scalar)                                                                  \
  std::size_t voxelize_workspace_bytes(cuda_exec exec, clouds_of<Scalar> const& clouds,                   \
                                       voxelize_params<Scalar> const& params,                             \
                                       voxelize_output<Scalar> const& output) noexcept {                  \
    return size_of<library::voxelize_function>(exec, clouds, params, output);                             \
  }                                                                                                       \
  result voxelize(cuda_exec exec, clouds_of<Scalar> const& clouds, voxelize_params<Scalar> const& params, \
                  voxelize_output<Scalar> const& output, bytes workspace) noexcept {                      \
    return enqueue<library::voxelize_function>(exec, clouds, params, output, workspace);                  \
  }

FARPOINT_EXPORT_VOXELIZE(float)
FARPOINT_EXPORT_VOXELIZE(double)

#define FARPOINT_EXPORT_KNN(Scalar)                                                                                  \
  std::size_t knn_workspace_bytes(cuda_exec exec, clouds_of<Scalar> const& points, clouds_of<Scalar> const& queries, \
                                  exact const& method, index_t k) noexcept {                                         \
    return size_of<library::knn_function>(exec, points, queries, method, k);                                         \
  }                                                                                                                  \
  std::size_t knn_workspace_bytes(cuda_exec exec, clouds_of<Scalar> const& points, exact const& method,              \
                                  index_t k) noexcept {                                                              \
    return size_of<library::knn_function>(exec, points, method, k);                                                  \
  }                                                                                                                  \
  result knn(cuda_exec exec, clouds_of<Scalar> const& points, clouds_of<Scalar> const& queries, exact const& method, \
             index_t k, knn_output<Scalar> const& output, bytes workspace) noexcept {                                \
    return enqueue<library::knn_function>(exec, points, queries, method, k, output, workspace);                      \
  }                                                                                                                  \
  result knn(cuda_exec exec, clouds_of<Scalar> const& points, exact const& method, index_t k,                        \
             knn_output<Scalar> const& output, bytes workspace) noexcept {                                           \
    return enqueue<library::knn_function>(exec, points, method, k, output, workspace);                               \
  }

FARPOINT_EXPORT_KNN(float)
FARPOINT_EXPORT_KNN(double)

#define FARPOINT_EXPORT_POINT_BVH(Scalar)                                                                  \
  std::size_t point_bvh_bytes(cuda_exec exec, clouds_of<Scalar> const& points) noexcept {                  \
    return size_of<library::point_bvh_function>(exec, points);                                             \
  }                                                                                                        \
  result build_point_bvh(cuda_exec exec, clouds_of<Scalar> const& points, bytes memory,                    \
                         device_point_bvh<Scalar>& index) noexcept {                                       \
    return enqueue<library::point_bvh_function>(exec, points, memory, &index);                             \
  }                                                                                                        \
  std::size_t knn_workspace_bytes(cuda_exec exec, device_point_bvh<Scalar> const& index,                   \
                                  clouds_of<Scalar> const& queries) noexcept {                             \
    return size_of<library::knn_function>(exec, index, queries);                                           \
  }                                                                                                        \
  result knn(cuda_exec exec, device_point_bvh<Scalar> const& index, clouds_of<Scalar> const& queries,      \
             exact const& method, index_t k, knn_output<Scalar> const& output, bytes workspace) noexcept { \
    return enqueue<library::knn_function>(exec, index, queries, method, k, output, workspace);             \
  }

FARPOINT_EXPORT_POINT_BVH(float)
FARPOINT_EXPORT_POINT_BVH(double)

#define FARPOINT_EXPORT_RADIUS(Scalar)                                                                     \
  std::size_t radius_workspace_bytes(cuda_exec exec, clouds_of<Scalar> const& points,                      \
                                     clouds_of<Scalar> const& queries) noexcept {                          \
    return size_of<library::radius_function>(exec, points, queries);                                       \
  }                                                                                                        \
  std::size_t radius_workspace_bytes(cuda_exec exec, clouds_of<Scalar> const& points) noexcept {           \
    return size_of<library::radius_function>(exec, points);                                                \
  }                                                                                                        \
  result radius(cuda_exec exec, clouds_of<Scalar> const& points, clouds_of<Scalar> const& queries,         \
                radius_params const& params, index_t max, radius_output<Scalar> const& output,             \
                bytes workspace) noexcept {                                                                \
    return enqueue<library::radius_function>(exec, points, queries, params, max, output, workspace);       \
  }                                                                                                        \
  result radius(cuda_exec exec, clouds_of<Scalar> const& points, radius_params const& params, index_t max, \
                radius_output<Scalar> const& output, bytes workspace) noexcept {                           \
    return enqueue<library::radius_function>(exec, points, params, max, output, workspace);                \
  }                                                                                                        \
  result radius_rows(cuda_exec exec, clouds_of<Scalar> const& points, clouds_of<Scalar> const& queries,    \
                     radius_params const& params, radius_rows_output<Scalar> const& output,                \
                     bytes workspace) noexcept {                                                           \
    return enqueue<library::radius_rows_function>(exec, points, queries, params, output, workspace);       \
  }                                                                                                        \
  result radius_rows(cuda_exec exec, clouds_of<Scalar> const& points, radius_params const& params,         \
                     radius_rows_output<Scalar> const& output, bytes workspace) noexcept {                 \
    return enqueue<library::radius_rows_function>(exec, points, params, output, workspace);                \
  }

FARPOINT_EXPORT_RADIUS(float)
FARPOINT_EXPORT_RADIUS(double)

#define FARPOINT_EXPORT_ESTIMATE_NORMALS(Scalar)                                                         \
  std::size_t estimate_normals_workspace_bytes(cuda_exec exec, clouds_of<Scalar> const& points,          \
                                               normals_params const& params) noexcept {                  \
    return size_of<library::estimate_normals_function>(exec, points, params);                            \
  }                                                                                                      \
  result estimate_normals(cuda_exec exec, clouds_of<Scalar> const& points, normals_params const& params, \
                          normals_output<Scalar> const& output, bytes workspace) noexcept {              \
    return enqueue<library::estimate_normals_function>(exec, points, params, output, workspace);         \
  }

FARPOINT_EXPORT_ESTIMATE_NORMALS(float)
FARPOINT_EXPORT_ESTIMATE_NORMALS(double)

#define FARPOINT_EXPORT_MEAN_KNN_DISTANCE(Scalar)                                                                      \
  std::size_t mean_knn_distance_workspace_bytes(cuda_exec exec, clouds_of<Scalar> const& points, index_t k) noexcept { \
    return size_of<library::mean_knn_distance_function>(exec, points, k);                                              \
  }                                                                                                                    \
  result mean_knn_distance(cuda_exec exec, clouds_of<Scalar> const& points, index_t k, span<Scalar> means,             \
                           bytes workspace, knn_report* report) noexcept {                                             \
    return enqueue<library::mean_knn_distance_function>(exec, points, k, means, workspace, report);                    \
  }

FARPOINT_EXPORT_MEAN_KNN_DISTANCE(float)
FARPOINT_EXPORT_MEAN_KNN_DISTANCE(double)

#define FARPOINT_EXPORT_INTERPOLATE(Scalar)                                                                      \
  std::size_t interpolate_workspace_bytes(cuda_exec exec, clouds_of<Scalar> const& points,                       \
                                          clouds_of<Scalar> const& queries) noexcept {                           \
    return size_of<library::interpolate_function>(exec, points, queries);                                        \
  }                                                                                                              \
  result interpolate(cuda_exec exec, clouds_of<Scalar> const& points, span<float const> features,                \
                     clouds_of<Scalar> const& queries, index_t channels, interpolate_output const& output,       \
                     bytes workspace) noexcept {                                                                 \
    return enqueue<library::interpolate_function>(exec, points, features, queries, channels, output, workspace); \
  }

FARPOINT_EXPORT_INTERPOLATE(float)
FARPOINT_EXPORT_INTERPOLATE(double)

FARPOINT_END_NAMESPACE

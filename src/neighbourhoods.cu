#include <farpoint/estimate_normals.cuh>
#include <farpoint/interpolate.cuh>
#include <farpoint/mean_knn_distance.cuh>

#include "on_stream.cuh"

FARPOINT_BEGIN_NAMESPACE
namespace library {

FARPOINT_ON_STREAM(estimate_normals, estimate_normals, estimate_normals_workspace_bytes,
                   estimate_normals_workspace_bound)
FARPOINT_ON_STREAM(interpolate, interpolate, interpolate_workspace_bytes, interpolate_workspace_bound)
FARPOINT_ON_STREAM(mean_knn_distance, mean_knn_distance, mean_knn_distance_workspace_bytes,
                   mean_knn_distance_workspace_bound)

[[gnu::used]] constexpr auto every_normals = compiled_for<function::estimate_normals, float, double>();
[[gnu::used]] constexpr auto every_interpolate = compiled_for<function::interpolate, float, double>();
[[gnu::used]] constexpr auto every_mean_distance = compiled_for<function::mean_knn_distance, float, double>();

}  // namespace library
FARPOINT_END_NAMESPACE

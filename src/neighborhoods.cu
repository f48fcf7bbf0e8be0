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

FARPOINT_CALLS_OF_ESTIMATE_NORMALS(FARPOINT_COMPILE, float)
FARPOINT_CALLS_OF_ESTIMATE_NORMALS(FARPOINT_COMPILE, double)
FARPOINT_CALLS_OF_INTERPOLATE(FARPOINT_COMPILE, float)
FARPOINT_CALLS_OF_INTERPOLATE(FARPOINT_COMPILE, double)
FARPOINT_CALLS_OF_MEAN_KNN_DISTANCE(FARPOINT_COMPILE, float)
FARPOINT_CALLS_OF_MEAN_KNN_DISTANCE(FARPOINT_COMPILE, double)

}  // namespace library
FARPOINT_END_NAMESPACE

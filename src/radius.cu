#include <farpoint/radius.cuh>

#include "knn_kernels.cuh"
#include "on_stream.cuh"

FARPOINT_KNN_KERNELS(extern template)

FARPOINT_BEGIN_NAMESPACE
namespace library {

FARPOINT_ON_STREAM(radius, radius, radius_workspace_bytes, radius_workspace_bound)
FARPOINT_RUN_ON_STREAM(radius_rows, radius_rows)
FARPOINT_SIZE_ON_STREAM(radius_rows, radius_workspace_bytes)

FARPOINT_CALLS_OF_RADIUS(FARPOINT_COMPILE, float)
FARPOINT_CALLS_OF_RADIUS(FARPOINT_COMPILE, double)

}  // namespace library
FARPOINT_END_NAMESPACE

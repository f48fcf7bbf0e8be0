#include <farpoint/voxelize.cuh>

#include "on_stream.cuh"

FARPOINT_BEGIN_NAMESPACE
namespace library {

FARPOINT_ON_STREAM(voxelize, voxelize, voxelize_workspace_bytes, voxelize_workspace_bound)

FARPOINT_CALLS_OF_VOXELIZE(FARPOINT_COMPILE, float)
FARPOINT_CALLS_OF_VOXELIZE(FARPOINT_COMPILE, double)

}  // namespace library
FARPOINT_END_NAMESPACE

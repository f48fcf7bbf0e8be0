#include <farpoint/fps.cuh>

#include "on_stream.cuh"

FARPOINT_BEGIN_NAMESPACE
namespace library {

FARPOINT_ON_STREAM(fps, fps, fps_workspace_bytes, fps_workspace_bound)
FARPOINT_ON_STREAM(fps_weighted, fps_weighted, fps_weighted_workspace_bytes, fps_weighted_workspace_bound)

FARPOINT_FOR_EACH_COORD(FARPOINT_CALLS_OF_FPS, FARPOINT_COMPILE)

}  // namespace library
FARPOINT_END_NAMESPACE

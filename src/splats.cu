#include <farpoint/splat/draw_splats.cuh>
#include <farpoint/splat/project.cuh>

#include "on_stream.cuh"

FARPOINT_BEGIN_NAMESPACE
namespace library {

FARPOINT_RUN_ON_STREAM(project, project)
FARPOINT_RUN_ON_STREAM(draw_splats, draw_splats)
FARPOINT_SIZE_ON_STREAM(draw_splats, draw_splats_workspace_bytes)

FARPOINT_FOR_EACH_SCALAR(FARPOINT_CALLS_OF_SPLATS, FARPOINT_COMPILE)

}  // namespace library
FARPOINT_END_NAMESPACE

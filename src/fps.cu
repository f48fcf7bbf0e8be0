#include <farpoint/fps.cuh>

#include "on_stream.cuh"

FARPOINT_BEGIN_NAMESPACE
namespace library {

FARPOINT_ON_STREAM(fps, fps, fps_workspace_bytes, fps_workspace_bound)

[[gnu::used]] constexpr auto every_fps = compiled_for<function::fps, float, double, float16>();

}  // namespace library
FARPOINT_END_NAMESPACE

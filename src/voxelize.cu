#include <farpoint/voxelize.cuh>

#include "on_stream.cuh"

FARPOINT_BEGIN_NAMESPACE
namespace library {

FARPOINT_ON_STREAM(voxelize, voxelize, voxelize_workspace_bytes, voxelize_workspace_bound)

[[gnu::used]] constexpr auto every_voxelize = compiled_for<function::voxelize, float, double>();

}  // namespace library
FARPOINT_END_NAMESPACE

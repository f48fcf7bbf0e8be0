#include <farpoint/radius.cuh>

#include "on_stream.cuh"

FARPOINT_BEGIN_NAMESPACE
namespace library {

FARPOINT_ON_STREAM(radius, radius, radius_workspace_bytes, radius_workspace_bound)
FARPOINT_RUN_ON_STREAM(radius_rows, radius_rows)
FARPOINT_SIZE_ON_STREAM(radius_rows, radius_workspace_bytes)

[[gnu::used]] constexpr auto every_radius = compiled_for<function::radius, float, double>();
[[gnu::used]] constexpr auto every_radius_rows = compiled_for<function::radius_rows, float, double>();

}  // namespace library
FARPOINT_END_NAMESPACE

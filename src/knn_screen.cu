#include <farpoint/knn_screen.cuh>

#include "on_stream.cuh"

FARPOINT_BEGIN_NAMESPACE
namespace library {

FARPOINT_ON_STREAM(knn_screen, knn, knn_workspace_bytes, knn_screen_workspace_bound)

FARPOINT_CALLS_OF_ALL_CAMERAS(FARPOINT_COMPILE, float)
FARPOINT_CALLS_OF_ALL_CAMERAS(FARPOINT_COMPILE, double)

}  // namespace library
FARPOINT_END_NAMESPACE

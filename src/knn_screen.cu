#include <farpoint/knn_screen.cuh>

#include "on_stream.cuh"

FARPOINT_BEGIN_NAMESPACE
namespace library {

FARPOINT_ON_STREAM(knn_screen, knn, knn_workspace_bytes, knn_screen_workspace_bound)

template <template <class> class Camera>
constexpr auto of_camera = compiled_for<function::knn_screen, Camera<float>, Camera<double>>();

[[gnu::used]] constexpr auto every_camera =
    std::make_tuple(of_camera<pinhole_camera>, of_camera<spherical_camera>, of_camera<organized_camera>);

}  // namespace library
FARPOINT_END_NAMESPACE

// expect: farpoint: points and camera are both double, or neither is
#include <farpoint/knn_screen.hpp>

#if defined(FARPOINT_CORRECTED)
using camera = farpoint::pinhole_camera<float>;
#else
using camera = farpoint::pinhole_camera<double>;
#endif

int main() {
  using points = farpoint::point_view<float>;
  return static_cast<int>(knn(farpoint::host_exec{1}, farpoint::batch<points>{points{}},
                              farpoint::screen_space<camera>{camera{}}, 1, {}, {})
                              .code);
}

// expect: farpoint: points and camera must both be double, or neither
#include <farpoint/knn_screen.hpp>

#include "right_or_wrong.hpp"

using camera = RIGHT_OR_WRONG(farpoint::pinhole_camera<float>, farpoint::pinhole_camera<double>);

int main() {
  using points = farpoint::point_view<float>;
  return static_cast<int>(
      knn(farpoint::host_exec{1}, farpoint::batch<points>{points{}}, farpoint::screen_space<camera>{camera{}}, {}, {})
          .code);
}

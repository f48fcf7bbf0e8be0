#include <farpoint/knn_screen.cuh>

#include "calls.cuh"

template <class Scalar>
farpoint::result search_image(farpoint::cuda_exec exec, matrix::clouds<Scalar> const& points) {
  using camera = farpoint::pinhole_camera<typename farpoint::point_view<Scalar>::scalar>;
  return farpoint::knn(exec, points, farpoint::screen_space<camera>{{}, 8}, {}, {});
}
FARPOINT_FOR_EVERY_SCALAR(search_image)

#include <farpoint/voxelize.cuh>

#include "calls.cuh"

template <class Scalar>
farpoint::result voxelize(farpoint::cuda_exec exec, matrix::clouds<Scalar> const& points) {
  return farpoint::voxelize(exec, points, {}, {}, {});
}
FARPOINT_FOR_EVERY_SCALAR(voxelize)

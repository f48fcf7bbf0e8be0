#include <farpoint/fps.cuh>

#include "calls.cuh"

template <class Scalar>
farpoint::result sample(farpoint::cuda_exec exec, matrix::clouds<Scalar> const& points) {
  return farpoint::fps(exec, points, {}, {}, {});
}
FARPOINT_FOR_EVERY_SCALAR(sample)

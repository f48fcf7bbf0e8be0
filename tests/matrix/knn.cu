#include <farpoint/knn.cuh>
#include <farpoint/radius.cuh>

#include "calls.cuh"

template <class Scalar>
farpoint::result search(farpoint::cuda_exec exec, matrix::clouds<Scalar> const& points) {
  farpoint::result outcome = farpoint::knn(exec, points, farpoint::knn_params{8}, {}, {});
  if (outcome) outcome = farpoint::radius(exec, points, {0, 8}, {}, {});
  if (outcome) outcome = farpoint::radius_rows(exec, points, {}, {}, {});
  return outcome;
}
FARPOINT_FOR_EVERY_SCALAR(search)

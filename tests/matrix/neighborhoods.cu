#include <farpoint/estimate_normals.cuh>
#include <farpoint/gather.cuh>
#include <farpoint/interpolate.cuh>
#include <farpoint/mean_knn_distance.cuh>

#include "calls.cuh"

template <class Scalar>
farpoint::result summarize(farpoint::cuda_exec exec, matrix::clouds<Scalar> const& points) {
  farpoint::result outcome = farpoint::mean_knn_distance(exec, points, {8}, {}, {});
  if (outcome) outcome = farpoint::estimate_normals(exec, points, {}, {}, {});
  if (outcome) outcome = farpoint::interpolate(exec, points, {}, points, 1, {}, {});
  if (outcome) outcome = farpoint::gather<float>(exec, {}, 1, {}, {});
  return outcome;
}
FARPOINT_FOR_EVERY_SCALAR(summarize)

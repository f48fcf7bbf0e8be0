// A kernel that nvcc may compile with -ftz=true or must not.
#include <farpoint/core/math.hpp>

__global__ void distances_of(farpoint::vec<float, 3> const* points, float* distances) {
  distances[threadIdx.x] = farpoint::distance2(points[0], points[threadIdx.x]);
}

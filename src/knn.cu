#include <farpoint/point_bvh.cuh>

#include "knn_kernels.cuh"
#include "on_stream.cuh"

FARPOINT_KNN_KERNELS(template)

FARPOINT_BEGIN_NAMESPACE
namespace library {

namespace {

template <class Points, class Scalar>
result build(cuda_exec exec, Points const& points, bytes memory, device_point_bvh<Scalar>* index) noexcept {
  return build_point_bvh(exec, points, memory, *index);
}

}  // namespace

FARPOINT_ON_STREAM(knn, knn, knn_workspace_bytes, knn_workspace_bound)
FARPOINT_ON_STREAM(build_point_bvh, build, point_bvh_bytes, point_bvh_bound)

FARPOINT_CALLS_OF_KNN(FARPOINT_COMPILE, float)
FARPOINT_CALLS_OF_KNN(FARPOINT_COMPILE, double)
FARPOINT_CALLS_OF_BUILD_POINT_BVH(FARPOINT_COMPILE, float)
FARPOINT_CALLS_OF_BUILD_POINT_BVH(FARPOINT_COMPILE, double)

}  // namespace library
FARPOINT_END_NAMESPACE

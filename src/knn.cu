#include <farpoint/knn.cuh>
#include <farpoint/point_bvh.cuh>

#include "on_stream.cuh"

FARPOINT_BEGIN_NAMESPACE
namespace library {

FARPOINT_ON_STREAM(knn, knn, knn_workspace_bytes)

namespace {

template <class Points, class Scalar>
result build(cuda_exec exec, Points const& points, bytes memory, device_point_bvh<Scalar>* index) noexcept {
  return build_point_bvh(exec, points, memory, *index);
}

}  // namespace

FARPOINT_ON_STREAM(point_bvh, build, point_bvh_bytes)

#define FARPOINT_KNN_OF(Scalar)                                                                                      \
  template result on_stream<knn_function>::run(cuda_exec, clouds_of<Scalar> const&, clouds_of<Scalar> const&,        \
                                               exact const&, index_t const&, knn_output<Scalar> const&,              \
                                               bytes const&) noexcept;                                               \
  template result on_stream<knn_function>::run(cuda_exec, clouds_of<Scalar> const&, exact const&, index_t const&,    \
                                               knn_output<Scalar> const&, bytes const&) noexcept;                    \
  template result on_stream<knn_function>::run(cuda_exec, device_point_bvh<Scalar> const&, clouds_of<Scalar> const&, \
                                               exact const&, index_t const&, knn_output<Scalar> const&,              \
                                               bytes const&) noexcept;                                               \
  template std::size_t on_stream<knn_function>::workspace_bytes(                                                     \
      cuda_exec, clouds_of<Scalar> const&, clouds_of<Scalar> const&, exact const&, index_t const&) noexcept;         \
  template std::size_t on_stream<knn_function>::workspace_bytes(cuda_exec, clouds_of<Scalar> const&, exact const&,   \
                                                                index_t const&) noexcept;                            \
  template std::size_t on_stream<knn_function>::workspace_bytes(cuda_exec, device_point_bvh<Scalar> const&,          \
                                                                clouds_of<Scalar> const&) noexcept;                  \
  template result on_stream<point_bvh_function>::run(cuda_exec, clouds_of<Scalar> const&, bytes const&,              \
                                                     device_point_bvh<Scalar>* const&) noexcept;                     \
  template std::size_t on_stream<point_bvh_function>::workspace_bytes(cuda_exec, clouds_of<Scalar> const&) noexcept;

FARPOINT_KNN_OF(float)
FARPOINT_KNN_OF(double)

}  // namespace library
FARPOINT_END_NAMESPACE

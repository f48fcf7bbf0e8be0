#include <farpoint/mean_knn_distance.cuh>

#include "on_stream.cuh"

FARPOINT_BEGIN_NAMESPACE
namespace library {

FARPOINT_ON_STREAM(mean_knn_distance, mean_knn_distance, mean_knn_distance_workspace_bytes)

#define FARPOINT_MEAN_DISTANCE_OF(Scalar)                                                                          \
  template result on_stream<mean_knn_distance_function>::run(cuda_exec, clouds_of<Scalar> const&, index_t const&,  \
                                                             span<Scalar> const&, bytes const&,                    \
                                                             knn_report* const&) noexcept;                         \
  template std::size_t on_stream<mean_knn_distance_function>::workspace_bytes(cuda_exec, clouds_of<Scalar> const&, \
                                                                              index_t const&) noexcept;

FARPOINT_MEAN_DISTANCE_OF(float)
FARPOINT_MEAN_DISTANCE_OF(double)

}  // namespace library
FARPOINT_END_NAMESPACE

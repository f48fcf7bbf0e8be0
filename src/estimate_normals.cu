#include <farpoint/estimate_normals.cuh>

#include "on_stream.cuh"

FARPOINT_BEGIN_NAMESPACE
namespace library {

FARPOINT_ON_STREAM(estimate_normals, estimate_normals, estimate_normals_workspace_bytes)

#define FARPOINT_NORMALS_OF(Scalar)                                                                               \
  template result on_stream<estimate_normals_function>::run(cuda_exec, clouds_of<Scalar> const&,                  \
                                                            normals_params const&, normals_output<Scalar> const&, \
                                                            bytes const&) noexcept;                               \
  template std::size_t on_stream<estimate_normals_function>::workspace_bytes(cuda_exec, clouds_of<Scalar> const&, \
                                                                             normals_params const&) noexcept;

FARPOINT_NORMALS_OF(float)
FARPOINT_NORMALS_OF(double)

}  // namespace library
FARPOINT_END_NAMESPACE

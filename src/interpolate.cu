#include <farpoint/interpolate.cuh>

#include "on_stream.cuh"

FARPOINT_BEGIN_NAMESPACE
namespace library {

FARPOINT_ON_STREAM(interpolate, interpolate, interpolate_workspace_bytes)

#define FARPOINT_INTERPOLATE_OF(Scalar)                                                                               \
  template result on_stream<interpolate_function>::run(cuda_exec, clouds_of<Scalar> const&, span<float const> const&, \
                                                       clouds_of<Scalar> const&, index_t const&,                      \
                                                       interpolate_output const&, bytes const&) noexcept;             \
  template std::size_t on_stream<interpolate_function>::workspace_bytes(cuda_exec, clouds_of<Scalar> const&,          \
                                                                        clouds_of<Scalar> const&) noexcept;

FARPOINT_INTERPOLATE_OF(float)
FARPOINT_INTERPOLATE_OF(double)

}  // namespace library
FARPOINT_END_NAMESPACE

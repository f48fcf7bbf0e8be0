#include <farpoint/radius.cuh>

#include "on_stream.cuh"

FARPOINT_BEGIN_NAMESPACE
namespace library {

FARPOINT_ON_STREAM(radius, radius, radius_workspace_bytes)
FARPOINT_ON_STREAM(radius_rows, radius_rows, radius_workspace_bytes)

#define FARPOINT_RADIUS_OF(Scalar)                                                                                    \
  template result on_stream<radius_function>::run(cuda_exec, clouds_of<Scalar> const&, clouds_of<Scalar> const&,      \
                                                  radius_params const&, index_t const&, radius_output<Scalar> const&, \
                                                  bytes const&) noexcept;                                             \
  template result on_stream<radius_function>::run(cuda_exec, clouds_of<Scalar> const&, radius_params const&,          \
                                                  index_t const&, radius_output<Scalar> const&,                       \
                                                  bytes const&) noexcept;                                             \
  template result on_stream<radius_rows_function>::run(cuda_exec, clouds_of<Scalar> const&, clouds_of<Scalar> const&, \
                                                       radius_params const&, radius_rows_output<Scalar> const&,       \
                                                       bytes const&) noexcept;                                        \
  template result on_stream<radius_rows_function>::run(cuda_exec, clouds_of<Scalar> const&, radius_params const&,     \
                                                       radius_rows_output<Scalar> const&, bytes const&) noexcept;     \
  template std::size_t on_stream<radius_function>::workspace_bytes(cuda_exec, clouds_of<Scalar> const&,               \
                                                                   clouds_of<Scalar> const&) noexcept;                \
  template std::size_t on_stream<radius_function>::workspace_bytes(cuda_exec, clouds_of<Scalar> const&) noexcept;

FARPOINT_RADIUS_OF(float)
FARPOINT_RADIUS_OF(double)

}  // namespace library
FARPOINT_END_NAMESPACE

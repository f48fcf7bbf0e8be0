#include <farpoint/voxelize.cuh>

#include "on_stream.cuh"

FARPOINT_BEGIN_NAMESPACE
namespace library {

FARPOINT_ON_STREAM(voxelize, voxelize, voxelize_workspace_bytes)

#define FARPOINT_VOXELIZE_OF(Scalar)                                                                                \
  template result on_stream<voxelize_function>::run(cuda_exec, clouds_of<Scalar> const&,                            \
                                                    voxelize_params<Scalar> const&, voxelize_output<Scalar> const&, \
                                                    bytes const&) noexcept;                                         \
  template std::size_t on_stream<voxelize_function>::workspace_bytes(                                               \
      cuda_exec, clouds_of<Scalar> const&, voxelize_params<Scalar> const&, voxelize_output<Scalar> const&) noexcept;

FARPOINT_VOXELIZE_OF(float)
FARPOINT_VOXELIZE_OF(double)

}  // namespace library
FARPOINT_END_NAMESPACE

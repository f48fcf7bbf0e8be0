#include <farpoint/fps.cuh>

#include "on_stream.cuh"

FARPOINT_BEGIN_NAMESPACE
namespace library {

FARPOINT_ON_STREAM(fps, fps, fps_workspace_bytes)

#define FARPOINT_FPS_OF(Coord)                                                                              \
  template result on_stream<fps_function>::run(cuda_exec, clouds_of<Coord> const&, fps_params const&,       \
                                               fps_output<scalar_of<Coord>> const&, bytes const&) noexcept; \
  template std::size_t on_stream<fps_function>::workspace_bytes(cuda_exec, clouds_of<Coord> const&,         \
                                                                fps_params const&) noexcept;

FARPOINT_FPS_OF(float)
FARPOINT_FPS_OF(double)
FARPOINT_FPS_OF(float16)

}  // namespace library
FARPOINT_END_NAMESPACE

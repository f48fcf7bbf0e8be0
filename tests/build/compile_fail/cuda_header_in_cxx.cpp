// expect: farpoint: .cuh headers need a CUDA compiler; rename this source to .cu, or include the .hpp header instead
#if defined(FARPOINT_CORRECTED)
#include <farpoint/fps.hpp>
#else
#include <farpoint/fps.cuh>
#endif

int main() {
  return sizeof(farpoint::fps_params) > 0 ? 0 : 1;
}

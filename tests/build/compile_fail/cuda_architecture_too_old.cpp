// expect: farpoint: kernels need compute capability 7.0 or later; pass -arch=sm_75, for example, as nvcc 12 compiles
// for sm_52
#if defined(FARPOINT_CORRECTED)
#include <farpoint/fps.hpp>
#else
// The macros of nvcc while it compiles for sm_52.
#define __CUDACC__
#define __CUDA_ARCH__ 520
#include <farpoint/fps.cuh>
#endif

int main() {
  return sizeof(farpoint::fps_params) > 0 ? 0 : 1;
}

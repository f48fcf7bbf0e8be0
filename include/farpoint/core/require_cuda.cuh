/// @file
/// The first include of every public .cuh header: who compiles with a C++ compiler, or for a GPU that is too old, gets
/// one sentence instead of hundreds of errors.
#pragma once

#if !defined(__CUDACC__)
#error "farpoint: .cuh headers need a CUDA compiler; rename this source to .cu, or include the .hpp header instead"
// Compilers go on after #error. A header that does not exist makes them stop.
#include <farpoint/stop_after_the_error_above>
#endif

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 700
#error \
    "farpoint: kernels need compute capability 7.0 or later; pass -arch=sm_75, for example, as nvcc 12 compiles for sm_52"
#include <farpoint/stop_after_the_error_above>
#endif

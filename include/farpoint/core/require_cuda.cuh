/// @file
/// The first include of every public .cuh header: a C++ compiler gets one sentence instead of hundreds of errors.
#pragma once

#if !defined(__CUDACC__)
#error "farpoint: .cuh headers need a CUDA compiler; rename this source to .cu, or include the .hpp header instead"
// Compilers go on after #error. A header that does not exist makes them stop.
#include <farpoint/stop_after_the_error_above>
#endif

// Common declarations of this folder's files, the kernels of all public calls with the default tunings. ./dev matrix
// compiles the files for every architecture and does not run them.
#pragma once

#include <farpoint/core/batch.hpp>
#include <farpoint/core/cuda_exec.cuh>

namespace matrix {

template <class Scalar>
using clouds = farpoint::batch<farpoint::point_view<Scalar>>;

}  // namespace matrix

/// Defines `call` for every type of coordinate.
#define FARPOINT_FOR_EVERY_SCALAR(call)                                                       \
  template farpoint::result call<float>(farpoint::cuda_exec, matrix::clouds<float> const&);   \
  template farpoint::result call<double>(farpoint::cuda_exec, matrix::clouds<double> const&); \
  template farpoint::result call<farpoint::float16>(farpoint::cuda_exec, matrix::clouds<farpoint::float16> const&);

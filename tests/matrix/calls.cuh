// What the files of this folder have in common. They are compiled by ./dev matrix, for every architecture, and not run:
// the kernels of all public calls, with the default tunings.
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

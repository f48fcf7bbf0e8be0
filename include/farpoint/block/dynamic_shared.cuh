/// @file
/// The block's dynamic shared memory.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/core/config.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace detail {

/// The block's dynamic shared memory, aligned to 16 bytes. All kernels get it from here: two declarations of one
/// array with different types do not compile.
__device__ inline void* dynamic_shared() noexcept {
  extern __shared__ __align__(16) double farpoint_dynamic_shared[];
  return farpoint_dynamic_shared;
}

}  // namespace detail
FARPOINT_END_NAMESPACE

/// @file
/// Launchers of compat/ on a stream.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/compat/execution.hpp>
#include <farpoint/core/cuda_exec.cuh>
#include <farpoint/grid/for_each_index.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace compat {
namespace FARPOINT_HIDDEN detail {

template <>
struct execution<cudaStream_t> {
  using type = cuda_exec;
};

}  // namespace detail
}  // namespace compat
FARPOINT_END_NAMESPACE

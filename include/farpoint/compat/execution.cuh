/// @file
/// Launchers of compat/ on a stream.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/compat/execution.hpp>
#include <farpoint/core/check_pointers.cuh>
#include <farpoint/core/cuda_exec.cuh>
#include <farpoint/grid/for_each_index.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace compat {
namespace FARPOINT_HIDDEN detail {

template <>
struct execution<cudaStream_t> {
  using type = cuda_exec;
};

/// Refuses memory that kernels do not reach, if FARPOINT_CHECK_POINTERS is 1.
template <bool Checks = FARPOINT_CHECK_POINTERS != 0, class... T>
result check_reach(cuda_exec exec, bytes workspace, launcher_array<T> const&... arrays) noexcept {
  auto const size_of = [](index_t size) { return static_cast<std::size_t>(size); };
  return farpoint::detail::check_pointers<Checks>(exec, workspace, span<T>{arrays.data, size_of(arrays.size)}...);
}

}  // namespace detail
}  // namespace compat
FARPOINT_END_NAMESPACE

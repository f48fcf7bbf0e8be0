/// @file
/// The sort of scatter_add.hpp on a stream.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/compat/execution.cuh>
#include <farpoint/compat/scatter_add.hpp>
#include <farpoint/grid/radix_sort.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace compat {
namespace FARPOINT_HIDDEN detail {

inline index_t scratch_words(cuda_exec, scatter_lists const& lists) noexcept {
  return static_cast<index_t>(radix_sort_workspace_words(static_cast<std::size_t>(lists.size)));
}

inline result sort_entries(cuda_exec exec, scatter_lists const& lists, int& sorted) noexcept {
  sorted = radix_sort_result(lists.bits);
  radix_sort_args const args{{lists.targets[0], lists.targets[1]},
                             {lists.entries[0], lists.entries[1]},
                             lists.scratch,
                             static_cast<std::uint32_t>(lists.size),
                             lists.bits};
  return farpoint::detail::cuda_failure(radix_sort(args, exec.stream), "scatter_add: the sort could not be launched");
}

}  // namespace detail
}  // namespace compat
FARPOINT_END_NAMESPACE

/// @file
/// A search on ranks that are GPUs. See search_call.hpp.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/core/check_pointers.cuh>
#include <farpoint/core/profile_range.cuh>
#include <farpoint/grid/for_each_index.cuh>
#include <farpoint/scale/shard_backend.cuh>
#include <farpoint/scale/stream/search_call.hpp>
#include <farpoint/scale/stream/shard_index.cuh>
#include <farpoint/scale/voxel_map.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Call of a rank that is a GPU.
template <class Task, class Communicator>
search_call<Task, cuda_exec, Communicator> stream_search_call(cuda_exec exec, Communicator& communicator,
                                                              typename Task::request_type const& request,
                                                              bytes workspace, index_t capacity) noexcept {
  result own = check_stream(communicator, exec);
  if (own) {
    own = request.visit_arrays([&](auto const&... arrays) { return check_pointers(exec, workspace, arrays...); });
  }
  result const fit =
      check_stream_communicator(communicator, knn_stream_max_ranks, "communicator: it has no ranks, or more than 64");
  return {exec, communicator, request, fit, own, workspace, capacity};
}

}  // namespace detail
FARPOINT_END_NAMESPACE

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

/// Checks of a rank that is a GPU.
template <>
struct rank_checks<cuda_exec> {
  using range = profile_range;

  static cuda_exec usable(cuda_exec exec) noexcept { return exec; }
  template <class Communicator>
  static result fit(Communicator const& communicator, int max_ranks) noexcept {
    return check_stream_communicator(communicator, max_ranks, "communicator: it has no ranks, or more than 64");
  }
  template <class Communicator, class Request>
  static result own(cuda_exec exec, Communicator const& communicator, Request const& request,
                    bytes workspace) noexcept {
    result const same = check_stream(communicator, exec);
    if (!same) return same;
    return request.visit_arrays([&](auto const&... arrays) { return check_pointers(exec, workspace, arrays...); });
  }
};

}  // namespace detail
FARPOINT_END_NAMESPACE

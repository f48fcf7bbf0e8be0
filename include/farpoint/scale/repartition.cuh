/// @file
/// Moves the points of a cloud that is spread over several GPUs, so that each GPU owns a compact part of it.
/// repartition.hpp defines the result of repartition().
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/core/check_pointers.cuh>
#include <farpoint/core/profile_range.cuh>
#include <farpoint/scale/repartition.hpp>
#include <farpoint/scale/shard_backend.cuh>
#include <farpoint/scale/stream/curve/split.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Call of a rank that is a GPU.
template <class Communicator, class Points, class... Arrays>
repartition_call<cuda_exec, Communicator, Points> stream_repartition_call(cuda_exec exec, Communicator& communicator,
                                                                          shard<Points> const& part, bytes workspace,
                                                                          Arrays const&... arrays) noexcept {
  result own = check_stream(communicator, exec);
  if (own) own = check_pointers(exec, workspace, batch<Points>{part.points}, arrays...);
  result const fit = check_stream_communicator(communicator, curve_max_ranks);
  return {exec, communicator, part, fit, own, workspace};
}

}  // namespace detail

/// Bytes of device workspace that repartition() needs on a rank that is a GPU, 256-byte aligned: as on the host, and
/// memory to sort what is sent. 0 if an argument is refused. O(1).
template <class Points>
std::size_t repartition_workspace_bytes(cuda_exec exec, int ranks, shard<Points> const& part) noexcept {
  return detail::repartition_bytes(exec, ranks, part);
}

/// repartition() for ranks that are GPUs. Same rules and bits as the host overload, with these differences:
///
/// - Arrays are device memory, except `output.owned` and `output.first_owned`, which are host memory.
/// - The call waits for the stream twice, to agree on the arguments and on the number of points from rank to rank. The
///   rest is enqueued. Therefore it cannot be captured in a graph. It allocates nothing, except on a rank that refuses
///   its arguments: the rank takes some bytes of the stream's pool to report that.
///
/// @param exec          the stream of the communicator
/// @param communicator  nccl_exec or another type with is_stream_communicator, 1 to 64 ranks
/// @param part          points of this rank, as for the host
/// @param output        as for the host
/// @param workspace     at least repartition_workspace_bytes() bytes, 256-byte aligned
///
/// @return as the host overload; or `cuda_failure`, after which the communicator is aborted if it has abort()
///
/// Complexity: as the host overload.
template <class Communicator, class Points>
result repartition(cuda_exec exec, Communicator& communicator, shard<Points> const& part,
                   repartition_output<typename Points::scalar> const& output, bytes workspace) noexcept {
  detail::profile_range const range{"farpoint::repartition"};
  return detail::stream_repartition_call(exec, communicator, part, workspace, output.points, output.indices)
      .run(output);
}

/// Bytes of device workspace that repartition_plan() needs on a rank that is a GPU, 256-byte aligned. 0 if an argument
/// is refused. O(1).
template <class Points>
std::size_t repartition_plan_workspace_bytes(cuda_exec exec, int ranks, shard<Points> const& part) noexcept {
  return detail::repartition_plan_bytes(exec, ranks, part);
}

/// First half of repartition() for ranks that are GPUs, as on the host. It waits for the stream twice. The members of
/// the returned object are enqueued and do not wait.
///
/// @param exec          the stream of the communicator
/// @param communicator  as for repartition(); it must outlive the returned object
/// @param part          as for the host
/// @param workspace     at least repartition_plan_workspace_bytes() bytes, 256-byte aligned, device memory
///
/// @return a repartition whose outcome() is as on the host; or `cuda_failure`, after which the communicator is aborted
///         if it has abort()
///
/// Complexity: both halves take the time of repartition().
template <class Communicator, class Points>
auto repartition_plan(cuda_exec exec, Communicator& communicator, shard<Points> const& part, bytes workspace) noexcept {
  detail::profile_range const range{"farpoint::repartition_plan"};
  return detail::stream_repartition_call(exec, communicator, part, workspace).plan();
}

FARPOINT_END_NAMESPACE

/// @file
/// Moves the points of a cloud that is spread over ranks, so that each rank owns a compact part of it.
#pragma once

#include <farpoint/scale/stream/curve/repartition_call.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Call of a rank on the host.
template <class Communicator, class Points>
repartition_call<host_exec, Communicator, Points> host_repartition_call(host_exec exec, Communicator& communicator,
                                                                        shard<Points> const& part,
                                                                        bytes workspace) noexcept {
  result const own = check_threads(exec);
  result fit = check_communicator(communicator);
  if (fit && communicator.ranks() > curve_max_ranks) fit = reject("communicator: it has more than 64 ranks");
  // If the thread count is refused, one thread is enough to report that to the other ranks.
  return {own ? exec : host_exec{1}, communicator, part, fit, own, workspace};
}

}  // namespace detail

/// Bytes of workspace that repartition() needs on a rank, 256-byte aligned. 0 if an argument is refused. Per point of
/// the rank 44 bytes (double: 56), and per rank 16 KiB. O(1).
template <class Points>
std::size_t repartition_workspace_bytes(host_exec exec, int ranks, shard<Points> const& part) noexcept {
  if (!detail::check_threads(exec)) return 0;
  return detail::repartition_bytes(exec, ranks, part);
}

/// Moves the points of a cloud that is spread over ranks to owners along the Hilbert curve: each rank gets a compact
/// part of the cloud, however the points were spread. These are the owners of knn_shard() with along_curve.
///
/// Owner r of R gets the finite points from n r / R to n (r + 1) / R of the n finite points in the order of the curve,
/// so the parts differ by one point at most. Points of equal keys are divided in the order of ranks and indices.
/// Non-finite points are not sent. An owner has its points in the order of the whole cloud, with their indices.
///
/// @param exec          threads of this rank; the call returns when the result is complete
/// @param communicator  see is_communicator; 1 to 64 ranks, all of which make this call
/// @param part          the rank's points; may be empty
/// @param output        see repartition_output; room for the points of the whole cloud, non-finite ones included,
///                      divided by the number of ranks and rounded up. Must not overlap the points
/// @param workspace     at least repartition_workspace_bytes() bytes, 256-byte aligned
///
/// @return `ok`, or:
///         - `bad_argument` on all ranks if the arguments of one are refused, or parts overlap; nothing is written
///         - `workspace_too_small` on a rank with too little workspace, and `bad_argument` on the others; nothing is
///           written
///         - `workspace_too_small` on all ranks if the outputs of one are too small; nothing is written
///         - `communication_failure`: outputs are unspecified
///
/// Complexity: O(points) per round of exact splitting: five rounds on two ranks, nine on 64. One exchange per round,
/// and five more. Thread safety: concurrent calls must not share communicator, output or workspace.
template <class Communicator, class Points>
result repartition(host_exec exec, Communicator& communicator, shard<Points> const& part,
                   repartition_output<typename Points::scalar> const& output, bytes workspace) noexcept {
  return detail::host_repartition_call(exec, communicator, part, workspace).run(output);
}

/// Bytes of workspace that repartition_plan() needs on a rank, 256-byte aligned. 0 if an argument is refused. O(1).
template <class Points>
std::size_t repartition_plan_workspace_bytes(host_exec exec, int ranks, shard<Points> const& part) noexcept {
  if (!detail::check_threads(exec)) return 0;
  return detail::repartition_plan_bytes(exec, ranks, part);
}

/// First half of repartition(): finds the owners. The second half, planned_repartition::run(), has outputs and
/// workspace of the exact size. Features of the points can move, too, and come back.
///
/// @param exec          as for repartition()
/// @param communicator  as for repartition(); it must outlive the returned object
/// @param part          as for repartition(); the points stay in use until run() has returned
/// @param workspace     at least repartition_plan_workspace_bytes() bytes, 256-byte aligned; in use until the last call
///                      of a member of the returned object has returned
///
/// @return a repartition whose outcome() is `ok`, or on all ranks a failure as of repartition()
///
/// Complexity: both halves take the time of repartition().
template <class Communicator, class Points>
auto repartition_plan(host_exec exec, Communicator& communicator, shard<Points> const& part, bytes workspace) noexcept {
  return detail::host_repartition_call(exec, communicator, part, workspace).plan();
}

FARPOINT_END_NAMESPACE

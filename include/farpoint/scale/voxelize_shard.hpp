/// @file
/// Voxelization of a cloud that is spread over several ranks, each with its own memory.
#pragma once

#include <farpoint/scale/host/voxelize_task.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Bytes of workspace that voxelize_shard() needs on a rank, 256-byte aligned. 0 if an argument is refused.
///
/// Per point of the part 29 bytes and a record; per point of received_capacity 13 and a record; per point of the larger
/// number of both the workspace of voxelize(), 60 at most. A record has 16 bytes (double: 32) and 4 per feature. Per
/// pair of ranks 8 bytes. O(1).
template <class Points>
std::size_t voxelize_shard_workspace_bytes(host_exec exec, int ranks, shard<Points> const& part,
                                           voxelize_params<typename Points::scalar> const& params,
                                           voxelize_shard_output<typename Points::scalar> const& output) noexcept {
  using scalar = typename Points::scalar;
  if (!detail::is_rank_count(ranks) || !detail::check_threads(exec)) return 0;
  if (!detail::check_voxelize_shard(part, params, output)) return 0;
  index_t const n = part.points.size();
  index_t const m = output.received_capacity;
  std::size_t bound = 0;
  batch_limits const limits{n > m ? n : m, 1};
  if (!voxelize_workspace_bound<Points>(exec, limits, bound)) return 0;
  return detail::voxelize_shard_memory<scalar>{nullptr, ranks, params.features.count(), n, m}.front + bound;
}

/// Voxelization of a cloud that is spread over ranks. Every rank calls with its part and gets the rows of the voxels
/// that it owns. The rows of all ranks have the bits of one voxelize() call for the whole cloud; `numbers` has the row
/// of each in that call.
///
/// The hash of a cell determines its owner, the rank that receives all points of the voxel. With `hard`, a rank sends
/// at most max_points points per voxel. Voxels are ordered by first occurrence in the whole cloud, and keep their first
/// points. max_voxels limits the voxels of the whole cloud, rows.capacity the rank's own voxels: the rank drops and
/// counts its voxels of the highest numbers that do not fit. The report is for the whole cloud.
///
/// @param exec          threads of this rank; the call returns when the result is complete
/// @param communicator  see is_communicator; 1 to max_ranks ranks, all of which make this call
/// @param part          the rank's points; may be empty. The points of all ranks are ordered by their indices
/// @param params        equal on all ranks, except for the features, which belong to the rank's points and have one
///                      count on all ranks. With hash_seed 0, chosen points can make one rank the owner of all voxels
/// @param output        see voxelize_shard_output
/// @param workspace     at least voxelize_shard_workspace_bytes() bytes, 256-byte aligned
///
/// @return `ok`, or a failure after which only `received` may have been written:
///         - `bad_argument` on all ranks if the arguments of one are refused, parameters differ, or parts overlap
///         - `workspace_too_small` on a rank with too little workspace, and `bad_argument` on the others
///         - `workspace_too_small` on all ranks if one receives more points than its received_capacity
///         - `communication_failure`: rows may have been written, too
///
/// Complexity: O(points of the part + points received) expected. Seven exchanges: 40 bytes per rank; counts; points; 1
/// byte per point; 8 bytes per rank; 8 bytes per voxel; reports. One thread orders the records. Thread safety: see
/// is_communicator.
template <class Communicator, class Points>
result voxelize_shard(host_exec exec, Communicator& communicator, shard<Points> const& part,
                      voxelize_params<typename Points::scalar> const& params,
                      voxelize_shard_output<typename Points::scalar> const& output, bytes workspace) noexcept {
  if (result const fit = detail::check_communicator(communicator); !fit) return fit;
  int const ranks = communicator.ranks();
  result own = detail::check_threads(exec);
  if (own) own = detail::check_voxelize_shard(part, params, output);
  if (own)
    own = detail::check_workspace(workspace, voxelize_shard_workspace_bytes(exec, ranks, part, params, output),
                                  FARPOINT_WORKSPACE_OF("voxelize_shard"));

  detail::shard_header const mine{detail::digest_of(params), own ? 0u : 1u, part.first_index, part.points.size(),
                                  output.received_capacity};
  detail::shard_header headers[max_ranks];
  int sources[max_ranks];
  result const agreed = detail::agree_on_shards(communicator, own, mine, headers, sources);
  if (!agreed) return detail::or_abort(communicator, agreed);
  detail::voxelize_shard_task<Communicator, Points> task{
      exec, communicator, part, params, sources, workspace, output.received_capacity};
  return detail::or_abort(communicator, task.run(output, headers));
}

FARPOINT_END_NAMESPACE

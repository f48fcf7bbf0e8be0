/// @file
/// Voxelization of a cloud whose points are spread over several ranks, each with its own memory.
#pragma once

#include <farpoint/scale/host/voxelize_task.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Bytes of workspace that voxelize_shard() needs on a rank. The memory must be 256-byte aligned. 0 for arguments that
/// are refused. `ranks` take part.
///
/// For each point of the part 29 bytes and a record, for each of received_capacity 13 and a record, and for each of the
/// larger number of both what voxelize() needs, 60 at most. A record has 16 bytes (of double, 32) and 4 for each
/// feature. For each pair of ranks 8 bytes. O(1).
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

/// Voxelization of a cloud that no rank has all of: every rank calls it with its part, and gets the rows of the voxels
/// that it owns. All rows together are those of one call of voxelize() for the whole cloud, to the bit; `numbers` says
/// which.
///
/// A cell has one owner, by its hash: the rank that all points of its voxel go to. Of `hard`, no more than max_points
/// of each voxel leave a rank. Voxels come by first occurrence in the whole cloud, and keep their first points.
/// max_voxels is for the whole cloud; rows.capacity for the rank's own voxels: those of it that do not fit, of the
/// highest numbers, are dropped and counted. The report is of the whole cloud.
///
/// @param exec          threads of this rank; blocks until done
/// @param communicator  see is_communicator; of 1 to max_ranks ranks, all of which make this call
/// @param part          the rank's points; may be empty. Points of all ranks are in the order of their indices
/// @param params        the same on all ranks but for the features, which are of the rank's points, as many on each.
///                      With hash_seed 0 whoever chooses the points can make one rank the owner of all voxels
/// @param output        see voxelize_shard_output
/// @param workspace     voxelize_shard_workspace_bytes() bytes or more, 256-byte aligned
/// @return ok | bad_argument, on all ranks where one is given arguments that are refused, where parameters differ, or
///         where parts overlap | workspace_too_small, on all ranks where one receives more points than
///         received_capacity; a rank whose workspace is too small has it, and the others bad_argument |
///         communication_failure. On failure nothing is written but `received`, and, after a communication_failure,
///         perhaps rows.
/// Complexity: O(points of the part + points received) expected; seven exchanges: of 40 bytes a rank, of counts, of
/// points, of a byte a point, of 8 bytes a rank and of 8 a voxel, and of the reports. One thread puts records in order.
/// Thread-safe: see is_communicator.
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

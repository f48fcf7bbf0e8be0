/// @file
/// Voxelization of a cloud that is spread over several ranks, each with its own memory: host threads, or GPUs with
/// voxelize_shard.cuh.
#pragma once

#include <farpoint/scale/stream/voxelize/task.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Bytes of workspace that voxelize_shard() needs on a rank, 256-byte aligned. 0 if an argument is refused.
///
/// Per point of the part 5 bytes and a record (on a GPU 2 and a record); per point of received_capacity 5 (1), a
/// record, and the workspace of voxelize(), 60 (64) at most; per row (rows.capacity or received_capacity, the smaller)
/// 4, another 4 if max_voxels is limited, and 8 without `numbers`; per rank 7 records and 640 bytes; per pair of ranks
/// 8 bytes; and 2 KiB (66). A record has 12 bytes (double: 24) and 4 per feature. On a GPU, device memory. O(1).
/// @param exec    host_exec or cuda_exec, as for the call
/// @param ranks   number of ranks
/// @param part    as for voxelize_shard()
/// @param params  as for voxelize_shard()
/// @param output  as for voxelize_shard()
template <class Exec, class Points>
std::size_t voxelize_shard_workspace_bytes(Exec exec, int ranks, shard<Points> const& part,
                                           voxelize_params<typename Points::scalar> const& params,
                                           voxelize_shard_output<typename Points::scalar> const& output) noexcept {
  return detail::voxelize_shard_bytes(exec, ranks, detail::voxelize_shard_request<Points>{part, params, output});
}

/// Voxelization of a cloud that is spread over ranks. Every rank calls with its part and gets the rows of the voxels
/// that it owns. The rows of all ranks have the bits of one voxelize() call for the whole cloud; `numbers` has the row
/// of each in that call.
///
/// The hash of a cell determines its owner, the rank that receives all points of the voxel, with `hard` too: to find
/// the points beyond max_points on each rank takes longer than to send them. Voxels are ordered by first occurrence in
/// the whole cloud, and keep their first points. max_voxels limits the voxels of the whole cloud, rows.capacity the
/// rank's own voxels: a rank with more drops its last ones, and the numbering of all ranks skips these. The report is
/// for the whole cloud, and `over_capacity` counts the dropped voxels, on every rank, except those of a rank whose rows
/// reach max_voxels: this limit drops them, too. Rows and numbers from `rows.voxel_count` on may be written.
///
/// For a cuda_exec, ranks are GPUs (include voxelize_shard.cuh), with these differences:
///
/// - Arrays are device memory, except `output.received`, which is host memory.
/// - The call waits for the stream twice, to agree on the arguments and the counts of points from rank to rank, and on
///   the number of voxels whose first point is on each rank. The rest is enqueued. Therefore it cannot be captured in a
///   graph. It allocates nothing, except on a rank that refuses its arguments: the rank takes some bytes of the
///   stream's pool to report that.
///
/// @param exec          threads of this rank, and the call returns when the result is complete; or the stream of the
///                      communicator
/// @param communicator  see is_communicator; 1 to max_ranks ranks, all of which make this call. On a stream nccl_exec
///                      or another type with is_stream_communicator, 1 to 120 ranks
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
///         - `cuda_failure`: rows may have been written, too; the communicator is aborted if it has abort()
///
/// Complexity: O(points of the part + points received) expected. Seven exchanges: 40 bytes per rank; 4 bytes per pair
/// of ranks; points; 1 bit per point; 4 bytes per pair of ranks; 4 bytes per voxel; reports. On a stream the first two
/// are one. Thread safety: see is_communicator.
template <class Exec, class Communicator, class Points>
result voxelize_shard(Exec exec, Communicator& communicator, shard<Points> const& part,
                      voxelize_params<typename Points::scalar> const& params,
                      voxelize_shard_output<typename Points::scalar> const& output, bytes workspace) noexcept {
  using checks = detail::rank_checks<Exec>;
  typename checks::range const range{"farpoint::voxelize_shard"};
  if (result const fit = checks::fit(communicator, detail::shard_max_ranks<Exec>); !fit) return fit;
  detail::voxelize_shard_request<Points> const request{part, params, output};
  result const own = checks::own(exec, communicator, request, workspace);
  return detail::voxelize_shard_on(exec, communicator, request, own, workspace);
}

FARPOINT_END_NAMESPACE

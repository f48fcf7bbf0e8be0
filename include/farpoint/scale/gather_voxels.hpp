/// @file
/// Gathers the rows of voxelize_shard() on every rank: host threads, or GPUs with gather_voxels.cuh.
#pragma once

#include <farpoint/scale/stream/voxelize/gather_task.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Returns the size in bytes of the workspace of gather_voxels() on a rank; 0 if an argument is refused. At most
/// (all.capacity + 16 ranks) x (8 + w) + 64 ranks + 512, where w is the bytes per row of the widest part of `all`. The
/// workspace must be 256-byte aligned; on a GPU it is device memory. O(1).
/// @param exec    host_exec or cuda_exec, as for the call
/// @param ranks   number of ranks
/// @param params  as for gather_voxels()
/// @param own     as for gather_voxels()
/// @param all     as for gather_voxels()
template <class Exec, class Scalar>
std::size_t gather_voxels_workspace_bytes([[maybe_unused]] Exec exec, int ranks, voxelize_params<Scalar> const& params,
                                          voxelize_shard_output<Scalar> const& own,
                                          voxelize_output<Scalar> const& all) noexcept {
  return detail::gather_voxels_bytes<Exec>(ranks, detail::gather_voxels_request<Scalar>{params, own, all});
}

/// Returns the size in bytes of the workspace of gather_voxels() on a rank of the host, as the overload with a
/// host_exec.
template <class Scalar>
std::size_t gather_voxels_workspace_bytes(int ranks, voxelize_params<Scalar> const& params,
                                          voxelize_shard_output<Scalar> const& own,
                                          voxelize_output<Scalar> const& all) noexcept {
  return gather_voxels_workspace_bytes(host_exec{}, ranks, params, own, all);
}

/// Gives every rank the rows of all ranks, each at the position that its number gives: the output of one voxelize()
/// call for the whole cloud. If a rank dropped rows in voxelize_shard() for lack of room, the call is refused if any
/// rank passes the report of voxelize_shard() in `own`; without any report these rows are missing.
///
/// For a cuda_exec, ranks are GPUs (include gather_voxels.cuh), with these differences:
///
/// - Arrays are device memory, with `own` as voxelize_shard() on a stream fills it.
/// - The call waits for the stream once, for the numbers of rows, so that it cannot be captured in a graph. The rest is
///   enqueued. It allocates nothing, except on a rank that refuses its arguments: the rank takes some bytes of the
///   stream's pool to report that.
///
/// @param exec          host_exec with the threads of this rank: the call returns when the result is complete; or
///                      cuda_exec with the stream of the communicator
/// @param communicator  the communicator of voxelize_shard()
/// @param params        the parameters of voxelize_shard(); only `mode` and features.count() are read
/// @param own           filled by voxelize_shard(): voxel_count, numbers and the parts to gather; best with the report
/// @param all           parts to gather, with room for the rows of all ranks and of the same types as in `own`; also
///                      voxel_count, and the report, a copy of the one in `own`. Other parts are not written
/// @param workspace     at least gather_voxels_workspace_bytes() bytes, 256-byte aligned
///
/// @return `ok`, or:
///         - `bad_argument` on all ranks if the arguments of one are refused, ranks request different parts, or the
///           report of one says that a rank dropped rows for lack of room
///         - `workspace_too_small` on all ranks if one has no room for all rows
///         - `workspace_too_small` on a rank with too little workspace, and `bad_argument` on the others
///         - `communication_failure`: output may have been written
///         - `cuda_failure`: output may have been written; the communicator is aborted if it has abort()
///
/// `bad_argument` and `workspace_too_small` leave the output unwritten.
///
/// Complexity: O(rows of all ranks x bytes per row) on every rank, so it suits maps that one rank can hold. Three
/// exchanges (two on a stream), and one for each part.
template <class Exec, class Communicator, class Scalar>
result gather_voxels(Exec exec, Communicator& communicator, voxelize_params<Scalar> const& params,
                     voxelize_shard_output<Scalar> const& own, voxelize_output<Scalar> const& all,
                     bytes workspace) noexcept {
  using checks = detail::rank_checks<Exec>;
  typename checks::range const range{"farpoint::gather_voxels"};
  if (result const fit = checks::fit(communicator, detail::shard_max_ranks<Exec>); !fit) return fit;
  detail::gather_voxels_request<Scalar> const request{params, own, all};
  result const good = checks::own(exec, communicator, request, workspace);
  return detail::gather_voxels_on(exec, communicator, request, good, workspace);
}

FARPOINT_END_NAMESPACE

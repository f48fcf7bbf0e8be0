/// @file
/// Brings the rows of voxelize_shard() together where ranks are GPUs. See gather_voxels.hpp for what gather_voxels()
/// computes.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/core/check_pointers.cuh>
#include <farpoint/core/profile_range.cuh>
#include <farpoint/grid/for_each_index.cuh>
#include <farpoint/scale/shard_backend.cuh>
#include <farpoint/scale/stream/gather_voxels_task.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Bytes of device workspace that gather_voxels() needs on a rank that is a GPU. The memory must be 256-byte aligned. 0
/// for arguments that are refused. `ranks` take part. For each of all.capacity 8 bytes and a row of the widest part,
/// and for each rank 16 of these and 48 bytes more. O(1).
template <class Scalar>
std::size_t gather_voxels_workspace_bytes(cuda_exec, int ranks, voxelize_params<Scalar> const& params,
                                          voxelize_shard_output<Scalar> const& own,
                                          voxelize_output<Scalar> const& all) noexcept {
  return detail::gather_stream_size(ranks, params, own, all);
}

/// gather_voxels() for ranks that are GPUs: the rules and the bits of the host overload, with these differences.
///
/// - Arrays are device memory, `own` as voxelize_shard() on a stream fills it.
/// - The call enqueues, and waits once on the way, until it is known how many rows there are. So it cannot be captured
///   in a graph. It allocates nothing, except on a rank whose arguments are refused: that takes some bytes of the
///   stream's pool to tell the others.
/// - Where a rank had no room for its rows, what it dropped is missing, as `report.over_capacity` says: on GPUs numbers
///   do not count what is dropped.
///
/// @param exec          the stream of the communicator
/// @param communicator  that of voxelize_shard(): see is_stream_communicator, of 1 to 120 ranks
/// @param params        as for the host
/// @param own           as for the host
/// @param all           as for the host
/// @param workspace     gather_voxels_workspace_bytes() bytes or more, 256-byte aligned
/// @return as the host overload | cuda_failure, after which others may wait: abort the communicator
/// Complexity: O(rows of all ranks x their bytes) on every rank: for maps that one rank can hold. Two exchanges, and
/// one for each part.
template <class Communicator, class Scalar>
result gather_voxels(cuda_exec exec, Communicator& communicator, voxelize_params<Scalar> const& params,
                     voxelize_shard_output<Scalar> const& own, voxelize_output<Scalar> const& all,
                     bytes workspace) noexcept {
  detail::profile_range const range{"farpoint::gather_voxels"};
  result const fits = detail::check_stream_communicator(communicator, detail::max_stream_ranks,
                                                        "communicator: it has no ranks, or more than 120");
  if (!fits) return fits;
  auto const& rows = own.rows;
  result good = detail::check_pointers(exec, workspace, rows.coords, rows.points_per_voxel, rows.gathered, rows.mean,
                                       rows.max, rows.first, rows.centroid, rows.voxel_count, rows.report, own.numbers);
  if (good) {
    good = detail::check_pointers(exec, all.coords, all.points_per_voxel, all.gathered, all.mean, all.max, all.first,
                                  all.centroid, all.voxel_count, all.report);
  }
  return detail::gather_voxels_on(exec, communicator, params, own, all, good, workspace);
}

FARPOINT_END_NAMESPACE

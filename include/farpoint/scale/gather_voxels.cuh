/// @file
/// Gathers the rows of voxelize_shard() on every rank, for ranks that are GPUs. gather_voxels.hpp defines the result of
/// gather_voxels().
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/core/check_pointers.cuh>
#include <farpoint/core/profile_range.cuh>
#include <farpoint/grid/for_each_index.cuh>
#include <farpoint/scale/shard_backend.cuh>
#include <farpoint/scale/stream/voxelize/gather_task.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Bytes of device workspace that gather_voxels() needs on a rank that is a GPU, 256-byte aligned. 0 if an argument is
/// refused. Per row of `all.capacity` 8 bytes and one row of the widest part; per rank 16 times this, and 48 bytes.
/// O(1).
template <class Scalar>
std::size_t gather_voxels_workspace_bytes(cuda_exec, int ranks, voxelize_params<Scalar> const& params,
                                          voxelize_shard_output<Scalar> const& own,
                                          voxelize_output<Scalar> const& all) noexcept {
  return detail::gather_stream_size(ranks, params, own, all);
}

/// gather_voxels() for ranks that are GPUs. Same rules and bits as the host overload, with these differences:
///
/// - Arrays are device memory, with `own` as voxelize_shard() on a stream fills it.
/// - The call waits for the stream once, for the number of rows. The rest is enqueued. Therefore it cannot be captured
///   in a graph. It allocates nothing, except on a rank that refuses its arguments: the rank takes some bytes of the
///   stream's pool to report that.
/// - If a rank dropped rows for lack of room, they are missing, and `report.over_capacity` counts them: on GPUs the
///   numbering skips dropped rows.
///
/// @param exec          the stream of the communicator
/// @param communicator  the communicator of voxelize_shard(), 1 to 120 ranks, see is_stream_communicator
/// @param params        as for the host
/// @param own           as for the host
/// @param all           as for the host
/// @param workspace     at least gather_voxels_workspace_bytes() bytes, 256-byte aligned
///
/// @return as the host overload, or `cuda_failure`, and the communicator is aborted if it can be
///
/// Complexity: O(rows of all ranks x bytes per row) on every rank, so it suits maps that one rank can hold. Two
/// exchanges, and one per part.
template <class Communicator, class Scalar>
result gather_voxels(cuda_exec exec, Communicator& communicator, voxelize_params<Scalar> const& params,
                     voxelize_shard_output<Scalar> const& own, voxelize_output<Scalar> const& all,
                     bytes workspace) noexcept {
  detail::profile_range const range{"farpoint::gather_voxels"};
  result const fits = detail::check_stream_communicator(communicator, detail::max_stream_ranks,
                                                        "communicator: it has no ranks, or more than 120");
  if (!fits) return fits;
  auto const& rows = own.rows;
  result good = detail::check_stream(communicator, exec);
  if (good) {
    good = detail::check_pointers(exec, workspace, rows.coords, rows.points_per_voxel, rows.gathered, rows.mean,
                                  rows.max, rows.first, rows.centroid, rows.voxel_count, rows.report, own.numbers);
  }
  if (good) {
    good = detail::check_pointers(exec, all.coords, all.points_per_voxel, all.gathered, all.mean, all.max, all.first,
                                  all.centroid, all.voxel_count, all.report);
  }
  return detail::gather_voxels_on(exec, communicator, params, own, all, good, workspace);
}

FARPOINT_END_NAMESPACE

/// @file
/// Voxelization, on a CUDA stream, of a cloud that is spread over several GPUs. voxelize_shard.hpp defines the result
/// of voxelize_shard().
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/core/check_pointers.cuh>
#include <farpoint/core/profile_range.cuh>
#include <farpoint/grid/for_each_index.cuh>
#include <farpoint/scale/shard_backend.cuh>
#include <farpoint/scale/stream/partition.cuh>
#include <farpoint/scale/stream/voxelize/noted_rows.cuh>
#include <farpoint/scale/stream/voxelize/task.hpp>
#include <farpoint/scale/voxelize_shard.hpp>
#include <farpoint/voxelize.cuh>

FARPOINT_BEGIN_NAMESPACE

/// Bytes of device workspace that voxelize_shard() needs on a rank that is a GPU, 256-byte aligned. 0 if an argument is
/// refused.
///
/// Per point of the part 2 bytes and a record; per point of received_capacity 1 byte, a record, and the workspace of
/// voxelize(), 64 at most; per row (rows.capacity or received_capacity, the smaller) 4, another 4 if max_voxels is
/// limited, and 8 without `numbers`. A record has 12 bytes (double: 24) and 4 per feature. O(1).
template <class Points>
std::size_t voxelize_shard_workspace_bytes(cuda_exec exec, int ranks, shard<Points> const& part,
                                           voxelize_params<typename Points::scalar> const& params,
                                           voxelize_shard_output<typename Points::scalar> const& output) noexcept {
  if (ranks < 1 || ranks > detail::max_stream_ranks) return 0;
  if (!detail::check_voxelize_shard(part, params, output)) return 0;
  return detail::voxelize_stream_size(exec, ranks, part, params, output);
}

/// voxelize_shard() for ranks that are GPUs. Same rules and bits as the host overload, with these differences:
///
/// - Arrays are device memory, except `output.received`, which is host memory.
/// - The call waits for the stream twice, to agree on the arguments and the counts of points from rank to rank, and on
///   the number of voxels whose first point is on each rank. The rest is enqueued. Therefore it cannot be captured in a
///   graph. It allocates nothing, except on a rank that refuses its arguments: the rank takes some bytes of the
///   stream's pool to report that.
/// - All points in voxels are sent, for `hard` too: finding the points that can stay takes longer than sending them.
/// - Rows and numbers from `rows.voxel_count` on may be written.
/// - If a rank has more voxels than rows.capacity, the numbering skips the voxels that it drops. `report.over_capacity`
///   counts them, on every rank.
///
/// @param exec          the stream of the communicator
/// @param communicator  nccl_exec or another type with is_stream_communicator, 1 to 120 ranks
/// @param part          points of this rank, as for the host
/// @param params        as for the host
/// @param output        see voxelize_shard_output
/// @param workspace     at least voxelize_shard_workspace_bytes() bytes, 256-byte aligned
///
/// @return as the host overload, or `cuda_failure`, and the communicator is aborted if it can be
///
/// Complexity: O(points of the part + points received) expected. Six exchanges: 52 bytes per rank and 4 per pair of
/// ranks; points; 1 bit per point; 4 bytes per pair of ranks; 4 bytes per voxel; reports.
template <class Communicator, class Points>
result voxelize_shard(cuda_exec exec, Communicator& communicator, shard<Points> const& part,
                      voxelize_params<typename Points::scalar> const& params,
                      voxelize_shard_output<typename Points::scalar> const& output, bytes workspace) noexcept {
  detail::profile_range const range{"farpoint::voxelize_shard"};
  result const fits = detail::check_stream_communicator(communicator, detail::max_stream_ranks,
                                                        "communicator: it has no ranks, or more than 120");
  if (!fits) return fits;
  auto const& rows = output.rows;
  result own = detail::check_stream(communicator, exec);
  if (own) {
    own = detail::check_pointers(exec, workspace, batch<Points>{part.points}, params.features, rows.coords,
                                 rows.points_per_voxel, rows.gathered, rows.mean, rows.max, rows.first, rows.centroid,
                                 rows.voxel_count, rows.report, output.numbers);
  }
  return detail::voxelize_shard_on(exec, communicator, part, params, output, own, workspace);
}

FARPOINT_END_NAMESPACE

/// @file
/// Voxelization, on a CUDA stream, of a cloud whose points are spread over several GPUs. See voxelize_shard.hpp for
/// what voxelize_shard() computes.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/core/check_pointers.cuh>
#include <farpoint/core/profile_range.cuh>
#include <farpoint/grid/for_each_index.cuh>
#include <farpoint/scale/shard_backend.cuh>
#include <farpoint/scale/stream/noted_rows.cuh>
#include <farpoint/scale/stream/partition.cuh>
#include <farpoint/scale/stream/voxelize_task.hpp>
#include <farpoint/scale/voxelize_shard.hpp>
#include <farpoint/voxelize.cuh>

FARPOINT_BEGIN_NAMESPACE

/// Bytes of device workspace that voxelize_shard() needs on a rank that is a GPU. The memory must be 256-byte aligned.
/// 0 for arguments that are refused. `ranks` take part.
///
/// For each point of the part 2 bytes and a record; for each of received_capacity 1 and a record, and what voxelize()
/// needs, 64 at most; for each of rows.capacity, or of received_capacity where that is less, 4, and 4 where max_voxels
/// is limited, and 8 without `numbers`. A record has 12 bytes (of double, 24), and 4 for each feature. O(1).
template <class Points>
std::size_t voxelize_shard_workspace_bytes(cuda_exec exec, int ranks, shard<Points> const& part,
                                           voxelize_params<typename Points::scalar> const& params,
                                           voxelize_shard_output<typename Points::scalar> const& output) noexcept {
  if (ranks < 1 || ranks > detail::max_stream_ranks) return 0;
  if (!detail::check_voxelize_shard(part, params, output)) return 0;
  return detail::voxelize_stream_size(exec, ranks, part, params, output);
}

/// voxelize_shard() for ranks that are GPUs: the rules and the bits of the host overload, with these differences.
///
/// - Arrays are device memory, but `output.received`, which is host memory.
/// - The call enqueues, and waits twice on the way: ranks tell what they want, and how many points go where, and later
///   how many voxels begin on each. What follows is only enqueued. So it cannot be captured in a graph. It allocates
///   nothing, except on a rank whose arguments are refused: that takes some bytes of the stream's pool to tell the
///   others.
/// - Of `hard`, too, all points in voxels leave their rank: to find those that need not takes longer than to send them.
/// - Rows and numbers from `rows.voxel_count` on may be written.
/// - Where a rank has more voxels than rows.capacity, numbers do not count those that are dropped:
///   `report.over_capacity` says so on every rank.
///
/// @param exec          the stream of the communicator
/// @param communicator  see is_stream_communicator, of 1 to 120 ranks: a nccl_exec
/// @param part          the points of this rank, as for the host
/// @param params        as for the host
/// @param output        see voxelize_shard_output
/// @param workspace     voxelize_shard_workspace_bytes() bytes or more, 256-byte aligned
/// @return as the host overload | cuda_failure, after which others may wait: abort the communicator
/// Complexity: O(points of the part + points received) expected: six exchanges: of 52 bytes a rank and 4 for each pair,
/// of points, of a bit a point, of 4 bytes for each pair of ranks, of 4 a voxel, and of the reports.
template <class Communicator, class Points>
result voxelize_shard(cuda_exec exec, Communicator& communicator, shard<Points> const& part,
                      voxelize_params<typename Points::scalar> const& params,
                      voxelize_shard_output<typename Points::scalar> const& output, bytes workspace) noexcept {
  detail::profile_range const range{"farpoint::voxelize_shard"};
  result const fits = detail::check_stream_communicator(communicator, detail::max_stream_ranks,
                                                        "communicator: it has no ranks, or more than 120");
  if (!fits) return fits;
  auto const& rows = output.rows;
  result const own = detail::check_pointers(exec, workspace, batch<Points>{part.points}, params.features, rows.coords,
                                            rows.points_per_voxel, rows.gathered, rows.mean, rows.max, rows.first,
                                            rows.centroid, rows.voxel_count, rows.report, output.numbers);
  return detail::voxelize_shard_on(exec, communicator, part, params, output, own, workspace);
}

FARPOINT_END_NAMESPACE

/// @file
/// Neighbours within a radius, on a CUDA stream, in a cloud whose points are spread over several GPUs. See
/// radius_shard.hpp for what radius_shard() computes.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/core/check_pointers.cuh>
#include <farpoint/core/profile_range.cuh>
#include <farpoint/grid/for_each_index.cuh>
#include <farpoint/radius.cuh>
#include <farpoint/scale/radius_shard.hpp>
#include <farpoint/scale/shard_backend.cuh>
#include <farpoint/scale/stream/shard_index.cuh>
#include <farpoint/scale/voxel_map.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// What a shard_index of a GPU calls.
template <class Queries>
void enqueue_search(kernel_launcher& launcher, search_queries<Queries> const& asked, radius_params const& params,
                    query_rows<radius_output<typename Queries::scalar>> const& to) noexcept {
  // Points are asked for only where there is no room for distances.
  batch<Queries> const none = batch<Queries>::regular(Queries{}, 0);
  radius_search<Queries, Queries>{launcher, asked, none, params, to.rows.report}.template lists<knn_selector>(
      to.each, to.rows, to.first_index);
}

}  // namespace detail

/// Bytes of device workspace that radius_shard() needs on a rank that is a GPU. The memory must be 256-byte aligned. 0
/// for arguments that are refused. `ranks` take part. As many as for the host, but for the BVH and what puts queries in
/// order: those of radius() on a stream. O(1).
template <class Points, class Queries>
std::size_t radius_shard_workspace_bytes(cuda_exec exec, int ranks, shard<Points> const& part, Queries const& queries,
                                         radius_params const& params, index_t max,
                                         radius_shard_output<typename Points::scalar> const& output) noexcept {
  return detail::radius_shard_bytes(exec, ranks, part, queries, params, max, output);
}

/// radius_shard() for ranks that are GPUs: the rules and the bits of the host overload, with these differences.
///
/// - Arrays are device memory, but `output.exchanged`, which is host memory.
/// - The call enqueues, and waits twice on the way: ranks agree on the arguments, and then on how many queries go
///   where. What follows is only enqueued. So it cannot be captured in a graph. It allocates nothing, except on a rank
///   whose arguments are refused: that takes some bytes of the stream's pool to tell the others.
/// - Queries that are the same view as the points are answered faster than copies of them.
///
/// @param exec          the stream of the communicator
/// @param communicator  see is_stream_communicator, of 1 to 64 ranks: a nccl_exec
/// @param part          the points of this rank, as for the host
/// @param queries       of this rank, as many as it likes
/// @param params        as for the host
/// @param max           as for the host
/// @param output        see radius_shard_output
/// @param workspace     radius_shard_workspace_bytes() bytes or more, 256-byte aligned
/// @return as the host overload | cuda_failure, after which others may wait: abort the communicator
/// Complexity: that of radius() for the rank's queries and for those it receives, with one BVH; a loop over its queries
/// for each rank.
template <class Communicator, class Points, class Queries>
result radius_shard(cuda_exec exec, Communicator& communicator, shard<Points> const& part, Queries const& queries,
                    radius_params const& params, index_t max,
                    radius_shard_output<typename Points::scalar> const& output, bytes workspace) noexcept {
  detail::profile_range const range{"farpoint::radius_shard"};
  result const fits = detail::check_stream_communicator(communicator, detail::knn_stream_most_ranks,
                                                        "communicator: it has no ranks, or more than 64");
  if (!fits) return fits;
  result const own = detail::check_pointers(exec, workspace, batch<Points>{part.points}, batch<Queries>{queries},
                                            output.indices, output.distances, output.counts, output.report);
  return detail::radius_shard_on(exec, communicator,
                                 detail::radius_shard_request<Points, Queries>{part, queries, params, max}, output, own,
                                 workspace);
}

FARPOINT_END_NAMESPACE

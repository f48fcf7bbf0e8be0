/// @file
/// Neighbors within a radius, on a CUDA stream, in a cloud that is spread over several GPUs. radius_shard.hpp defines
/// the result of radius_shard().
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

/// Search function of shard_index on a GPU.
template <class Queries>
void enqueue_search(kernel_launcher& launcher, search_queries<Queries> const& asked, radius_params const& params,
                    query_rows<radius_output<typename Queries::scalar>> const& to) noexcept {
  // Only radius_rows() reads the points.
  batch<Queries> const none = batch<Queries>::regular(Queries{}, 0);
  radius_search<Queries, Queries>{launcher, asked, none, params, to.rows.report}.template lists<knn_selector>(
      to.each, to.rows, to.first_index);
}

}  // namespace detail

/// Bytes of device workspace that radius_shard() needs on a rank that is a GPU, 256-byte aligned. 0 if an argument is
/// refused. As on the host, except that the BVH and the sorting of queries take the space that radius() on a stream
/// takes. O(1).
template <class Points, class Queries>
std::size_t radius_shard_workspace_bytes(cuda_exec exec, int ranks, shard<Points> const& part, Queries const& queries,
                                         radius_params const& params, index_t max,
                                         radius_shard_output<typename Points::scalar> const& output) noexcept {
  return detail::radius_shard_bytes(exec, ranks, part, queries, params, max, output);
}

/// radius_shard() for ranks that are GPUs. Same rules and bits as the host overload, with these differences:
///
/// - Arrays are device memory, except `output.exchanged`, which is host memory.
/// - The call waits for the stream twice, to agree on the arguments and on the number of queries from rank to rank. The
///   rest is enqueued. Therefore it cannot be captured in a graph. It allocates nothing, except on a rank that refuses
///   its arguments: the rank takes some bytes of the stream's pool to report that.
/// - Queries that are the same view as the points are answered faster than copies of the points.
///
/// @param exec          the stream of the communicator
/// @param communicator  nccl_exec or another type with is_stream_communicator, 1 to 64 ranks
/// @param part          points of this rank, as for the host
/// @param queries       queries of this rank, any number
/// @param params        as for the host
/// @param max           as for the host
/// @param output        see radius_shard_output
/// @param workspace     at least radius_shard_workspace_bytes() bytes, 256-byte aligned
///
/// @return as the host overload, or `cuda_failure`, and the communicator is aborted if it can be
///
/// Complexity: radius() of the rank's queries and of the received ones, with one BVH, and one loop over the rank's
/// queries per rank.
template <class Communicator, class Points, class Queries>
result radius_shard(cuda_exec exec, Communicator& communicator, shard<Points> const& part, Queries const& queries,
                    radius_params const& params, index_t max,
                    radius_shard_output<typename Points::scalar> const& output, bytes workspace) noexcept {
  detail::profile_range const range{"farpoint::radius_shard"};
  result const fits = detail::check_stream_communicator(communicator, detail::knn_stream_most_ranks,
                                                        "communicator: it has no ranks, or more than 64");
  if (!fits) return fits;
  result own = detail::check_stream(communicator, exec);
  if (own) {
    own = detail::check_pointers(exec, workspace, batch<Points>{part.points}, batch<Queries>{queries}, output.indices,
                                 output.distances, output.counts, output.report);
  }
  return detail::radius_shard_on(exec, communicator,
                                 detail::radius_shard_request<Points, Queries>{part, queries, params, max}, output, own,
                                 workspace);
}

FARPOINT_END_NAMESPACE

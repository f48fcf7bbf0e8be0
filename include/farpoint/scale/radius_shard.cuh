/// @file
/// Neighbors within a radius, on a CUDA stream, in a cloud that is spread over several GPUs. radius_shard.hpp defines
/// the result of radius_shard().
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/radius.cuh>
#include <farpoint/scale/radius_shard.hpp>
#include <farpoint/scale/stream/search_call.cuh>

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

/// Task of radius_shard() on a stream.
template <class Part, class Queries, class Communicator = no_communicator>
using stream_radius_task = radius_shard_task<cuda_exec, Communicator, Part, Queries>;

}  // namespace detail

/// Bytes of device workspace that radius_shard() needs on a rank that is a GPU, 256-byte aligned. 0 if an argument is
/// refused. As on the host, except that the BVH and the sorting of queries take the space that radius() on a stream
/// takes. O(1).
template <class Part, class Queries>
std::size_t radius_shard_workspace_bytes(
    cuda_exec exec, int ranks, Part const& part, Queries const& queries, radius_params const& params, index_t max,
    radius_shard_output<typename detail::points_of<Part>::scalar> const& output) noexcept {
  return detail::search_bytes<detail::stream_radius_task<Part, Queries>>(
      exec, ranks, {part, queries, params, max, output}, output.exchanged_capacity);
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
/// @param part          points of this rank, as for the host; the BVH of an indexed_shard is a device_point_bvh
/// @param queries       queries of this rank, any number
/// @param params        as for the host
/// @param max           as for the host
/// @param output        see radius_shard_output
/// @param workspace     at least radius_shard_workspace_bytes() bytes, 256-byte aligned
///
/// @return as the host overload, or `cuda_failure`, and the communicator is aborted if it can be
///
/// Complexity: radius() of the rank's queries and of the received ones, with one BVH, ranks x queries box tests, and
/// one loop over the answers of each rank.
template <class Communicator, class Part, class Queries>
result radius_shard(cuda_exec exec, Communicator& communicator, Part const& part, Queries const& queries,
                    radius_params const& params, index_t max,
                    radius_shard_output<typename detail::points_of<Part>::scalar> const& output,
                    bytes workspace) noexcept {
  detail::profile_range const range{"farpoint::radius_shard"};
  return detail::stream_search_call<detail::stream_radius_task<Part, Queries, Communicator>>(
             exec, communicator, {part, queries, params, max, output}, workspace, output.exchanged_capacity)
      .run();
}

/// Bytes of device workspace that radius_shard_plan() needs on a rank that is a GPU, 256-byte aligned. 0 if an argument
/// is refused. O(1).
template <class Part, class Queries>
std::size_t radius_shard_plan_workspace_bytes(
    cuda_exec exec, int ranks, Part const& part, Queries const& queries, radius_params const& params, index_t max,
    radius_shard_output<typename detail::points_of<Part>::scalar> const& output) noexcept {
  return detail::search_bytes<detail::stream_radius_task<Part, Queries>>(
      exec, ranks, {part, queries, params, max, output}, detail::first_half_only);
}

/// First half of radius_shard() for ranks that are GPUs, as on the host. The second half, planned_search::run(), is
/// enqueued and does not wait.
///
/// @param exec          the stream of the communicator
/// @param communicator  as for radius_shard(); it must outlive the returned object
/// @param part          as for the host
/// @param queries       as for the host
/// @param params        as for the host
/// @param max           as for the host
/// @param output        see radius_shard_output
/// @param workspace     at least radius_shard_plan_workspace_bytes() bytes, 256-byte aligned, device memory
///
/// @return a search whose outcome() is as on the host, or `cuda_failure`, and the communicator is aborted if it can be
///
/// Complexity: both halves take the time of radius_shard().
template <class Communicator, class Part, class Queries>
auto radius_shard_plan(cuda_exec exec, Communicator& communicator, Part const& part, Queries const& queries,
                       radius_params const& params, index_t max,
                       radius_shard_output<typename detail::points_of<Part>::scalar> const& output,
                       bytes workspace) noexcept {
  detail::profile_range const range{"farpoint::radius_shard_plan"};
  return detail::stream_search_call<detail::stream_radius_task<Part, Queries, Communicator>>(
             exec, communicator, {part, queries, params, max, output}, workspace, detail::first_half_only)
      .plan();
}

FARPOINT_END_NAMESPACE

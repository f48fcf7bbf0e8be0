/// @file
/// k nearest neighbors, on a CUDA stream, in a cloud that is spread over several GPUs. knn_shard.hpp defines the result
/// of knn_shard().
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/scale/knn_shard.hpp>
#include <farpoint/scale/stream/curve/owner_index.cuh>
#include <farpoint/scale/stream/curve/split.cuh>
#include <farpoint/scale/stream/search_call.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Search function of shard_index on a GPU.
template <class Queries>
void enqueue_search(kernel_launcher& launcher, search_queries<Queries> const& asked, exact const& method,
                    query_rows<knn_output<typename Queries::scalar>> const& to) noexcept {
  launch_knn<knn_selector>(launcher,
                           knn_cuda_args<Queries>{asked, request_of<typename Queries::scalar>(method, to.each), to.rows,
                                                  non_finite_counter(to.rows.report), to.first_index, to.limits});
}

/// Task of knn_shard() on a stream.
template <class Part, class Queries, class Communicator = no_communicator>
using stream_knn_task = knn_shard_task<cuda_exec, Communicator, Part, Queries>;

}  // namespace detail

/// Bytes of device workspace that knn_shard() needs on a rank that is a GPU, 256-byte aligned. 0 if an argument is
/// refused. The sum of
///
/// - the BVH of the points of a shard,
/// - 4 bytes per query of the rank,
/// - per query of exchanged_capacity 36 bytes, and 24 bytes per neighbor (double: 68 and 32),
/// - the memory in which knn() sorts the rank's queries,
/// - the memory to sort exchanged_capacity queries, if these are not fewer than the rank's queries.
///
/// O(1).
template <class Part, class Queries>
std::size_t knn_shard_workspace_bytes(
    cuda_exec exec, int ranks, Part const& part, Queries const& queries, exact const& method, index_t k,
    knn_shard_output<typename detail::points_of<Part>::scalar> const& output) noexcept {
  return detail::search_bytes<detail::stream_knn_task<Part, Queries>>(exec, ranks, {part, queries, method, k, output},
                                                                      output.exchanged_capacity);
}

/// knn_shard() for ranks that are GPUs. Same rules and bits as the host overload, with these differences:
///
/// - Arrays are device memory, except `output.exchanged`, which is host memory.
/// - Queries have the scalar type of the points.
/// - The call waits for the stream twice, to agree on the arguments and on the number of queries from rank to rank. The
///   rest is enqueued. Therefore it cannot be captured in a graph. It allocates nothing, except on a rank that refuses
///   its arguments: the rank takes some bytes of the stream's pool to report that.
/// - One BVH of the points answers the rank's queries and the received ones. Queries that are the same view as the
///   points are answered faster than copies of the points.
///
/// @param exec          the stream of the communicator
/// @param communicator  nccl_exec or another type with is_stream_communicator, 1 to 64 ranks
/// @param part          points of this rank, as for the host; the BVH of an indexed_shard is a device_point_bvh
/// @param queries       queries of this rank, any number
/// @param method        as for the host
/// @param k             as for the host
/// @param output        see knn_shard_output
/// @param workspace     at least knn_shard_workspace_bytes() bytes, 256-byte aligned
///
/// @return as the host overload; or `cuda_failure`, after which the communicator is aborted if it has abort()
///
/// Complexity: knn() of the rank's queries and of the received ones, ranks x queries box tests, and one loop over the
/// answers of each rank.
template <class Communicator, class Part, class Queries>
result knn_shard(cuda_exec exec, Communicator& communicator, Part const& part, Queries const& queries,
                 exact const& method, index_t k,
                 knn_shard_output<typename detail::points_of<Part>::scalar> const& output, bytes workspace) noexcept {
  detail::profile_range const range{"farpoint::knn_shard"};
  return detail::stream_search_call<detail::stream_knn_task<Part, Queries, Communicator>>(
             exec, communicator, {part, queries, method, k, output}, workspace, output.exchanged_capacity)
      .run();
}

/// Bytes of device workspace that knn_shard_plan() needs on a rank that is a GPU, 256-byte aligned. 0 if an argument is
/// refused. O(1).
template <class Part, class Queries>
std::size_t knn_shard_plan_workspace_bytes(
    cuda_exec exec, int ranks, Part const& part, Queries const& queries, exact const& method, index_t k,
    knn_shard_output<typename detail::points_of<Part>::scalar> const& output) noexcept {
  return detail::search_bytes<detail::stream_knn_task<Part, Queries>>(exec, ranks, {part, queries, method, k, output},
                                                                      detail::first_half_only);
}

/// First half of knn_shard() for ranks that are GPUs, as on the host. The second half, planned_search::run(), is
/// enqueued and does not wait.
///
/// @param exec          the stream of the communicator
/// @param communicator  as for knn_shard(); it must outlive the returned object
/// @param part          as for the host
/// @param queries       as for the host
/// @param method        as for the host
/// @param k             as for the host
/// @param output        see knn_shard_output
/// @param workspace     at least knn_shard_plan_workspace_bytes() bytes, 256-byte aligned, device memory
///
/// @return a search whose outcome() is as on the host; or `cuda_failure`, after which the communicator is aborted if it
///         has abort()
///
/// Complexity: both halves take the time of knn_shard().
template <class Communicator, class Part, class Queries>
auto knn_shard_plan(cuda_exec exec, Communicator& communicator, Part const& part, Queries const& queries,
                    exact const& method, index_t k,
                    knn_shard_output<typename detail::points_of<Part>::scalar> const& output,
                    bytes workspace) noexcept {
  detail::profile_range const range{"farpoint::knn_shard_plan"};
  return detail::stream_search_call<detail::stream_knn_task<Part, Queries, Communicator>>(
             exec, communicator, {part, queries, method, k, output}, workspace, detail::first_half_only)
      .plan();
}

/// Bytes of device workspace that knn_shard() along a curve needs on a rank that is a GPU, 256-byte aligned: as on the
/// host, and memory to sort what is sent. 0 if an argument is refused. O(1).
template <class Points, class Queries>
std::size_t knn_shard_workspace_bytes(cuda_exec exec, int ranks, shard<Points> const& part, Queries const& queries,
                                      along_curve const& method, index_t k,
                                      knn_shard_output<typename Points::scalar> const& output) noexcept {
  return detail::knn_curve_bytes(exec, ranks, part, queries, method, k, output);
}

/// knn_shard() of parts that are not compact, for ranks that are GPUs. Same rules and bits as the host overload, with
/// these differences:
///
/// - Arrays are device memory, except `output.exchanged` and `output.owned_queries`, which are host memory.
/// - Queries have the scalar type of the points.
/// - The call waits for the stream three times, to agree on the arguments, on the counts of points and queries for each
///   owner, and on the number of queries from owner to owner. Therefore it cannot be captured in a graph. It allocates
///   as the overload for `exact` does.
///
/// @param exec          the stream of the communicator
/// @param communicator  nccl_exec or another type with is_stream_communicator, 1 to 64 ranks
/// @param part          points of this rank, as for the host
/// @param queries       queries of this rank: its points, as the same view on all ranks, or other queries
/// @param method        see along_curve
/// @param k             as for the host
/// @param output        see knn_shard_output
/// @param workspace     at least knn_shard_workspace_bytes() bytes, 256-byte aligned
///
/// @return as the host overload; or `cuda_failure`, after which the communicator is aborted if it has abort()
///
/// Complexity: as the host overload.
template <class Communicator, class Points, class Queries>
result knn_shard(cuda_exec exec, Communicator& communicator, shard<Points> const& part, Queries const& queries,
                 along_curve const& method, index_t k, knn_shard_output<typename Points::scalar> const& output,
                 bytes workspace) noexcept {
  detail::profile_range const range{"farpoint::knn_shard"};
  result const fits = detail::check_stream_communicator(communicator, detail::curve_max_ranks,
                                                        "communicator: it has no ranks, or more than 64");
  if (!fits) return fits;
  result own = detail::check_stream(communicator, exec);
  if (own) {
    own = detail::check_pointers(exec, workspace, batch<Points>{part.points}, batch<Queries>{queries}, output.indices,
                                 output.distances, output.report);
  }
  return detail::knn_along_curve_on(exec, communicator,
                                    detail::knn_curve_arguments<Points, Queries>{part, queries, method, k, output}, own,
                                    workspace);
}

FARPOINT_END_NAMESPACE

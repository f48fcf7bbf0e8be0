/// @file
/// Nearest neighbours, on a CUDA stream, in a cloud whose points are spread over several GPUs. See knn_shard.hpp for
/// what knn_shard() computes.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/core/check_pointers.cuh>
#include <farpoint/core/profile_range.cuh>
#include <farpoint/grid/for_each_index.cuh>
#include <farpoint/scale/knn_shard.hpp>
#include <farpoint/scale/shard_backend.cuh>
#include <farpoint/scale/stream/curve/owner_index.cuh>
#include <farpoint/scale/stream/curve/split.cuh>
#include <farpoint/scale/stream/knn_task.hpp>
#include <farpoint/scale/stream/shard_index.cuh>
#include <farpoint/scale/voxel_map.cuh>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Makes a call of a rank that is a GPU: `call(own)`, where `own` says whether its pointers can be used.
template <class Communicator, class Points, class Queries, class Scalar, class Call>
result knn_shard_on_stream(cuda_exec exec, Communicator const& communicator, shard<Points> const& part,
                           Queries const& queries, knn_shard_output<Scalar> const& output, bytes workspace,
                           Call const& call) noexcept {
  profile_range const range{"farpoint::knn_shard"};
  result const fits =
      check_stream_communicator(communicator, knn_stream_most_ranks, "communicator: it has no ranks, or more than 64");
  if (!fits) return fits;
  return call(check_pointers(exec, workspace, batch<Points>{part.points}, batch<Queries>{queries}, output.indices,
                             output.distances, output.report));
}

/// What a shard_index of a GPU calls.
template <class Queries>
void enqueue_search(kernel_launcher& launcher, search_queries<Queries> const& asked, exact const& method,
                    query_rows<knn_output<typename Queries::scalar>> const& to) noexcept {
  launch_knn<knn_selector>(launcher,
                           knn_cuda_args<Queries>{asked, request_of<typename Queries::scalar>(method, to.each), to.rows,
                                                  to.first_index, to.limits});
}

}  // namespace detail

/// Bytes of device workspace that knn_shard() needs on a rank that is a GPU. The memory must be 256-byte aligned. 0 for
/// arguments that are refused. `ranks` take part.
///
/// What knn() needs to put queries in order, for each of exchanged_capacity 36 bytes and 24 for each neighbour (of
/// double, 68 and 32), and the BVH of the points. O(1).
template <class Points, class Queries>
std::size_t knn_shard_workspace_bytes(cuda_exec exec, int ranks, shard<Points> const& part, Queries const& queries,
                                      exact const& method, index_t k,
                                      knn_shard_output<typename Points::scalar> const& output) noexcept {
  if (ranks < 1 || ranks > detail::knn_stream_most_ranks) return 0;
  if (!detail::check_knn_shard(part, queries, method, k, output)) return 0;
  return detail::knn_stream_plan<cuda_exec, Points>{
      exec, nullptr, ranks, part.points, queries.size(), k, output.exchanged_capacity}
      .cutter.used();
}

/// knn_shard() for ranks that are GPUs: the rules and the bits of the host overload, with these differences.
///
/// - Arrays are device memory, but `output.exchanged`, which is host memory.
/// - Queries have the scalar type of the points.
/// - The call enqueues, and waits twice on the way: ranks agree on the arguments, and then on how many queries go
///   where. What follows is only enqueued. So it cannot be captured in a graph. It allocates nothing, except on a rank
///   whose arguments are refused: that takes some bytes of the stream's pool to tell the others.
/// - The points have one BVH, which answers the rank's queries and those of others. Queries that are the same view as
///   the points are answered faster than copies of them.
///
/// @param exec          the stream of the communicator
/// @param communicator  see is_stream_communicator, of 1 to 64 ranks: a nccl_exec
/// @param part          the points of this rank, as for the host
/// @param queries       of this rank, as many as it likes
/// @param method        as for the host
/// @param k             as for the host
/// @param output        see knn_shard_output
/// @param workspace     knn_shard_workspace_bytes() bytes or more, 256-byte aligned
/// @return as the host overload | cuda_failure, after which others may wait: abort the communicator
/// Complexity: that of knn() for the rank's queries and for those it receives; a loop over its queries for each other
/// rank.
template <class Communicator, class Points, class Queries>
result knn_shard(cuda_exec exec, Communicator& communicator, shard<Points> const& part, Queries const& queries,
                 exact const& method, index_t k, knn_shard_output<typename Points::scalar> const& output,
                 bytes workspace) noexcept {
  return detail::knn_shard_on_stream(exec, communicator, part, queries, output, workspace, [&](result own) {
    return detail::knn_shard_on(exec, communicator, part, queries, method, k, output, own, workspace);
  });
}

/// Bytes of device workspace that knn_shard() along a curve needs on a rank that is a GPU: as on the host, with memory
/// to sort what is sent. The memory must be 256-byte aligned. 0 for arguments that are refused. O(1).
template <class Points, class Queries>
std::size_t knn_shard_workspace_bytes(cuda_exec exec, int ranks, shard<Points> const& part, Queries const& queries,
                                      along_curve const& method, index_t k,
                                      knn_shard_output<typename Points::scalar> const& output) noexcept {
  return detail::knn_curve_bytes(exec, ranks, part, queries, method, k, output);
}

/// knn_shard() of parts that are not compact, for ranks that are GPUs: the rules and the bits of the host overload,
/// with these differences.
///
/// - Arrays are device memory, but `output.exchanged` and `output.owned_queries`, which are host memory.
/// - Queries have the scalar type of the points.
/// - The call enqueues, and waits three times on the way: ranks agree on the arguments, then on what goes to which
///   owner, and then on the queries that go from owner to owner. It cannot be captured in a graph. It allocates as
///   where points stay.
///
/// @param exec          the stream of the communicator
/// @param communicator  see is_stream_communicator, of 1 to 64 ranks: a nccl_exec
/// @param part          the points of this rank, as for the host
/// @param queries       of this rank: its points, as the same view on all ranks, or others
/// @param method        see along_curve
/// @param k             as for the host
/// @param output        see knn_shard_output
/// @param workspace     knn_shard_workspace_bytes() bytes or more, 256-byte aligned
/// @return as the host overload | cuda_failure, after which others may wait: abort the communicator
/// Complexity: as the host overload.
template <class Communicator, class Points, class Queries>
result knn_shard(cuda_exec exec, Communicator& communicator, shard<Points> const& part, Queries const& queries,
                 along_curve const& method, index_t k, knn_shard_output<typename Points::scalar> const& output,
                 bytes workspace) noexcept {
  detail::knn_curve_arguments<Points, Queries> const asked{part, queries, method, k, output};
  return detail::knn_shard_on_stream(exec, communicator, part, queries, output, workspace, [&](result own) {
    return detail::knn_along_curve_on(exec, communicator, asked, own, workspace);
  });
}

FARPOINT_END_NAMESPACE

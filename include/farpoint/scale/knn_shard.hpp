/// @file
/// k nearest neighbors in a cloud that is spread over several ranks, each with its own memory: host threads, or GPUs
/// with knn_shard.cuh.
#pragma once

#include <farpoint/scale/stream/curve/knn_call.hpp>
#include <farpoint/scale/stream/knn_shard_check.hpp>
#include <farpoint/scale/stream/knn_task.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Bytes of workspace that knn_shard() needs on a rank, 256-byte aligned. 0 if an argument is refused.
///
/// The BVH of the points of a shard; per query 20 bytes (double: 32); per query of exchanged_capacity 36 bytes and 24
/// per neighbor (double: 68 and 32), and 16 more (double: 28) if exchanged_capacity is not below the number of queries;
/// per pair of ranks 8. On a GPU, device memory: the BVH and the sorting of queries take the space that knn() on a
/// stream takes, and a query 4 bytes. O(1).
/// @param exec     host_exec or cuda_exec, as for the call
/// @param ranks    number of ranks
/// @param part     as for knn_shard()
/// @param queries  as for knn_shard()
/// @param params   as for knn_shard()
/// @param output   as for knn_shard()
template <class Exec, class Part, class Queries>
std::size_t knn_shard_workspace_bytes(
    Exec exec, int ranks, Part const& part, Queries const& queries, knn_params const& params,
    knn_shard_output<typename detail::points_of<Part>::scalar> const& output) noexcept {
  return detail::search_bytes<detail::knn_shard_task<Exec, detail::no_communicator, Part, Queries>>(
      exec, ranks, {part, queries, params, output}, output.exchanged_capacity);
}

/// Finds the k nearest points of each of the rank's queries in a cloud that is spread over ranks. The rows have the
/// bits of one knn() call for the whole cloud.
///
/// Points stay where they are. A rank answers its queries from its own points first. Each query then goes to the ranks
/// whose bounding box is no farther away than its k-th neighbor so far. Parts that are compact in space, such as tiles,
/// therefore exchange only queries near their borders; parts that overlap, such as whole sweeps of one street, exchange
/// nearly all queries.
///
/// An indexed_shard has a BVH that build_point_bvh() has built, for many searches of the same points; a shard gets one
/// in the workspace. All ranks may have one, or only some. Parts of repartition() have indices of their own: rows then
/// have these, and are the rows of one call for the whole cloud, and the report does not count points that
/// repartition() has left out. Such indices are not compared with those of other ranks; no two ranks may have the same
/// index.
///
/// For a cuda_exec, ranks are GPUs (include knn_shard.cuh), with these differences:
///
/// - Arrays are device memory, except `output.exchanged` and `output.owned_queries`, which are host memory.
/// - Queries have the scalar type of the points.
/// - The call waits for the stream twice, to agree on the arguments and on the number of queries from rank to rank. The
///   rest is enqueued. Therefore it cannot be captured in a graph. It allocates nothing, except on a rank that refuses
///   its arguments: the rank takes some bytes of the stream's pool to report that.
/// - Queries that are the same view as the points are answered faster than copies of the points.
///
/// @param exec          threads of this rank, and the call returns when the result is complete; or the stream of the
///                      communicator
/// @param communicator  see is_communicator; 1 to max_ranks ranks, all of which make this call. On a stream
///                      nccl_exec or another type with is_stream_communicator, 1 to 64 ranks
/// @param part          shard or indexed_shard: the rank's points; may be empty. The BVH is a point_bvh, or on a
///                      stream a device_point_bvh
/// @param queries       queries of this rank, any number; double if and only if the points are
/// @param params        see knn_params; equal on all ranks. With exclude_self, query i is not matched with the
///                      rank's point i
/// @param output        see knn_shard_output
/// @param workspace     at least knn_shard_workspace_bytes() bytes, 256-byte aligned
///
/// @return `ok`, or:
///         - `bad_argument` on all ranks if the arguments of one are refused, parameters differ, or parts overlap; if a
///           BVH was never built, or has another number of points than the part, or its indices have; nothing is
///           written
///         - `workspace_too_small` on a rank with too little workspace, and `bad_argument` on the others; nothing is
///           written
///         - `workspace_too_small` on all ranks if one exchanges more queries than its exchanged_capacity; rows are
///           unspecified
///         - `communication_failure`: rows are unspecified
///         - `cuda_failure`, after which the communicator is aborted if it has abort()
///
/// Complexity: knn() of the rank's queries and of the received ones, with one BVH, and ranks x queries box tests. Six
/// exchanges.
template <class Exec, class Communicator, class Part, class Queries>
result knn_shard(Exec exec, Communicator& communicator, Part const& part, Queries const& queries,
                 knn_params const& params, knn_shard_output<typename detail::points_of<Part>::scalar> const& output,
                 bytes workspace) noexcept {
  using task = detail::knn_shard_task<Exec, Communicator, Part, Queries>;
  return detail::search_call<task, Exec, Communicator>{
      exec, communicator, {part, queries, params, output}, workspace, output.exchanged_capacity}
      .run("farpoint::knn_shard");
}

/// Bytes of workspace that knn_shard_plan() needs on a rank, 256-byte aligned. 0 if an argument is refused. As
/// knn_shard_workspace_bytes(), without memory for exchanged queries. O(1).
template <class Exec, class Part, class Queries>
std::size_t knn_shard_plan_workspace_bytes(
    Exec exec, int ranks, Part const& part, Queries const& queries, knn_params const& params,
    knn_shard_output<typename detail::points_of<Part>::scalar> const& output) noexcept {
  return detail::search_bytes<detail::knn_shard_task<Exec, detail::no_communicator, Part, Queries>>(
      exec, ranks, {part, queries, params, output}, detail::first_half_only);
}

/// First half of knn_shard(): answers the queries from the rank's own points, and counts the queries for other ranks.
/// The second half, planned_search::run(), has the memory that it needs and no more; on a stream it is enqueued and
/// does not wait.
///
/// @param exec          as for knn_shard()
/// @param communicator  as for knn_shard(); it must outlive the returned object
/// @param part          as for knn_shard(); the points, their BVH and indices stay in use until
///                      run() has returned
/// @param queries       as for knn_shard(); they stay in use until run() has returned
/// @param params        as for knn_shard()
/// @param output        see knn_shard_output; complete when run() has returned. exchanged_capacity and exchanged
///                      are not used
/// @param workspace     at least knn_shard_plan_workspace_bytes() bytes, 256-byte aligned; in use until
///                      run() has returned
///
/// @return a search whose outcome() is `ok`, or on all ranks a failure as of knn_shard()
///
/// Complexity: both halves take the time of knn_shard().
template <class Exec, class Communicator, class Part, class Queries>
auto knn_shard_plan(Exec exec, Communicator& communicator, Part const& part, Queries const& queries,
                    knn_params const& params, knn_shard_output<typename detail::points_of<Part>::scalar> const& output,
                    bytes workspace) noexcept {
  using task = detail::knn_shard_task<Exec, Communicator, Part, Queries>;
  return detail::search_call<task, Exec, Communicator>{
      exec, communicator, {part, queries, params, output}, workspace, detail::first_half_only}
      .plan("farpoint::knn_shard_plan");
}

/// Bytes of workspace that knn_shard() along a curve needs on a rank, 256-byte aligned, for up to 64 ranks. 0 if an
/// argument is refused.
///
/// With float and 32-bit indices (see along_curve): per point of owned_points the BVH and 16 bytes; per point of the
/// rank 40; per neighbor of a row that the rank owns 8, and of a row that it requests 8; per query of
/// exchanged_capacity 36, and 16 per neighbor; on a GPU also memory to sort what is sent. O(1).
template <class Exec, class Points, class Queries>
std::size_t knn_shard_workspace_bytes(Exec exec, int ranks, shard<Points> const& part, Queries const& queries,
                                      along_curve const& method,
                                      knn_shard_output<typename Points::scalar> const& output) noexcept {
  return detail::knn_curve_bytes(exec, ranks, part, queries, method, output);
}

/// knn_shard() of parts that are not compact. Points are first repartitioned along the Hilbert curve, so that each
/// owner has a compact part of the cloud; the rows come back to the queries' ranks. Same bits as the overload for
/// knn_params.
///
/// Each point is sent once. A query moves with its point if the queries are the points, otherwise on its own. The owner
/// of a query answers it first, then the owners whose cells on the curve are no farther away than its k-th neighbor so
/// far. `output.exchanged` counts the queries sent between owners. On a stream the call waits three times: also for the
/// counts of points and queries for each owner.
///
/// @param exec          as the overload for knn_params
/// @param communicator  as the overload for knn_params, with 1 to 64 ranks
/// @param part          the rank's points; may be empty
/// @param queries       queries of this rank: its points, as the same view on all ranks, or other queries
/// @param method        see along_curve. `neighbors` are equal on all ranks
/// @param output        see knn_shard_output
/// @param workspace     at least knn_shard_workspace_bytes() bytes, 256-byte aligned
///
/// @return as the overload for knn_params; `workspace_too_small` also if owned_points or owned_queries of one rank is
///         too small
///
/// Complexity: knn() of n / ranks of n points, and one pass over the rank's points per round of exact splitting: five
/// rounds on two ranks, nine on 64. Most rows are sent back. One exchange per round, and up to 14 more.
template <class Exec, class Communicator, class Points, class Queries>
result knn_shard(Exec exec, Communicator& communicator, shard<Points> const& part, Queries const& queries,
                 along_curve const& method, knn_shard_output<typename Points::scalar> const& output,
                 bytes workspace) noexcept {
  using checks = detail::rank_checks<Exec>;
  typename checks::range const range{"farpoint::knn_shard"};
  if (result const fit = checks::fit(communicator, detail::curve_max_ranks); !fit) return fit;
  detail::knn_curve_arguments<Points, Queries> const asked{part, queries, method, output};
  result const own = checks::own(exec, communicator, asked, workspace);
  return detail::knn_along_curve_on(exec, communicator, asked, own, workspace);
}

FARPOINT_END_NAMESPACE

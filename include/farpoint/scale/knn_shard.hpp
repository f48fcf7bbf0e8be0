/// @file
/// k nearest neighbors in a cloud that is spread over several ranks, each with its own memory.
#pragma once

#include <farpoint/scale/stream/curve/knn_call.hpp>
#include <farpoint/scale/stream/knn_shard_check.hpp>
#include <farpoint/scale/stream/knn_task.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Task of knn_shard() on the host.
template <class Part, class Queries, class Communicator = no_communicator>
using host_knn_task = knn_shard_task<host_exec, Communicator, Part, Queries>;

}  // namespace detail

/// Bytes of workspace that knn_shard() needs on a rank, 256-byte aligned. 0 if an argument is refused.
///
/// The BVH of the points of a shard; per query 20 bytes (double: 32); per query of exchanged_capacity 36 bytes and 24
/// per neighbor (double: 68 and 32), and 16 more (double: 28) if exchanged_capacity is not below the number of queries;
/// per pair of ranks 8. O(1).
template <class Part, class Queries>
std::size_t knn_shard_workspace_bytes(
    host_exec exec, int ranks, Part const& part, Queries const& queries, exact const& method, index_t k,
    knn_shard_output<typename detail::points_of<Part>::scalar> const& output) noexcept {
  if (!detail::check_threads(exec)) return 0;
  return detail::search_bytes<detail::host_knn_task<Part, Queries>>(exec, ranks, {part, queries, method, k, output},
                                                                    output.exchanged_capacity);
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
/// @param exec          threads of this rank; the call returns when the result is complete
/// @param communicator  see is_communicator; 1 to max_ranks ranks, all of which make this call
/// @param part          shard or indexed_shard: the rank's points; may be empty
/// @param queries       queries of this rank, any number; double if and only if the points are
/// @param method        see exact; equal on all ranks. With exclude_self, query i is not matched with the rank's point
///                      i
/// @param k             neighbors per query, 1 to 1,024; equal on all ranks
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
///
/// Complexity: knn() of the rank's queries and of the received ones, with one BVH, and ranks x queries box tests. Six
/// exchanges.
template <class Communicator, class Part, class Queries>
result knn_shard(host_exec exec, Communicator& communicator, Part const& part, Queries const& queries,
                 exact const& method, index_t k,
                 knn_shard_output<typename detail::points_of<Part>::scalar> const& output, bytes workspace) noexcept {
  return detail::host_search_call<detail::host_knn_task<Part, Queries, Communicator>>(
             exec, communicator, {part, queries, method, k, output}, workspace, output.exchanged_capacity)
      .run();
}

/// Bytes of workspace that knn_shard_plan() needs on a rank, 256-byte aligned. 0 if an argument is refused. As
/// knn_shard_workspace_bytes(), without memory for exchanged queries. O(1).
template <class Part, class Queries>
std::size_t knn_shard_plan_workspace_bytes(
    host_exec exec, int ranks, Part const& part, Queries const& queries, exact const& method, index_t k,
    knn_shard_output<typename detail::points_of<Part>::scalar> const& output) noexcept {
  if (!detail::check_threads(exec)) return 0;
  return detail::search_bytes<detail::host_knn_task<Part, Queries>>(exec, ranks, {part, queries, method, k, output},
                                                                    detail::first_half_only);
}

/// First half of knn_shard(): answers the queries from the rank's own points, and counts the queries for other ranks.
/// The second half, planned_search::run(), has the memory that it needs and no more.
///
/// @param exec          as for knn_shard()
/// @param communicator  as for knn_shard(); it must outlive the returned object
/// @param part          as for knn_shard(); the points, their BVH and indices stay in use until
///                      run() has returned
/// @param queries       as for knn_shard(); they stay in use until run() has returned
/// @param method        as for knn_shard()
/// @param k             as for knn_shard()
/// @param output        see knn_shard_output; complete when run() has returned. exchanged_capacity and exchanged
///                      are not used
/// @param workspace     at least knn_shard_plan_workspace_bytes() bytes, 256-byte aligned; in use until
///                      run() has returned
///
/// @return a search whose outcome() is `ok`, or on all ranks a failure as of knn_shard()
///
/// Complexity: both halves take the time of knn_shard().
template <class Communicator, class Part, class Queries>
auto knn_shard_plan(host_exec exec, Communicator& communicator, Part const& part, Queries const& queries,
                    exact const& method, index_t k,
                    knn_shard_output<typename detail::points_of<Part>::scalar> const& output,
                    bytes workspace) noexcept {
  return detail::host_search_call<detail::host_knn_task<Part, Queries, Communicator>>(
             exec, communicator, {part, queries, method, k, output}, workspace, detail::first_half_only)
      .plan();
}

/// Bytes of workspace that knn_shard() along a curve needs on a rank, 256-byte aligned, for up to 64 ranks. 0 if an
/// argument is refused.
///
/// With float and 32-bit indices (see along_curve): per point of owned_points the BVH and 16 bytes; per point of the
/// rank 40; per neighbor of a row that the rank owns 8, and of a row that it requests 8; per query of
/// exchanged_capacity 36, and 16 per neighbor. O(1).
template <class Points, class Queries>
std::size_t knn_shard_workspace_bytes(host_exec exec, int ranks, shard<Points> const& part, Queries const& queries,
                                      along_curve const& method, index_t k,
                                      knn_shard_output<typename Points::scalar> const& output) noexcept {
  if (!detail::check_threads(exec)) return 0;
  return detail::knn_curve_bytes(exec, ranks, part, queries, method, k, output);
}

/// knn_shard() of parts that are not compact. Points are first repartitioned along the Hilbert curve, so that each
/// owner has a compact part of the cloud; the rows come back to the queries' ranks. Same bits as the overload for
/// `exact`.
///
/// Each point is sent once. A query moves with its point if the queries are the points, otherwise on its own. The owner
/// of a query answers it first, then the owners whose cells on the curve are no farther away than its k-th neighbor so
/// far. `output.exchanged` counts the queries sent between owners.
///
/// @param exec          threads of this rank; the call returns when the result is complete
/// @param communicator  see is_communicator; 1 to 64 ranks, all of which make this call
/// @param part          the rank's points; may be empty
/// @param queries       queries of this rank: its points, as the same view on all ranks, or other queries
/// @param method        see along_curve. `neighbors` is equal on all ranks
/// @param k             neighbors per query, 1 to 1,024; equal on all ranks
/// @param output        see knn_shard_output
/// @param workspace     at least knn_shard_workspace_bytes() bytes, 256-byte aligned
///
/// @return as the overload for `exact`; `workspace_too_small` also if owned_points or owned_queries of one rank is too
///         small
///
/// Complexity: knn() of n / ranks of n points, and one pass over the rank's points per round of exact splitting: five
/// rounds on two ranks, nine on 64. Most rows are sent back. One exchange per round, and up to 14 more.
template <class Communicator, class Points, class Queries>
result knn_shard(host_exec exec, Communicator& communicator, shard<Points> const& part, Queries const& queries,
                 along_curve const& method, index_t k, knn_shard_output<typename Points::scalar> const& output,
                 bytes workspace) noexcept {
  if (result const fit = detail::check_communicator(communicator); !fit) return fit;
  if (communicator.ranks() > detail::curve_max_ranks) return detail::reject("communicator: it has more than 64 ranks");
  return detail::knn_along_curve_on(exec, communicator,
                                    detail::knn_curve_arguments<Points, Queries>{part, queries, method, k, output},
                                    detail::check_threads(exec), workspace);
}

FARPOINT_END_NAMESPACE

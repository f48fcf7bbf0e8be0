/// @file
/// k nearest neighbors in a cloud that is spread over several ranks, each with its own memory.
#pragma once

#include <farpoint/scale/knn_shard_check.hpp>
#include <farpoint/scale/stream/curve/knn_call.hpp>

FARPOINT_BEGIN_NAMESPACE
/// Bytes of workspace that knn_shard() needs on a rank, 256-byte aligned. 0 if an argument is refused.
///
/// Per query of exchanged_capacity 36 bytes and 24 per neighbor (double: 68 and 32); per pair of ranks 8; the workspace
/// of knn(). O(1).
template <class Points, class Queries>
std::size_t knn_shard_workspace_bytes(host_exec exec, int ranks, shard<Points> const& part, Queries const& queries,
                                      exact const& method, index_t k,
                                      knn_shard_output<typename Points::scalar> const& output) noexcept {
  if (!detail::is_rank_count(ranks) || !detail::check_threads(exec)) return 0;
  if (!detail::check_knn_shard(part, queries, method, k, output)) return 0;
  index_t const m = output.exchanged_capacity;
  std::size_t bound = 0;
  search_limits const limits{part.points.size(), 1, queries.size() > m ? queries.size() : m};
  if (!knn_workspace_bound<Points>(exec, limits, bound)) return 0;
  return detail::knn_shard_memory<typename Points::scalar>{detail::workspace_cutter{}, ranks, m, k}.front + bound;
}

/// Finds the k nearest points of each of the rank's queries in a cloud that is spread over ranks. The rows have the
/// bits of one knn() call for the whole cloud.
///
/// Points stay where they are. A rank answers its queries from its own points first. Each query then goes to the ranks
/// whose bounding box is no farther away than its k-th neighbor so far. Parts that are compact in space, such as tiles,
/// therefore exchange only queries near their borders; parts that overlap, such as whole sweeps of one street, exchange
/// nearly all queries.
///
/// @param exec          threads of this rank; the call returns when the result is complete
/// @param communicator  see is_communicator; 1 to max_ranks ranks, all of which make this call
/// @param part          the rank's points; may be empty
/// @param queries       queries of this rank, any number; double if and only if the points are
/// @param method        see exact; equal on all ranks. With exclude_self, query i is not matched with the rank's point
///                      i
/// @param k             neighbors per query, 1 to 1,024; equal on all ranks
/// @param output        see knn_shard_output
/// @param workspace     at least knn_shard_workspace_bytes() bytes, 256-byte aligned
///
/// @return `ok`, or:
///         - `bad_argument` on all ranks if the arguments of one are refused, parameters differ, or parts overlap;
///           nothing is written
///         - `workspace_too_small` on a rank with too little workspace, and `bad_argument` on the others; nothing is
///           written
///         - `workspace_too_small` on all ranks if one exchanges more queries than its exchanged_capacity; rows are
///           unspecified
///         - `communication_failure`: rows are unspecified
///
/// Complexity: knn() twice, for the rank's queries and for the received ones, each with its own index, and ranks x
/// queries box tests. Six exchanges.
template <class Communicator, class Points, class Queries>
result knn_shard(host_exec exec, Communicator& communicator, shard<Points> const& part, Queries const& queries,
                 exact const& method, index_t k, knn_shard_output<typename Points::scalar> const& output,
                 bytes workspace) noexcept {
  if (result const fit = detail::check_communicator(communicator); !fit) return fit;
  int const ranks = communicator.ranks();
  result own = detail::check_threads(exec);
  if (own) own = detail::check_knn_shard(part, queries, method, k, output);
  if (own) {
    own = detail::check_workspace(workspace, knn_shard_workspace_bytes(exec, ranks, part, queries, method, k, output),
                                  FARPOINT_WORKSPACE_OF("knn_shard"));
  }
  auto const digest = detail::digest_of<typename Points::scalar>(method, k);
  detail::shard_header const mine{digest, own ? 0u : 1u, part.first_index, part.points.size(),
                                  output.exchanged_capacity};
  detail::shard_header headers[max_ranks];
  int sources[max_ranks];
  result const agreed = detail::agree_on_shards(communicator, own, mine, headers, sources);
  if (!agreed) return detail::or_abort(communicator, agreed);
  detail::knn_shard_task<Communicator, Points, Queries> task{
      exec, communicator, part, queries, method, k, workspace, output.exchanged_capacity};
  return detail::or_abort(communicator, task.run(output, headers));
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
/// @param method        see along_curve. `neighbours` is equal on all ranks
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
  if (communicator.ranks() > detail::curve_most_ranks) return detail::reject("communicator: it has more than 64 ranks");
  return detail::knn_along_curve_on(exec, communicator,
                                    detail::knn_curve_arguments<Points, Queries>{part, queries, method, k, output},
                                    detail::check_threads(exec), workspace);
}

FARPOINT_END_NAMESPACE

/// @file
/// Nearest neighbours in a cloud whose points are spread over several ranks, each with its own memory.
#pragma once

#include <farpoint/scale/knn_shard_check.hpp>
#include <farpoint/scale/stream/curve/knn_call.hpp>

FARPOINT_BEGIN_NAMESPACE
/// Bytes of workspace that knn_shard() needs on a rank. The memory must be 256-byte aligned. 0 for arguments that are
/// refused. `ranks` take part.
///
/// For each of exchanged_capacity 36 bytes and 24 for each neighbour (of double, 68 and 32), 8 for each pair of ranks,
/// and what knn() needs. O(1).
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

/// Finds the k nearest points of each of the rank's queries, in a cloud that no rank has all of: the rows of knn() for
/// the whole cloud, to the bit.
///
/// Points stay where they are. A query is answered at home first, then by the ranks whose points' box is no farther
/// away than the k-th neighbour that home has found. So parts that are compact in space, such as tiles, exchange the
/// queries near their borders; parts that overlap in space, such as whole sweeps of one street, exchange nearly all.
///
/// @param exec          threads of this rank; blocks until done
/// @param communicator  see is_communicator; of 1 to max_ranks ranks, all of which make this call
/// @param part          the rank's points; may be empty
/// @param queries       of this rank, as many as it likes; of double coordinates if the points are, and only then
/// @param method        see exact. With exclude_self query i is not matched with the rank's point i. The same on all
///                      ranks
/// @param k             neighbours of a query, 1 to 1,024. The same on all ranks
/// @param output        see knn_shard_output
/// @param workspace     knn_shard_workspace_bytes() bytes or more, 256-byte aligned
/// @return ok | bad_argument, on all ranks where one is given arguments that are refused, where parameters differ, or
///         where parts overlap; then nothing is written | workspace_too_small, on all ranks where one exchanges more
///         queries than exchanged_capacity; a rank whose workspace is too small has it, and the others bad_argument |
///         communication_failure. After the last two rows are unspecified.
/// Complexity: that of knn() twice, for the rank's queries and for those it receives, each with an index of its own;
/// and ranks x queries to choose where they go. Six exchanges.
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

/// Bytes of workspace that knn_shard() along a curve needs on a rank. The memory must be 256-byte aligned. 0 for
/// arguments that are refused. `ranks` take part, 64 at most.
///
/// In float and with 32-bit places, see along_curve: of owned_points a BVH and 16 bytes, of the rank's points 40; 8 for
/// each neighbour of a row that the rank owns, and of one that it asks for; of exchanged_capacity 36, and 16 for each
/// neighbour. O(1).
template <class Points, class Queries>
std::size_t knn_shard_workspace_bytes(host_exec exec, int ranks, shard<Points> const& part, Queries const& queries,
                                      along_curve const& method, index_t k,
                                      knn_shard_output<typename Points::scalar> const& output) noexcept {
  if (!detail::check_threads(exec)) return 0;
  return detail::knn_curve_bytes(exec, ranks, part, queries, method, k, output);
}

/// knn_shard() of parts that are not compact: points move to owners along Hilbert's curve first, each a compact part of
/// the cloud, and rows come back. The same bits.
///
/// Points move once, and queries with them, or by themselves where they are others. The owner of a query answers it,
/// and then those owners that have cells of the curve no farther away than the k-th neighbour. `output.exchanged`
/// counts the queries that go from owner to owner.
///
/// @param exec          threads of this rank; blocks until done
/// @param communicator  see is_communicator; of 1 to 64 ranks, all of which make this call
/// @param part          the rank's points; may be empty
/// @param queries       of this rank: its points, as the same view on all ranks, or others
/// @param method        see along_curve. `neighbours` is the same on all ranks
/// @param k             neighbours of a query, 1 to 1,024. The same on all ranks
/// @param output        see knn_shard_output
/// @param workspace     knn_shard_workspace_bytes() bytes or more, 256-byte aligned
/// @return as where points stay; workspace_too_small also where the owned_points or owned_queries of one rank are too
///         few
/// Complexity: that of knn() for n / ranks of n points; a pass over the rank's points for each round of exact
/// splitting, five on two ranks and nine on 64. The rows of most queries travel. As many exchanges as rounds, and 14
/// more at most.
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

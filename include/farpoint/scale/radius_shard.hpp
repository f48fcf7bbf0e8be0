/// @file
/// Neighbours within a radius in a cloud whose points are spread over several ranks, each with its own memory.
#pragma once

#include <farpoint/scale/stream/radius_task.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Bytes of workspace that radius_shard() needs on a rank. The memory must be 256-byte aligned. 0 for arguments that
/// are refused. `ranks` take part.
///
/// What radius() needs to put queries in order, for each of exchanged_capacity 36 bytes and 24 for each of max (of
/// double, 68 and 32; 16 more if max is 0), and the BVH of the points. O(1).
template <class Points, class Queries>
std::size_t radius_shard_workspace_bytes(host_exec exec, int ranks, shard<Points> const& part, Queries const& queries,
                                         radius_params const& params, index_t max,
                                         radius_shard_output<typename Points::scalar> const& output) noexcept {
  if (!detail::check_threads(exec)) return 0;
  return detail::radius_shard_bytes(exec, ranks, part, queries, params, max, output);
}

/// Finds up to `max` points within a radius of each of the rank's queries, or only counts them, in a cloud that no rank
/// has all of: the rows of radius() for the whole cloud, to the bit.
///
/// Points stay where they are. A query is answered at home first, then by the ranks whose points' box is within the
/// radius. One whose row is full goes only where there may be nearer points than its last or, by radius_order::index,
/// points of lower index than its last. So parts that are compact in space, such as tiles, exchange the queries near
/// their borders; parts that overlap in space, such as whole sweeps of one street, may exchange all.
///
/// @param exec          threads of this rank; blocks until done
/// @param communicator  see is_communicator; of 1 to 64 ranks, all of which make this call
/// @param part          the rank's points; may be empty
/// @param queries       of this rank, as many as it likes; of double coordinates if the points are, and only then
/// @param params        radius and order. With exclude_self query i is not matched with the rank's point i. The same on
///                      all ranks
/// @param max           neighbours of a query, at most; 0 to 1,024. With 0 only the counts are written, of all points
///                      within the radius. The same on all ranks
/// @param output        see radius_shard_output
/// @param workspace     radius_shard_workspace_bytes() bytes or more, 256-byte aligned
/// @return ok | bad_argument, on all ranks where one is given arguments that are refused, where parameters differ, or
///         where parts overlap; then nothing is written | workspace_too_small, on all ranks where one exchanges more
///         queries than exchanged_capacity; a rank whose workspace is too small has it, and the others bad_argument |
///         communication_failure. After the last two rows are unspecified.
/// Complexity: to build one BVH of the rank's points, and to search it as radius() does, for the rank's queries and for
/// those it receives; and ranks x queries to choose where they go. Seven exchanges, six with a max of 0. Thread-safe:
/// concurrent calls must not share communicator, output or workspace.
template <class Communicator, class Points, class Queries>
result radius_shard(host_exec exec, Communicator& communicator, shard<Points> const& part, Queries const& queries,
                    radius_params const& params, index_t max,
                    radius_shard_output<typename Points::scalar> const& output, bytes workspace) noexcept {
  if (result const fit = detail::check_communicator(communicator); !fit) return fit;
  if (communicator.ranks() > detail::knn_stream_most_ranks) {
    return detail::reject("communicator: radius_shard() takes 64 ranks at most");
  }
  result const own = detail::check_threads(exec);
  // A rank without threads that can be used still tells the others that it refuses.
  return detail::radius_shard_on(own ? exec : host_exec{1}, communicator,
                                 detail::radius_shard_request<Points, Queries>{part, queries, params, max}, output, own,
                                 workspace);
}

FARPOINT_END_NAMESPACE

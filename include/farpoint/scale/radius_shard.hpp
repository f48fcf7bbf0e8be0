/// @file
/// Neighbors within a radius in a cloud that is spread over several ranks, each with its own memory: host threads, or
/// GPUs with radius_shard.cuh.
#pragma once

#include <farpoint/scale/stream/radius_task.hpp>

FARPOINT_BEGIN_NAMESPACE

/// Bytes of workspace that radius_shard() needs on a rank, 256-byte aligned. 0 if an argument is refused.
///
/// The BVH of the points of a shard; per query 20 bytes (double: 32); per query of exchanged_capacity 36 bytes and 24
/// per neighbor of a row (double: 68 and 32; 16 more if max_neighbors is 0), and 16 more (double: 28) if
/// exchanged_capacity is not below the number of queries; per pair of ranks 8. On a GPU, device memory: the BVH and the
/// sorting of queries take the space that radius() on a stream takes. O(1).
template <class Exec, class Part, class Queries>
std::size_t radius_shard_workspace_bytes(
    Exec exec, int ranks, Part const& part, Queries const& queries, radius_params const& params,
    radius_shard_output<typename detail::points_of<Part>::scalar> const& output) noexcept {
  return detail::search_bytes<detail::radius_shard_task<Exec, detail::no_communicator, Part, Queries>>(
      exec, ranks, {part, queries, params, output}, output.exchanged_capacity);
}

/// Finds up to params.max_neighbors points within a radius of each of the rank's queries, or only counts them, in a
/// cloud that is spread over ranks. The rows have the bits of one radius() call for the whole cloud.
///
/// Points stay where they are. A rank answers its queries from its own points first. Each query then goes to the ranks
/// whose bounding box is within the radius. A query whose row is full goes only to ranks that may have a better point
/// than the last in the row: a nearer one or, by radius_order::index, one of lower index. Parts that are compact in
/// space, such as tiles, therefore exchange only queries near their borders; parts that overlap, such as whole sweeps
/// of one street, may exchange all queries.
///
/// An indexed_shard has a BVH that build_point_bvh() has built, for many searches of the same points; a shard gets one
/// in the workspace. All ranks may have one, or only some. Parts of repartition() have indices of their own: rows then
/// have these, and are the rows of one call for the whole cloud, and the report does not count points that
/// repartition() has left out. Such indices are not compared with those of other ranks; no two ranks may have the same
/// index.
///
/// For a cuda_exec, ranks are GPUs (include radius_shard.cuh), with the differences of knn_shard().
///
/// @param exec          as for knn_shard()
/// @param communicator  as for knn_shard()
/// @param part          as for knn_shard()
/// @param queries       queries of this rank, any number; double if and only if the points are
/// @param params        see radius_params; equal on all ranks. With exclude_self, query i is not matched with the
///                      rank's point i
/// @param output        see radius_shard_output
/// @param workspace     at least radius_shard_workspace_bytes() bytes, 256-byte aligned
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
/// Complexity: one BVH of the rank's points, radius() with it for the rank's queries and for the received ones, and
/// ranks x queries box tests. Seven exchanges, or six if max_neighbors is 0. Thread safety: concurrent calls must not
/// share communicator, output or workspace.
template <class Exec, class Communicator, class Part, class Queries>
result radius_shard(Exec exec, Communicator& communicator, Part const& part, Queries const& queries,
                    radius_params const& params,
                    radius_shard_output<typename detail::points_of<Part>::scalar> const& output,
                    bytes workspace) noexcept {
  using task = detail::radius_shard_task<Exec, Communicator, Part, Queries>;
  return detail::search_call<task, Exec, Communicator>{
      exec, communicator, {part, queries, params, output}, workspace, output.exchanged_capacity}
      .run("farpoint::radius_shard");
}

/// Bytes of workspace that radius_shard_plan() needs on a rank, 256-byte aligned. 0 if an argument is refused. As
/// radius_shard_workspace_bytes(), without memory for exchanged queries. O(1).
template <class Exec, class Part, class Queries>
std::size_t radius_shard_plan_workspace_bytes(
    Exec exec, int ranks, Part const& part, Queries const& queries, radius_params const& params,
    radius_shard_output<typename detail::points_of<Part>::scalar> const& output) noexcept {
  return detail::search_bytes<detail::radius_shard_task<Exec, detail::no_communicator, Part, Queries>>(
      exec, ranks, {part, queries, params, output}, detail::first_half_only);
}

/// First half of radius_shard(): answers the queries from the rank's own points, and counts the queries for other
/// ranks. The second half, planned_search::run(), has the memory that it needs and no more; on a stream it is enqueued
/// and does not wait.
///
/// @param exec          as for radius_shard()
/// @param communicator  as for radius_shard(); it must outlive the returned object
/// @param part          as for radius_shard(); the points, their BVH and indices stay in use until
///                      run() has returned
/// @param queries       as for radius_shard(); they stay in use until run() has returned
/// @param params        as for radius_shard()
/// @param output        see radius_shard_output; complete when run() has returned. exchanged_capacity and exchanged are
///                      not used
/// @param workspace     at least radius_shard_plan_workspace_bytes() bytes, 256-byte aligned; in use until run() has
///                      returned
///
/// @return a search whose outcome() is `ok`, or on all ranks a failure as of radius_shard()
///
/// Complexity: both halves take the time of radius_shard().
template <class Exec, class Communicator, class Part, class Queries>
auto radius_shard_plan(Exec exec, Communicator& communicator, Part const& part, Queries const& queries,
                       radius_params const& params,
                       radius_shard_output<typename detail::points_of<Part>::scalar> const& output,
                       bytes workspace) noexcept {
  using task = detail::radius_shard_task<Exec, Communicator, Part, Queries>;
  return detail::search_call<task, Exec, Communicator>{
      exec, communicator, {part, queries, params, output}, workspace, detail::first_half_only}
      .plan("farpoint::radius_shard_plan");
}

FARPOINT_END_NAMESPACE

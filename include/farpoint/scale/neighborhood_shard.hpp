/// @file
/// Normals, mean distances and interpolated features in a cloud that is spread over several ranks.
#pragma once

#include <farpoint/scale/stream/consumer_task.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Bytes of workspace of the first half; 0 if an argument is refused.
template <class Exec, class Request>
std::size_t consumer_bytes(Exec exec, int ranks, Request const& request) noexcept {
  return search_bytes<consumer_task_of<Exec, no_communicator, Request>>(exec, ranks, request, first_half_only);
}

/// First half of a call.
template <class Exec, class Communicator, class Request>
auto plan_consumer(char const* name, Exec exec, Communicator& communicator, Request const& request,
                   bytes workspace) noexcept {
  using task = consumer_task_of<Exec, Communicator, Request>;
  return search_call<task, Exec, Communicator>{exec, communicator, request, workspace, first_half_only}.plan(name);
}

}  // namespace detail

/// Bytes of workspace that estimate_normals_shard_plan() needs on a rank, 256-byte aligned. 0 if an argument is
/// refused. As knn_shard_plan_workspace_bytes(), and 12 bytes (double: 16) per neighbor of each point. O(1).
template <class Exec, class Part>
std::size_t estimate_normals_shard_plan_workspace_bytes(
    Exec exec, int ranks, Part const& part, normals_params const& params,
    normals_output<typename detail::points_of<Part>::scalar> const& output) noexcept {
  return detail::consumer_bytes(exec, ranks, detail::normals_request(part, params, output));
}

/// First half of estimate_normals() in a cloud that is spread over ranks: finds the neighbors of the rank's points
/// among its own points, and counts the points that other ranks must be searched for. The second half,
/// planned_search::run(), has the memory that it needs and no more. The outputs have the bits of one call of
/// estimate_normals() for the whole cloud.
///
/// @param exec          as for knn_shard(): threads, or a stream with neighborhood_shard.cuh, where arrays are device
///                      memory and the second half is enqueued
/// @param communicator  as for knn_shard()
/// @param part          as for knn_shard(); the points stay in use until run() has returned
/// @param params        see normals_params; equal on all ranks
/// @param output        see normals_output: rows of the rank's points, complete when run() has returned. The report is
///                      for all ranks
/// @param workspace     at least estimate_normals_shard_plan_workspace_bytes() bytes, 256-byte aligned; in use until
///                      run() has returned
///
/// @return a search whose outcome() is `ok`, or on all ranks a failure as of knn_shard_plan()
///
/// Complexity: knn_shard_plan() and its second half; coordinates of neighbors come with the answers.
template <class Exec, class Communicator, class Part>
auto estimate_normals_shard_plan(Exec exec, Communicator& communicator, Part const& part, normals_params const& params,
                                 normals_output<typename detail::points_of<Part>::scalar> const& output,
                                 bytes workspace) noexcept {
  return detail::plan_consumer("farpoint::estimate_normals_shard_plan", exec, communicator,
                               detail::normals_request(part, params, output), workspace);
}

/// Bytes of workspace that mean_knn_distance_shard_plan() needs on a rank, 256-byte aligned. 0 if an argument is
/// refused. As estimate_normals_shard_plan_workspace_bytes(). O(1).
template <class Exec, class Part>
std::size_t mean_knn_distance_shard_plan_workspace_bytes(
    Exec exec, int ranks, Part const& part, mean_knn_distance_params const& params,
    mean_knn_distance_output<typename detail::points_of<Part>::scalar> const& output) noexcept {
  return detail::consumer_bytes(exec, ranks, detail::means_request(part, params, output));
}

/// First half of mean_knn_distance() in a cloud that is spread over ranks. See estimate_normals_shard_plan() for
/// parameters that are not described here, results and halves.
///
/// @param exec          as for estimate_normals_shard_plan()
/// @param communicator  as for estimate_normals_shard_plan()
/// @param part          as for estimate_normals_shard_plan()
/// @param params        see mean_knn_distance_params; equal on all ranks
/// @param output        see mean_knn_distance_output. The report is for all ranks
/// @param workspace     at least mean_knn_distance_shard_plan_workspace_bytes() bytes, as for
///                      estimate_normals_shard_plan()
///
/// @return as estimate_normals_shard_plan()
///
/// Complexity: knn_shard_plan() and its second half.
template <class Exec, class Communicator, class Part>
auto mean_knn_distance_shard_plan(Exec exec, Communicator& communicator, Part const& part,
                                  mean_knn_distance_params const& params,
                                  mean_knn_distance_output<typename detail::points_of<Part>::scalar> const& output,
                                  bytes workspace) noexcept {
  return detail::plan_consumer("farpoint::mean_knn_distance_shard_plan", exec, communicator,
                               detail::means_request(part, params, output), workspace);
}

/// Bytes of workspace that interpolate_shard_plan() needs on a rank, 256-byte aligned. 0 if an argument is refused. As
/// estimate_normals_shard_plan_workspace_bytes(), for three neighbors. O(1).
template <class Exec, class Part, class Queries>
std::size_t interpolate_shard_plan_workspace_bytes(Exec exec, int ranks, Part const& part, span<float const> features,
                                                   Queries const& queries, index_t channels,
                                                   interpolate_output const& output) noexcept {
  return detail::consumer_bytes(exec, ranks, detail::interpolation_request(part, features, queries, channels, output));
}

/// First half of interpolate() in a cloud that is spread over ranks. See estimate_normals_shard_plan() for results and
/// halves.
///
/// @param exec          as for estimate_normals_shard_plan()
/// @param communicator  as for estimate_normals_shard_plan()
/// @param part          as for estimate_normals_shard_plan()
/// @param features      `[points, channels]`: of the rank's points; they stay in use until run() has returned
/// @param queries       queries of this rank, any number; double if and only if the points are
/// @param channels      number of values per row, at least 1; equal on all ranks
/// @param output        see interpolate_output: rows of the rank's queries. The report is for all ranks
/// @param workspace     at least interpolate_shard_plan_workspace_bytes() bytes, as for estimate_normals_shard_plan()
///
/// @return as estimate_normals_shard_plan()
///
/// Complexity: knn_shard_plan() with k = 3 and its second half; features of neighbors come with the answers.
template <class Exec, class Communicator, class Part, class Queries>
auto interpolate_shard_plan(Exec exec, Communicator& communicator, Part const& part, span<float const> features,
                            Queries const& queries, index_t channels, interpolate_output const& output,
                            bytes workspace) noexcept {
  return detail::plan_consumer("farpoint::interpolate_shard_plan", exec, communicator,
                               detail::interpolation_request(part, features, queries, channels, output), workspace);
}

FARPOINT_END_NAMESPACE

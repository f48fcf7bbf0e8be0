/// @file
/// Normals, mean distances and interpolated features, on a CUDA stream, in a cloud that is spread over several GPUs.
/// neighborhood_shard.hpp defines the results.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/scale/knn_shard.cuh>
#include <farpoint/scale/neighborhood_shard.hpp>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Bytes of device workspace of the first half; 0 if an argument is refused.
template <class Request>
std::size_t stream_consumer_bytes(cuda_exec exec, int ranks, Request const& request) noexcept {
  return search_bytes<consumer_task_of<cuda_exec, no_communicator, Request>>(exec, ranks, request, first_half_only);
}

/// First half of a call.
template <class Communicator, class Request>
auto stream_consumer_plan(cuda_exec exec, Communicator& communicator, Request const& request,
                          bytes workspace) noexcept {
  return stream_search_call<consumer_task_of<cuda_exec, Communicator, Request>>(exec, communicator, request, workspace,
                                                                                first_half_only)
      .plan();
}

}  // namespace detail

/// Bytes of device workspace that estimate_normals_shard_plan() needs on a rank that is a GPU, 256-byte aligned. 0 if
/// an argument is refused. O(1).
template <class Part>
std::size_t estimate_normals_shard_plan_workspace_bytes(
    cuda_exec exec, int ranks, Part const& part, normals_params const& params,
    normals_output<typename detail::points_of<Part>::scalar> const& output) noexcept {
  return detail::stream_consumer_bytes(exec, ranks, detail::normals_request(part, params, output));
}

/// estimate_normals_shard_plan() for ranks that are GPUs, as on the host: arrays are device memory, and both halves
/// take the stream of the communicator. The first half waits for it twice, the second half is enqueued. The outcome can
/// also be `cuda_failure`, after which the communicator is aborted if it has abort().
template <class Communicator, class Part>
auto estimate_normals_shard_plan(cuda_exec exec, Communicator& communicator, Part const& part,
                                 normals_params const& params,
                                 normals_output<typename detail::points_of<Part>::scalar> const& output,
                                 bytes workspace) noexcept {
  detail::profile_range const range{"farpoint::estimate_normals_shard_plan"};
  return detail::stream_consumer_plan(exec, communicator, detail::normals_request(part, params, output), workspace);
}

/// Bytes of device workspace that mean_knn_distance_shard_plan() needs on a rank that is a GPU, 256-byte aligned. 0 if
/// an argument is refused. O(1).
template <class Part>
std::size_t mean_knn_distance_shard_plan_workspace_bytes(cuda_exec exec, int ranks, Part const& part, index_t k,
                                                         span<typename detail::points_of<Part>::scalar> means,
                                                         knn_report* report = nullptr) noexcept {
  return detail::stream_consumer_bytes(exec, ranks, detail::means_request(part, k, means, report));
}

/// mean_knn_distance_shard_plan() for ranks that are GPUs, as on the host: arrays are device memory, and both halves
/// take the stream of the communicator. The first half waits for it twice, the second half is enqueued. The outcome can
/// also be `cuda_failure`, after which the communicator is aborted if it has abort().
template <class Communicator, class Part>
auto mean_knn_distance_shard_plan(cuda_exec exec, Communicator& communicator, Part const& part, index_t k,
                                  span<typename detail::points_of<Part>::scalar> means, bytes workspace,
                                  knn_report* report = nullptr) noexcept {
  detail::profile_range const range{"farpoint::mean_knn_distance_shard_plan"};
  return detail::stream_consumer_plan(exec, communicator, detail::means_request(part, k, means, report), workspace);
}

/// Bytes of device workspace that interpolate_shard_plan() needs on a rank that is a GPU, 256-byte aligned. 0 if an
/// argument is refused. O(1).
template <class Part, class Queries>
std::size_t interpolate_shard_plan_workspace_bytes(cuda_exec exec, int ranks, Part const& part,
                                                   span<float const> features, Queries const& queries, index_t channels,
                                                   interpolate_output const& output) noexcept {
  return detail::stream_consumer_bytes(exec, ranks,
                                       detail::interpolation_request(part, features, queries, channels, output));
}

/// interpolate_shard_plan() for ranks that are GPUs, as on the host: arrays are device memory, and both halves take the
/// stream of the communicator. The first half waits for it twice, the second half is enqueued. The outcome can also be
/// `cuda_failure`, after which the communicator is aborted if it has abort().
template <class Communicator, class Part, class Queries>
auto interpolate_shard_plan(cuda_exec exec, Communicator& communicator, Part const& part, span<float const> features,
                            Queries const& queries, index_t channels, interpolate_output const& output,
                            bytes workspace) noexcept {
  detail::profile_range const range{"farpoint::interpolate_shard_plan"};
  return detail::stream_consumer_plan(
      exec, communicator, detail::interpolation_request(part, features, queries, channels, output), workspace);
}

FARPOINT_END_NAMESPACE

/// @file
/// How far a point's neighbours are, on a CUDA stream. See mean_knn_distance.hpp.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/detail/search/mean_distance_cuda.cuh>
#include <farpoint/detail/search/with_index.cuh>

FARPOINT_BEGIN_NAMESPACE

/// Bytes of device workspace that mean_knn_distance() needs on the current GPU; 256-byte aligned memory. O(1): as many
/// as the index needs, and for k above 32 (16 in double) up to 64 MiB of lists.
template <class Selector = knn_selector, class Points>
std::size_t mean_knn_distance_workspace_bytes(cuda_exec, batch<Points> const& points, index_t k) noexcept {
  return detail::neighbours_bytes<Selector>(points, k);
}

/// mean_knn_distance(), enqueued on a stream: the rules and the bits of the host overload.
///
/// Only enqueues: no synchronisation, no allocation; may be captured in a graph. All memory is device memory, which
/// must stay valid until the stream has passed the call.
///
/// @param exec       the stream
/// @param points     `[clouds, n]` or ragged, metres, three coordinates
/// @param k          neighbours of a point, 1 to 1,024
/// @param means      `[points]`: mean squared distances (m^2)
/// @param workspace  at least mean_knn_distance_workspace_bytes() bytes, 256-byte aligned
/// @return ok | bad_argument | workspace_too_small | cuda_failure. Never clears or returns an error of somebody else's.
///         Offsets that decrease or leave the view cannot be refused here: nothing is written then, or +inf.
/// Complexity: building the index, and a search for each point. At most 2^30 points. Thread-safe: concurrent calls must
/// not share means or workspace.
template <class Selector = knn_selector, class Points>
result mean_knn_distance(cuda_exec exec, batch<Points> const& points, index_t k, span<typename Points::scalar> means,
                         bytes workspace) noexcept {
  if (result const checked = detail::check_device_search(points, points); !checked) return checked;
  if (result const checked = detail::check_mean_distance(points, k, means); !checked) return checked;
  return detail::indexed_search<Selector>(
      exec, points, workspace, detail::lists_of(points, k), [&](auto const& index, auto* memory) {
        return detail::mean_distance_on_device<Selector>(index, k, means, memory, exec.stream);
      });
}

FARPOINT_END_NAMESPACE

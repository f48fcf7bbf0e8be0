/// @file
/// Features at other places than those of the points that have them, on a CUDA stream. See interpolate.hpp.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/detail/indexed_search.cuh>
#include <farpoint/detail/interpolate_cuda.cuh>

FARPOINT_BEGIN_NAMESPACE

/// Bytes of device workspace that interpolate() needs on the current GPU; 256-byte aligned memory. O(1): as many as the
/// index needs.
template <class Selector = knn_selector, class Points>
std::size_t interpolate_workspace_bytes(cuda_exec, batch<Points> const& points) noexcept {
  return detail::indexed_search_bytes<Selector>(points, [](detail::workspace_cutter&) { return 0; });
}

/// interpolate(), enqueued on a stream: the rules and the bits of the host overload.
///
/// Only enqueues: no synchronisation, no allocation; may be captured in a graph. All memory is device memory, which
/// must stay valid until the stream has passed the call.
///
/// @param workspace  at least interpolate_workspace_bytes() bytes, 256-byte aligned
/// @return ok | bad_argument | workspace_too_small | cuda_failure. Never clears or returns an error of somebody else's.
///         Offsets that decrease or leave the view cannot be refused here: rows may stay unwritten then, or be zeros.
/// Complexity: building the index, a search for each query, and O(queries * channels). Queries are taken in the order
/// in which they are given: neighbours in space should follow one another. At most 2^30 points. Thread-safe: concurrent
/// calls must not share output or workspace.
template <class Selector = knn_selector, class Points, class Queries>
result interpolate(cuda_exec exec, batch<Points> const& points, span<float const> features,
                   batch<Queries> const& queries, index_t channels, interpolate_output const& output,
                   bytes workspace) noexcept {
  if (result const checked = detail::check_device_search(points, queries); !checked) return checked;
  if (result const checked = detail::check_interpolate(points, features, queries, channels, output); !checked) {
    return checked;
  }
  return detail::indexed_search<Selector>(
      exec, points, workspace, [](detail::workspace_cutter&) { return 0; },
      [&](auto const& arrays, int) {
        return detail::interpolate_on_device(points, arrays, features, queries, channels, output, exec.stream);
      });
}

FARPOINT_END_NAMESPACE

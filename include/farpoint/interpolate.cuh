/// @file
/// Features at other places than those of the points that have them, on a CUDA stream. See interpolate.hpp.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/detail/search/interpolate_cuda.cuh>
#include <farpoint/detail/search/with_index.cuh>

FARPOINT_BEGIN_NAMESPACE

/// Bytes of device workspace that interpolate() needs on the current GPU; 256-byte aligned memory. O(1): as many as the
/// index needs, and 16 a query, so that queries are answered in an order in which neighbours follow one another.
template <class Selector = knn_selector, class Points, class Queries>
std::size_t interpolate_workspace_bytes(cuda_exec, batch<Points> const& points,
                                        batch<Queries> const& queries) noexcept {
  return detail::indexed_search_bytes<Selector>(points, detail::query_order_of(queries));
}

/// interpolate(), enqueued on a stream: the rules and the bits of the host overload.
///
/// Only enqueues: no synchronisation, no allocation; may be captured in a graph. All memory is device memory, which
/// must stay valid until the stream has passed the call.
///
/// @param exec       the stream
/// @param points     `[clouds, n]` or ragged, metres, three coordinates
/// @param features   `[points, channels]`
/// @param queries    as many clouds, regular or ragged
/// @param channels   of a row of features
/// @param output     see interpolate_output
/// @param workspace  at least interpolate_workspace_bytes() bytes, 256-byte aligned
/// @return ok | bad_argument | workspace_too_small | cuda_failure. Never clears or returns an error of somebody else's.
///         Offsets that decrease or leave the view cannot be refused here: rows may stay unwritten then, or be zeros.
/// Complexity: building the index, a sort of the queries and a search for each, and O(queries * channels). At most 2^30
/// points. Thread-safe: concurrent calls must not share output or workspace.
template <class Selector = knn_selector, class Points, class Queries>
result interpolate(cuda_exec exec, batch<Points> const& points, span<float const> features,
                   batch<Queries> const& queries, index_t channels, interpolate_output const& output,
                   bytes workspace) noexcept {
  if (result const checked = detail::check_device_search(points, queries); !checked) return checked;
  if (result const checked = detail::check_interpolate(points, features, queries, channels, output); !checked) {
    return checked;
  }
  return detail::indexed_search<Selector>(exec, points, workspace, detail::query_order_of(queries),
                                          [&](auto const& index, detail::query_order_memory const& memory) {
                                            return detail::interpolate_on_device(points, index.index, features, queries,
                                                                                 channels, output, memory, exec.stream);
                                          });
}

FARPOINT_END_NAMESPACE

/// @file
/// Edge lists (COO) from lists of neighbors, on a CUDA stream. See neighbor_edges.hpp.
#pragma once

#include <farpoint/core/require_cuda.cuh>

#include <farpoint/core/check_pointers.cuh>
#include <farpoint/core/profile_range.cuh>
#include <farpoint/detail/subset/neighbor_edges_cuda.cuh>

FARPOINT_BEGIN_NAMESPACE

/// Returns the size in bytes of the device workspace of neighbor_edges(); 256-byte aligned memory. Exact, O(1): 8
/// bytes for every 2,048 entries of the lists, and less than 1 kB.
template <class Queries>
std::size_t neighbor_edges_workspace_bytes(cuda_exec, batch<Queries> const& queries,
                                           neighbor_lists<typename Queries::scalar> const& lists) noexcept {
  return detail::edges_memory::cut(nullptr, lists.entries(queries.points().size())).used;
}

/// neighbor_edges_workspace_bound() on the host, for device workspace on any GPU.
/// @return ok | bad_argument; on failure `bound` is unchanged
inline result neighbor_edges_workspace_bound(cuda_exec, index_t entries, std::size_t& bound) noexcept {
  if (entries < 0 || entries > detail::max_edge_entries) {
    return detail::reject("neighbor_edges: the number of entries is negative or above 2^40");
  }
  bound = detail::edges_memory::cut(nullptr, entries).used;
  return {};
}

/// neighbor_edges(), enqueued on a stream: same edges and report as the host overload, to the bit.
///
/// Only enqueues: no synchronization, no allocation; may be captured in a graph. All memory of the arguments is device
/// memory, which must stay valid until the stream has passed the call. The number of edges stays on the device, in
/// output.count.
///
/// @return ok | bad_argument (as the host overload) | workspace_too_small | cuda_failure. A pending error of other work
///         is neither cleared nor returned.
/// Complexity: one pass over the entries; up to three memsets, a launch, and for ragged batches up to two more.
/// Thread-safe: concurrent calls must not share output or workspace.
template <class Points, class Queries>
result neighbor_edges(cuda_exec exec, batch<Points> const& points, batch<Queries> const& queries,
                      neighbor_lists<typename Points::scalar> const& lists, edge_flow flow,
                      edges_output<typename Points::scalar> const& output, bytes workspace) noexcept {
  detail::profile_range const range{"farpoint::neighbor_edges"};
  result const checked =
      detail::check_pointers(exec, workspace, points, queries, lists.indices, lists.offsets, lists.distances,
                             output.rows, output.cols, output.distances, output.count, output.report);
  if (!checked) return checked;
  using call_type = detail::neighbor_edges_call<Points, Queries>;
  return detail::neighbor_edges_cuda(exec, call_type{points, queries, lists, flow, output}, workspace);
}

/// neighbor_edges() of a search with the points as queries.
template <class Points>
result neighbor_edges(cuda_exec exec, batch<Points> const& points, neighbor_lists<typename Points::scalar> const& lists,
                      edge_flow flow, edges_output<typename Points::scalar> const& output, bytes workspace) noexcept {
  return neighbor_edges(exec, points, points, lists, flow, output, workspace);
}

FARPOINT_END_NAMESPACE
